-- What rotation by a recovery key leaves behind, and the sessions that only it opens. Owner: src/identity.

-- void_hash: the key statement by the recovery key that put this key off the chain; what it signed is void.
alter table keys add column by_recovery boolean not null default false;
alter table keys add column void_hash bytea references statements (hash);

-- A session by the recovery key: key_id is the recovery key's, and it opens nothing but rotation and the withdrawal of a removal.
alter table sessions add column recovery boolean not null default false;

-- Debts like those of pending_fanout, of accounts and keys that have ended: what they leave behind is undone under them, page by page, which nothing
-- would take up again if a crash of Postgres took them. Owner: src/relay; written with what it is about.
create table pending_ends (
  kind text collate "C" not null,
  subject_id text collate "C" not null,
  looks smallint not null default 0,
  due_at timestamptz not null,
  primary key (kind, subject_id)
);
create index pending_ends_due on pending_ends (due_at);

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
