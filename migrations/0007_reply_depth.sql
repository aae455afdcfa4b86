-- A reply counts for so many reeds above it and no more: whoever answers themselves without an end makes no statement of anybody's longer.
-- By the index, whatever the planner knows of the tables: a scan for each level would be quadratic.
create or replace function count_relations() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  with recursive changed as (
      select n.reply_to, n.echo_of,
        (n.published_at is not null and n.removed_at is null)::int - (o.published_at is not null and o.removed_at is null)::int as delta
      from new_rows n join old_rows o using (id)),
    above (reed_id, delta, level) as (
      select reply_to, delta, 1 from changed where delta <> 0 and reply_to is not null
      union all
      select r.reply_to, a.delta, a.level + 1 from above a cross join lateral (select reply_to from reeds where id = a.reed_id limit 1) r
      where r.reply_to is not null and a.level < 1000),
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
