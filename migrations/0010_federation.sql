-- Servers and each other. Owner: src/federation.

-- Nonces of signed requests that were taken, so that none is taken twice, whichever replica it comes to and whatever restarts. LOGGED for that.
create table peer_nonces (
  server_id text collate "C" not null,
  nonce bytea not null,
  until timestamptz not null,
  primary key (server_id, nonce)
);
create index peer_nonces_until on peer_nonces (until);

-- Whom this server is peered with, or about to be. Name, document and its serial are in `servers`. Owner: src/federation.
-- state follows from the rest (src/federation/peering-state.ts); approved_by and begun_by are a member's id or `operator`.
-- candidate: a document that our admins have to approve anew, since a key of the peer was compromised; what counts until then is `servers.document`.
create table peers (
  server_id text collate "C" primary key references servers (id),
  state text not null check (state in ('invited', 'pending', 'approved-by-us', 'live', 'suspended', 'revoked')),
  base_url text,
  begun_by text collate "C" not null,
  begun_at timestamptz not null,
  approved_by text collate "C",
  approved_at timestamptz,
  approved_there_at timestamptz,
  compromised_at timestamptz,
  candidate jsonb,
  away boolean not null default false,
  epoch text,
  failures integer not null default 0,
  retry_at timestamptz,
  -- It has enough of our calls until then, as it said.
  sated_until timestamptz,
  -- The last call that failed, whatever came of later ones: one word of ours for it.
  last_fault text,
  last_fault_at timestamptz,
  document_asked_at timestamptz
);

-- The secret itself is in the connection string only, which only the invited server can open.
create table peer_invitations (
  id text collate "C" primary key,
  server_id text collate "C" not null references peers (server_id),
  key_id text collate "C" not null,
  statement jsonb not null,
  secret_hash bytea not null unique,
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by text collate "C"
);
create index peer_invitations_server on peer_invitations (server_id);

-- What a peer has to be told until it has answered. A newer notice of a kind takes the place of an older.
create table owed_peer_notices (
  server_id text collate "C" not null references peers (server_id),
  kind text not null check (kind in ('approved', 'going-away', 'back', 'disconnected', 'compromised')),
  version bigint not null default 1,
  revocation jsonb,
  failures integer not null default 0,
  due_at timestamptz not null,
  primary key (server_id, kind)
);
create index owed_peer_notices_due on owed_peer_notices (due_at);

-- Every act of an admin or of the operator, in the order of their commits. by_id: a member's id or `operator`. certificate: of the operator's; a
-- member's stands in `statements`. Owner: src/identity.
create table admin_acts (
  number bigint primary key,
  by_id text collate "C" not null,
  act text not null,
  target text collate "C" not null,
  nonce text collate "C" not null,
  at timestamptz not null,
  statement_hash bytea not null unique,
  certificate jsonb,
  unique (by_id, nonce)
);

-- Acts that need two, of which one has asked. The second one's act takes the row away.
create table admin_requests (
  act text not null,
  target text collate "C" not null,
  by_id text collate "C" not null,
  at timestamptz not null,
  primary key (act, target)
);

-- revocation: the signed statement that ended an identity key. revoked_at of a transport key may lie ahead: until then it is still named.
-- effective_at: since when an identity key counts; a peer's as we saw it announced.
alter table server_keys add column revocation jsonb;
alter table server_keys add column effective_at timestamptz;
update server_keys set effective_at = created_at;
alter table server_keys alter column effective_at set not null;
