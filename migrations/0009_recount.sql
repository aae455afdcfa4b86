-- What was echoed and answered before there were counts is counted; and all is counted anew, as the triggers of 0007 do it. Owner: src/reeds.

with recursive shown as (
    select reply_to, echo_of from reeds where published_at is not null and removed_at is null),
  above (reed_id, level) as (
    select reply_to, 1 from shown where reply_to is not null
    union all
    select r.reply_to, a.level + 1 from above a join reeds r on r.id = a.reed_id where r.reply_to is not null and a.level < 1000),
  counted as (
    select reed_id, sum(echoes) as echoes, sum(replies) as replies from (
      select echo_of as reed_id, 1 as echoes, 0 as replies from shown where echo_of is not null
      union all select reed_id, 0, 1 from above) as each group by reed_id),
  uncounted as (
    update reed_stats s set echoes = 0, replies = 0
    where (s.echoes > 0 or s.replies > 0) and not exists (select from counted c where c.reed_id = s.reed_id))
insert into reed_stats as s (reed_id, echoes, replies)
select reed_id, echoes, replies from counted order by reed_id
on conflict (reed_id) do update set echoes = excluded.echoes, replies = excluded.replies;
