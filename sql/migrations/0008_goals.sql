-- Goals in the order in which they were made: those of one batch have one time.
alter table goals add column goal_no bigint generated always as identity;
