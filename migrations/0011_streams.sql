-- What is published here goes to every peer, what is published there comes here. Owners: src/federation (peer_cursors, parked_items,
-- received_streams, owed_legs); reeds and threads of other servers stand in the tables of our own. published_at: when this server took it.

alter table reeds drop constraint reeds_author_id_fkey;
alter table reeds add foreign key (author_id) references identities (id);
alter table threads drop constraint threads_author_id_fkey;
alter table threads add foreign key (author_id) references identities (id);

-- One home numbers its members' statements, but one that came back from an old backup gives numbers again; of our own members' the row of
-- users sees to it that none is given twice.
drop index statements_user_seq;
create index statements_user_seq on statements (user_id, seq);

-- What is known of persons of other servers beside their keys.
create table foreign_profiles (
  user_id text collate "C" primary key references identities (id),
  username text not null,
  folded text collate "C" not null,
  identity_hash bytea not null references statements (hash),
  seq bigint not null,
  fetched_at timestamptz not null
);
create index foreign_profiles_folded on foreign_profiles (folded);

-- How far each peer has each author's stream. start: what came before the peering; acked: the highest cursor ever;
-- sent: the highest number that was ever on the wire.
-- resend_at: of a cursor that went back, from when on it is sent from again.
-- No row: from the beginning, nothing sent yet. items: how many a request may have at most, less after failures.
create table peer_cursors (
  server_id text collate "C" not null references servers (id),
  author_id text collate "C" not null references identities (id),
  start bigint not null,
  cursor bigint not null,
  acked bigint not null,
  sent bigint not null,
  items smallint not null default 100,
  failures integer not null default 0,
  later_since timestamptz,
  retry_at timestamptz,
  lease_until timestamptz,
  resend_at timestamptz,
  primary key (server_id, author_id)
);
create index peer_cursors_retry on peer_cursors (server_id, retry_at) where retry_at is not null;
create index peer_cursors_leased on peer_cursors (server_id, lease_until) where lease_until is not null;

-- Whether the peer's share of our streams has begun: once in a peering.
alter table peers add column share_begun boolean not null default false;

-- What a peer refused, or would not take for a day: left out of the stream, to be sent again on an operator's word: from replay_at on, which a peer
-- that takes nothing at the moment puts off (replay_waits times by now, last with replay_said).
create table parked_items (
  server_id text collate "C" not null references servers (id),
  author_id text collate "C" not null references identities (id),
  number bigint not null,
  kind text not null,
  subject_id text collate "C" not null,
  reason text not null,
  parked_at timestamptz not null,
  replay_at timestamptz,
  replays integer not null default 0,
  replay_waits integer not null default 0,
  replay_said text,
  primary key (server_id, author_id, number)
);
create index parked_items_replay on parked_items (server_id, replay_at) where replay_at is not null;

-- token: of the request that brought the number.
create table received_streams (
  author_id text collate "C" primary key references identities (id),
  number bigint not null,
  token text not null default ''
);

-- Acts of our members that another server is to know of: for each (leg, member, target) the newest until it is answered.
create table owed_legs (
  server_id text collate "C" not null references servers (id),
  leg text not null,
  user_id text collate "C" not null references identities (id),
  target text collate "C" not null,
  statement_hash bytea not null references statements (hash),
  seq bigint not null,
  failures integer not null default 0,
  due_at timestamptz not null,
  primary key (server_id, leg, user_id, target)
);
create index owed_legs_due on owed_legs (server_id, due_at);

-- live: approved by both. near: and it answered when it was last called.
create view live_peers as select server_id from peers where state = 'live';
create view near_peers as select server_id from peers where state = 'live' and not away and retry_at is null;
