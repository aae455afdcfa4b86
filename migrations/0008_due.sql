-- Until when a stage of a member's catch-up is somebody's: meanwhile the member's other stages wait, so that they keep their order.
alter table catchup_positions add column lease_until timestamptz;
alter table catchup_positions alter column lease_until set statistics 0;

-- What nobody online has is looked at apart from what moves: however much of it there is, what moves has a small index.
drop index pending_events_due;
create index pending_events_due on pending_events (due_at) where state not in (0, 4);
create index pending_events_dormant on pending_events (due_at) where state = 0;
