-- What was published and who holds a copy. Owner: src/reeds (reed_allocations: src/ledger writes, others read).
-- No column of any table holds a body or ciphertext: a body is only ever on devices.

create table reed_identities (
  id text collate "C" primary key,
  server_id text collate "C" not null references servers (id),
  author_id text collate "C" not null references identities (id)
);
create index reed_identities_author on reed_identities (author_id);

-- The row outlives removal. Threads are published as their head: thread_head is the head's id, thread_index its place from 0.
create table reeds (
  id text collate "C" primary key references reed_identities (id),
  author_id text collate "C" not null references users (id),
  statement_hash bytea not null references statements (hash),
  registered_at timestamptz not null,
  published_at timestamptz,
  broadcast boolean not null default true,
  removed_at timestamptz,
  removal_hash bytea references statements (hash),
  previous text collate "C",
  thread_head text collate "C",
  thread_index smallint,
  reply_to text collate "C",
  root text collate "C",
  echo_of text collate "C"
);
create index reeds_author_published on reeds (author_id, published_at) where published_at is not null;
create index reeds_reply_to on reeds (reply_to, published_at) where reply_to is not null;
create index reeds_echo_of on reeds (echo_of, published_at) where echo_of is not null;
create index reeds_thread on reeds (thread_head, thread_index) where thread_head is not null;

-- The record of a thread: its id is its head's. What is removed stays, with the removal's hash.
create table threads (
  id text collate "C" primary key references reeds (id),
  author_id text collate "C" not null references users (id),
  statement_hash bytea not null references statements (hash),
  removal_hash bytea references statements (hash)
);

create table reed_tags (
  reed_id text collate "C" not null references reeds (id),
  tag text not null,
  primary key (reed_id, tag)
);

create table reed_mentions (
  reed_id text collate "C" not null references reeds (id),
  user_id text collate "C" not null,
  accepted boolean not null,
  reason text,
  primary key (reed_id, user_id)
);
create index reed_mentions_user on reed_mentions (user_id);

-- The newest reed of an author and the number of their last stream fact. Locked last of all (specs/protocol/ledger.md).
create table author_streams (
  author_id text collate "C" primary key references identities (id),
  last_number bigint not null default 0,
  tip_reed_id text collate "C"
);

create table author_facts (
  author_id text collate "C" not null references author_streams (author_id),
  number bigint not null,
  kind text not null,
  subject_id text collate "C" not null,
  primary key (author_id, number)
);

create table reed_allocations (
  holder_user_id text collate "C" not null references users (id),
  reed_id text collate "C" not null references reed_identities (id),
  device_id text collate "C" not null,
  delivered_on date not null,
  pivot integer not null default (floor(random() * 4294967296) - 2147483648)::integer,
  primary key (holder_user_id, reed_id)
);
create index reed_allocations_ring on reed_allocations (reed_id, pivot) include (holder_user_id);

-- Copies a member gave up or found false: never offered again until asked for.
create table reed_declines (
  user_id text collate "C" not null references users (id),
  reed_id text collate "C" not null references reed_identities (id),
  primary key (user_id, reed_id)
);
