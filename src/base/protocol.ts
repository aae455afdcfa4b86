// The versions of the wire protocol that this code speaks, told in HELLO, `GET server` and the server document.
export const PROTOCOL = { min: 1, max: 1 } as const;
/** The WebSocket subprotocol that a client offers and a server chooses. */
export const SUBPROTOCOL = 'reedbed.v1';
