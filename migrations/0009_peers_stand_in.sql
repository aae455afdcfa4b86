-- The peers of this server, as far as streams need them, where nothing made the table before. Owner: src/federation.
create table if not exists peers (
  server_id text collate "C" primary key references servers (id),
  state text not null check (state in ('invited', 'pending', 'approved-by-us', 'live', 'suspended', 'revoked')),
  begun_by text collate "C" not null,
  begun_at timestamptz not null,
  away boolean not null default false,
  failures integer not null default 0,
  retry_at timestamptz
);
