-- Who there is: servers, members, their keys, devices and statements. Owner: src/identity (server_keys too).
-- Every durable act has one row in `statements`; repeating it answers with that row's certificate.

create table servers (
  id text collate "C" primary key,
  name text not null,
  document jsonb,
  serial bigint not null default 0,
  is_self boolean not null default false,
  first_seen_at timestamptz not null
);
create unique index servers_self on servers (is_self) where is_self;

-- Identity keys are OpenPGP (`fingerprint@server`), transport keys plain Ed25519 (kid). Private halves are wrapped by the passphrase.
create table server_keys (
  id text collate "C" primary key,
  server_id text collate "C" not null references servers (id),
  kind text not null check (kind in ('identity', 'transport')),
  public_key text not null,
  wrapped_private_key text,
  predecessor text collate "C" references server_keys (id),
  statement jsonb,
  created_at timestamptz not null,
  revoked_at timestamptz
);

create table identities (
  id text collate "C" primary key,
  server_id text collate "C" not null references servers (id),
  first_seen_at timestamptz not null
);

create table users (
  id text collate "C" primary key references identities (id),
  role text not null check (role in ('root', 'admin', 'archivist', 'user')),
  last_seq bigint not null default 0,
  last_signed_at timestamptz not null,
  key_id text collate "C",
  username text not null,
  identity_hash bytea not null,
  created_at timestamptz not null
);

-- A name given up keeps its row, with released_at, for a year.
create table usernames (
  skeleton text collate "C" primary key,
  folded text collate "C" not null unique,
  user_id text collate "C" not null references users (id),
  released_at timestamptz
);
create index usernames_user on usernames (user_id);

create table statements (
  hash bytea primary key,
  user_id text collate "C" not null references identities (id),
  type text not null,
  seq bigint not null,
  signed_at timestamptz not null,
  certificate jsonb not null
);
create unique index statements_user_seq on statements (user_id, seq);

create table keys (
  id text collate "C" primary key,
  user_id text collate "C" not null references identities (id),
  armor text not null,
  recovery text not null,
  predecessor text collate "C" references keys (id),
  statement_hash bytea not null references statements (hash),
  created_at timestamptz not null
);
create index keys_user on keys (user_id);
alter table users add foreign key (key_id) references keys (id);
alter table users add foreign key (identity_hash) references statements (hash);

create table key_revocations (
  key_id text collate "C" primary key references keys (id),
  statement_hash bytea not null references statements (hash),
  seq bigint not null
);

create table key_allocations (
  user_id text collate "C" not null references users (id),
  key_id text collate "C" not null references keys (id),
  primary key (user_id, key_id)
);
create index key_allocations_key on key_allocations (key_id);

create table devices (
  id text collate "C" not null,
  user_id text collate "C" not null references users (id),
  linked_at timestamptz not null,
  unlinked_at timestamptz,
  primary key (user_id, id)
);
create unique index devices_active on devices (user_id) where unlinked_at is null;

create table follows (
  user_id text collate "C" not null references identities (id),
  target text collate "C" not null,
  active boolean not null,
  seq bigint not null,
  statement_hash bytea not null references statements (hash),
  primary key (user_id, target)
);
create index follows_target on follows (target) where active;

create table likes (
  user_id text collate "C" not null references identities (id),
  target text collate "C" not null,
  active boolean not null,
  seq bigint not null,
  statement_hash bytea not null references statements (hash),
  primary key (user_id, target)
);
create index likes_target on likes (target) where active;

create table blocks (
  user_id text collate "C" not null references identities (id),
  target text collate "C" not null,
  active boolean not null,
  seq bigint not null,
  statement_hash bytea not null references statements (hash),
  primary key (user_id, target)
);
create index blocks_target on blocks (target) where active;

create table invites (
  id text collate "C" primary key,
  user_id text collate "C" references users (id),
  token_hash bytea not null unique,
  role text not null check (role in ('root', 'admin', 'archivist', 'user')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  claimed_by text collate "C" references users (id),
  claimed_at timestamptz,
  revoked_at timestamptz,
  statement_hash bytea references statements (hash)
);
create index invites_user on invites (user_id, created_at);

-- A row hides the account at once; the statement is countersigned when due_at has come, and can be withdrawn until then.
create table account_removals (
  user_id text collate "C" primary key references identities (id),
  statement jsonb not null,
  due_at timestamptz not null,
  statement_hash bytea references statements (hash)
);
create index account_removals_due on account_removals (due_at) where statement_hash is null;

create unlogged table sessions (
  token_hash bytea primary key,
  user_id text collate "C" not null,
  key_id text collate "C" not null,
  device_id text collate "C" not null,
  signed_at timestamptz not null,
  last_used_at timestamptz not null
);
create index sessions_user on sessions (user_id);
create index sessions_last_used on sessions (last_used_at);

create unlogged table used_challenges (
  nonce text collate "C" primary key,
  until timestamptz not null
);
create index used_challenges_until on used_challenges (until);
