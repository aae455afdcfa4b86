// The versions of the wire protocol that this code speaks, told in HELLO, `GET server` and the server document.
export const PROTOCOL = { min: 1, max: 1 } as const;
