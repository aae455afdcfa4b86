// How people become members of this server.

/** Anyone; whoever has an invite; nobody. The root invite works in each. */
export type SignupMode = 'open' | 'invite' | 'closed';
