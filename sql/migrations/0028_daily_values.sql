-- Which distinct event names, property keys and error groups a site had on a UTC day, by the time of its hits: the first 10,000 of
-- each kind; what comes after them is stored as `(other)`. Of each the first 8 bytes of its SHA-256, one after the other in the order
-- they came, so that a day of a usual site is three rows of some hundred bytes.
create table daily_values (
  site_no integer not null,
  day date not null,
  kind text not null check (kind in ('event_name', 'property_key', 'error_group')),
  digests bytea not null,
  primary key (site_no, day, kind)
);
-- Hashes do not compress.
alter table daily_values alter column digests set storage external;
