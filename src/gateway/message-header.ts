// The header of a WebSocket message in one piece, as a server sends it: final, binary, without a mask (RFC 6455, 5.2).

const FINAL_BINARY = 0x82;
const SHORT = 126;
const MEDIUM = 65_536;

/** Bytes of the header before so many bytes of payload; a client's has four more, its mask. */
export const headerBytes = (payloadBytes: number): number => (payloadBytes < SHORT ? 2 : payloadBytes < MEDIUM ? 4 : 10);

/** Writes it at the start of `into`. */
export const writeHeader = (into: Buffer, payloadBytes: number): void => {
  into[0] = FINAL_BINARY;
  if (payloadBytes < SHORT) into[1] = payloadBytes;
  else if (payloadBytes < MEDIUM) {
    into[1] = SHORT;
    into.writeUInt16BE(payloadBytes, 2);
  } else {
    into[1] = SHORT + 1;
    into.writeBigUInt64BE(BigInt(payloadBytes), 2);
  }
};
