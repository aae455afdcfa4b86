-- Servers and each other. Owner: src/federation.

-- Nonces of signed requests that were taken, so that none is taken twice, whichever replica it comes to and whatever restarts. LOGGED for that.
create table peer_nonces (
  server_id text collate "C" not null,
  nonce bytea not null,
  until timestamptz not null,
  primary key (server_id, nonce)
);
create index peer_nonces_until on peer_nonces (until);
