// The bare relay's frames: as many bytes as Reedbed's own, with an address of four bytes in front and what the load needs to find its way.

/** Bytes of Reedbed's frames, one for each that is sent in the course of a delivery. */
export type BareSizes = {
  readonly requestReed: number;
  readonly requestAck: number;
  readonly relayResponse: number;
  readonly dataAck: number;
  readonly settled: number;
};

export const ADDRESS_BYTES = 4;
export const KIND_AT = 4;
export const FROM_AT = 8;
export const SEQUENCE_AT = 12;
export const ANSWERED_AT = 16;

export const BARE_OP = { request: 1, answer: 2, acknowledge: 3, taken: 4, settled: 5 } as const;
