// What a member may be on their server, from the most to the least. The database's check on `users.role` names the same ones.

export const ROLES = ['root', 'admin', 'archivist', 'user'] as const;
export type Role = (typeof ROLES)[number];
