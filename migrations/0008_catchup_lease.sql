-- Until when a stage of a member's catch-up is somebody's: meanwhile the member's other stages wait, so that they keep their order.
alter table catchup_positions add column lease_until timestamptz;
