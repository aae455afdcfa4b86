-- Who is online and who is waiting for what right now. All UNLOGGED and without foreign keys: a crash empties them together,
-- `ledger_epoch` tells every process that it happened. Owners: src/presence (replicas, online_*), src/ledger (the rest).

create unlogged table ledger_epoch (
  one boolean primary key default true check (one),
  epoch uuid not null
);

create unlogged table replicas (
  id uuid primary key,
  name text not null,
  lease_until timestamptz not null
);

create unlogged table online_users (
  user_id text collate "C" primary key,
  owner uuid not null,
  sync_request_id text collate "C",
  congested boolean not null default false,
  behind boolean not null default false
);
create index online_users_owner on online_users (owner);

create unlogged table online_connections (
  id uuid primary key,
  user_id text collate "C" not null,
  replica_id uuid not null,
  device_id text collate "C" not null,
  seq bigint generated always as identity
);
create index online_connections_user on online_connections (user_id, seq);
create index online_connections_replica on online_connections (replica_id);

-- state: 0 dormant, 1 waiting, 2 dispatched, 3 relayed, 4 unassigned, 5 in line, 6 forwarding, 7 crossing (src/ledger/state.ts).
-- priority (class): 0 explicit and foreign, 1 live, 2 catch-up and pages.
create unlogged table pending_events (
  event_id uuid primary key,
  seq bigint generated always as identity,
  request_id text collate "C",
  requester_user_id text collate "C" not null,
  event_name text not null,
  subject_kind text not null,
  subject_id text collate "C" not null,
  is_foreign boolean not null default false,
  priority smallint not null,
  subscription_id uuid,
  state smallint not null,
  due_at timestamptz not null,
  holder text collate "C",
  dispatched_at timestamptz,
  attempt integer not null default 0,
  waits smallint not null default 0,
  relayed_at timestamptz,
  relays smallint not null default 0,
  requested_at timestamptz,
  created_at timestamptz not null
);
create unique index pending_events_owed on pending_events (requester_user_id, subject_kind, subject_id) where not is_foreign;
create index pending_events_queue on pending_events (holder, priority, seq) where state = 1;
create index pending_events_in_flight on pending_events (holder) where state = 2;
create index pending_events_subject on pending_events (subject_id, priority, seq) where state in (0, 1, 4);
create index pending_events_unassigned on pending_events (due_at) where state = 4;
create index pending_events_unassigned_of on pending_events (requester_user_id, priority, seq) where state = 4;
create index pending_events_awake on pending_events (requester_user_id) where state in (1, 2, 3, 7);
create index pending_events_explicit on pending_events (requester_user_id, request_id) where requested_at is not null;
create index pending_events_due on pending_events (due_at) where state <> 4;

create unlogged table pending_event_attempts (
  event_id uuid not null,
  holder text collate "C" not null,
  failures smallint not null,
  busy smallint not null default 0,
  outcome text not null,
  not_before timestamptz not null,
  primary key (event_id, holder)
);
create index pending_event_attempts_holder on pending_event_attempts (holder);

create unlogged table holder_strikes (
  reed_id text collate "C" not null,
  holder text collate "C" not null,
  viewer text collate "C" not null,
  reason text not null,
  at timestamptz not null,
  counted_at timestamptz,
  primary key (reed_id, holder, viewer)
);
create index holder_strikes_at on holder_strikes (at);

create view pending_reed_events as
  select event_id, requester_user_id, event_name, subject_id as reed_id, state, due_at, holder from pending_events
  where subject_kind in ('reed', 'thread', 'reed_removal', 'thread_removal');
create view pending_account_events as
  select event_id, requester_user_id, event_name, subject_id as user_id, state, due_at from pending_events where subject_kind = 'account_removal';
create view pending_key_events as
  select event_id, requester_user_id, event_name, subject_id as key_id, state, due_at from pending_events where subject_kind = 'key';
