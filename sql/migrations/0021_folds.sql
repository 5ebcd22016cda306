-- What days count, ready to be added up: a read costs as much as there are days and values, not as there are hits.
-- A fold of a day holds its hits before `folded_to`, and of the sessions that started in it those that had been silent
-- for half an hour by then, so that nothing but a late hit changes them. Whoever changes what a fold may hold marks the
-- day dirty in the same transaction, and readers count the day from raw rows until it is folded anew.
-- Keyed by its bounds: a change of time zone cannot match a wrong day.

create table day_folds (
  site_no integer not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  folded_to timestamptz not null,
  pageviews bigint not null,
  custom_events bigint not null,
  sessions bigint not null,
  bounces bigint not null,
  duration_ms bigint not null,
  -- Serialized roaring bitmap of visitor_no.
  visitors bytea not null,
  primary key (site_no, starts_at, ends_at)
);
alter table day_folds alter column visitors set storage external;

-- The values a dimension had on a day that is folded; no row where it had none.
create table value_folds (
  site_no integer not null,
  dimension text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- Columns of counts, one entry a value; null where there were too many to be worth it.
  counts bytea,
  -- The visitor_no of each value, in the order of `counts`.
  visitors bytea,
  primary key (site_no, dimension, starts_at, ends_at)
);
alter table value_folds alter column counts set storage external;
alter table value_folds alter column visitors set storage external;

-- What values are called: folds hold their numbers.
create table fold_texts (
  text_no integer generated always as identity primary key,
  site_no integer not null,
  -- md5 of the text, which may be longer than an index takes
  digest uuid not null,
  text text not null,
  unique (site_no, digest)
);

-- Every local day of the time zone from `folded_from` to now is folded, or will be with the scheduler's next round.
create table fold_spans (
  site_no integer primary key,
  timezone text not null,
  folded_from timestamptz not null
);

insert into horizons (aggregate) values ('folds');
