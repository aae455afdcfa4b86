-- Nothing of an UNLOGGED table may outlive a stop. ANALYZE, which autovacuum runs by itself, copies the commonest and some other values of
-- each column to pg_statistic, which is logged and stays: who was online, who asked for what. So these columns have none. Owner: db.

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
    perform pg_clear_attribute_stats(col.space, col.tab, col.name, false);
  end loop;
end
$$;
