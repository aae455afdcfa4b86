-- Reeds of other servers that were asked for by their id: known, and told to nobody. Their home's stream may still bring them, and then they are.
alter table reeds add column fetched boolean not null default false;
