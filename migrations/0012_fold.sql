-- What crosses between two servers. Owner: src/ledger; UNLOGGED and without foreign keys like the events it is about.

-- In line (5) waits like dormant for a holder, and for a slot; crossing (7) has its date in foreign_pending_events.
drop index pending_events_subject;
create index pending_events_subject on pending_events (subject_id, priority, seq) where state in (0, 1, 4, 5);
drop index pending_events_due;
create index pending_events_due on pending_events (due_at) where state not in (0, 4, 5);
create index pending_events_in_line on pending_events (due_at) where state = 5;
create index pending_events_line on pending_events (subject_id, priority, seq) where state = 5;
create index pending_events_crossing on pending_events (event_id) where state = 7;
create index pending_events_foreign on pending_events (requester_user_id, state) where is_foreign;

-- Peers that the ledger may ask: those whose peering is live. away_until: not before then.
create unlogged table fold_peers (
  server_id text collate "C" primary key,
  epoch text,
  away_until timestamptz
);

-- Here a member (or a peer's sentinel) waits for a copy that another server is asked for. event_id is no foreign key: the row outlives its event
-- until the ack or cancel that it owes is answered, and keeps its slot as long as its copy can be on the wire.
create unlogged table foreign_pending_events (
  crossing_id uuid primary key,
  event_id uuid not null,
  asked_server_id text collate "C" not null,
  subject text collate "C" not null,
  kind text not null,
  requester text collate "C" not null,
  slot smallint check (slot between 1 and 3),
  is_fallback boolean not null default false,
  asleep boolean not null default false,
  asserts smallint not null default 0,
  answered_at timestamptz,
  arrived_at timestamptz,
  owes text check (owes in ('ack', 'cancel')),
  reason text,
  failures smallint not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null,
  unique (asked_server_id, subject, slot)
);
create index foreign_pending_events_event on foreign_pending_events (event_id);
create index foreign_pending_events_due on foreign_pending_events (due_at);
create index foreign_pending_events_subject on foreign_pending_events (subject);

-- Here a holder is asked for a peer's member: for whom the event of that peer's sentinel really is. owes: not-held, until it is answered.
create unlogged table foreign_relay_requests (
  event_id uuid primary key,
  requesting_server_id text collate "C" not null,
  requesting_user_id text collate "C" not null,
  requesting_key_id text collate "C" not null,
  peer_request_id uuid not null,
  subject text collate "C" not null,
  -- Its place at the peer, until the peer asks for something else from it.
  slot smallint check (slot between 1 and 3),
  owes text check (owes = 'not-held'),
  failures smallint not null default 0,
  due_at timestamptz not null default 'infinity',
  created_at timestamptz not null,
  unique (requesting_server_id, peer_request_id),
  unique (requesting_server_id, subject, slot)
);
create index foreign_relay_requests_owed on foreign_relay_requests (due_at) where owes is not null;

-- Cancels that came before their request.
create unlogged table cancelled_crossings (
  server_id text collate "C" not null,
  crossing_id uuid not null,
  until timestamptz not null,
  primary key (server_id, crossing_id)
);
create index cancelled_crossings_until on cancelled_crossings (until);

-- Whose crossing of a subject ended by silence or as invalid: no carrier of it for a while.
create unlogged table carrier_faults (
  subject text collate "C" not null,
  member text collate "C" not null,
  reason text not null,
  at timestamptz not null,
  primary key (subject, member)
);
create index carrier_faults_at on carrier_faults (at);

-- The parts of a foreign thread, verified when its copy arrived: allocated when it is acknowledged.
create unlogged table pending_thread_parts (
  event_id uuid primary key,
  reed_ids text[] not null
);

-- Whether a peer that a copy of a reed was sent to has a holder of it: by its acknowledgement, or its word.
create table reed_server_allocations (
  reed_id text collate "C" not null references reed_identities (id),
  server_id text collate "C" not null references servers (id),
  holding boolean not null,
  primary key (reed_id, server_id)
);

-- A home server that is to be told whether anybody here has its reed. LOGGED: nothing else remembers what it was told. version: how often that was owed
-- anew since the row was made, so that the answer to an earlier word ends no later one. No peering's end forgets it;
-- what waits for a server that is no peer is not looked at.
create table holder_notices (
  server_id text collate "C" not null,
  reed_id text collate "C" not null,
  version integer not null default 0,
  failures smallint not null default 0,
  due_at timestamptz not null,
  primary key (server_id, reed_id)
);
create index holder_notices_due on holder_notices (server_id, due_at);

-- Who watches a reed is read a part at a time.
drop index reed_subscriptions_target;
create index reed_subscriptions_target on reed_subscriptions (target, viewer);

-- As in 0004: nothing of an UNLOGGED table is sampled into statistics, which outlive a stop.
do $$
declare
  col record;
begin
  for col in
    select n.nspname as space, c.relname as tab, a.attname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where c.relpersistence = 'u' and c.relkind = 'r' and n.nspname = current_schema() and a.attnum > 0 and not a.attisdropped
  loop
    execute format('alter table %I.%I alter column %I set statistics 0', col.space, col.tab, col.name);
  end loop;
end
$$;
