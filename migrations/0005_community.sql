-- Follows, likes, what is counted about reeds. Owners: src/identity (follows), src/reeds (likes, reed_stats).
-- reed_stats is written by triggers alone: one statement each, rows in the order of their ids, no count below 0.

drop index follows_target;
create index follows_target on follows (target, user_id) where active;
drop index likes_target;
create index likes_target on likes (target, user_id) where active;

-- echoes and replies count what is published and not removed; replies the whole tree below the reed.
create table reed_stats (
  reed_id text collate "C" primary key,
  echoes integer not null default 0,
  replies integer not null default 0,
  likes integer not null default 0,
  holders integer not null default 0
);

create function count_likes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into reed_stats as s (reed_id, likes)
    select target, count(*) from new_rows where active group by target order by target
    on conflict (reed_id) do update set likes = s.likes + excluded.likes;
  else
    insert into reed_stats as s (reed_id, likes)
    select target, sum(n.active::int - o.active::int) from new_rows n join old_rows o using (user_id, target)
    where n.active <> o.active group by target order by target
    on conflict (reed_id) do update set likes = greatest(0, s.likes + excluded.likes);
  end if;
  return null;
end $$;
create trigger likes_added after insert on likes referencing new table as new_rows for each statement execute function count_likes();
create trigger likes_changed after update on likes
  referencing new table as new_rows old table as old_rows for each statement execute function count_likes();

create function count_holders() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into reed_stats as s (reed_id, holders)
    select reed_id, count(*) from new_rows group by reed_id order by reed_id
    on conflict (reed_id) do update set holders = s.holders + excluded.holders;
  else
    insert into reed_stats as s (reed_id, holders)
    select reed_id, -count(*) from old_rows group by reed_id order by reed_id
    on conflict (reed_id) do update set holders = greatest(0, s.holders + excluded.holders);
  end if;
  return null;
end $$;
create trigger holders_added after insert on reed_allocations
  referencing new table as new_rows for each statement execute function count_holders();
create trigger holders_gone after delete on reed_allocations
  referencing old table as old_rows for each statement execute function count_holders();

-- A reed counts for the one it echoes and for every one above it from its publication to its removal.
create function count_relations() returns trigger language plpgsql as $$
begin
  with recursive changed as (
      select n.reply_to, n.echo_of,
        (n.published_at is not null and n.removed_at is null)::int - (o.published_at is not null and o.removed_at is null)::int as delta
      from new_rows n join old_rows o using (id)),
    above (reed_id, delta) as (
      select reply_to, delta from changed where delta <> 0 and reply_to is not null
      union all
      select r.reply_to, a.delta from above a join reeds r on r.id = a.reed_id where r.reply_to is not null),
    counted as (
      select reed_id, sum(echoes) as echoes, sum(replies) as replies from (
        select echo_of as reed_id, delta as echoes, 0 as replies from changed where delta <> 0 and echo_of is not null
        union all select reed_id, 0, delta from above) as each group by reed_id)
  insert into reed_stats as s (reed_id, echoes, replies)
  select reed_id, echoes, replies from counted order by reed_id
  on conflict (reed_id) do update set
    echoes = greatest(0, s.echoes + excluded.echoes), replies = greatest(0, s.replies + excluded.replies);
  return null;
end $$;
create trigger relations_changed after update on reeds
  referencing new table as new_rows old table as old_rows for each statement execute function count_relations();

insert into reed_stats (reed_id, holders) select reed_id, count(*) from reed_allocations group by reed_id;

-- Blocks and unblocks that their targets have not acknowledged: for each pair the newest. Owner: src/identity.
create table owed_notices (
  user_id text collate "C" not null references users (id),
  about_user_id text collate "C" not null,
  kind text not null check (kind in ('block', 'unblock')),
  statement_hash bytea not null references statements (hash),
  countersignature_hash text not null,
  primary key (user_id, about_user_id)
);

-- Who watches what, for as long as they are online. Owner: src/presence; rows end with the viewer's presence.
create unlogged table reed_subscriptions (
  viewer text collate "C" not null,
  target text collate "C" not null,
  primary key (viewer, target)
);
create index reed_subscriptions_target on reed_subscriptions (target);
create unlogged table profile_subscriptions (
  viewer text collate "C" not null,
  target text collate "C" not null,
  primary key (viewer, target)
);
create index profile_subscriptions_target on profile_subscriptions (target);
create unlogged table pipe_subscriptions (
  viewer text collate "C" not null,
  target text not null,
  primary key (viewer, target)
);
create index pipe_subscriptions_target on pipe_subscriptions (target);

-- The community stream. skipped counts what a listener was not sent since the last time it was.
create unlogged table broadcast_subscriptions (
  viewer text collate "C" primary key,
  served_at timestamptz not null default '-infinity',
  skipped integer not null default 0
);
create index broadcast_subscriptions_served on broadcast_subscriptions (served_at);

-- What was committed and has to be told: publications to whom they concern, removals and revocations to who has a copy. Taken by any
-- replica. looks: how often the holders of what was removed have been looked for. Owner: src/relay; written with what it is about.
create unlogged table pending_fanout (
  kind text collate "C" not null,
  subject_id text collate "C" not null,
  broadcast boolean not null default false,
  looks smallint not null default 0,
  due_at timestamptz not null,
  primary key (kind, subject_id)
);
create index pending_fanout_due on pending_fanout (due_at);

-- How far a member's catch-up has come, a row for each stage that is not through. Owner: src/relay; rows end with presence.
create unlogged table catchup_positions (
  user_id text collate "C" not null,
  stage text collate "C" not null,
  at timestamptz,
  id text collate "C",
  failures smallint not null default 0,
  due_at timestamptz not null,
  primary key (user_id, stage)
);
create index catchup_positions_due on catchup_positions (due_at);
drop index reed_mentions_user;
create index reed_mentions_user on reed_mentions (user_id, reed_id) where accepted;

drop index reeds_author_published;
create index reeds_author_published on reeds (author_id, published_at, id) where published_at is not null;
drop index reeds_reply_to;
create index reeds_reply_to on reeds (reply_to, id) where reply_to is not null;
create index reeds_replies on reeds (reply_to, published_at, id) where reply_to is not null and published_at is not null;

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
