-- What is folded of a day is another with another version: whoever has read it once need not read it again. A version is
-- never used twice, not even by a database that was restored from a backup, so it is drawn at random. The days that are
-- there begin with the same one: they differ by site and bounds.

alter table day_folds add column version uuid not null default '00000000-0000-0000-0000-000000000000';
alter table day_folds alter column version set default gen_random_uuid();

create function renew_fold_version() returns trigger language plpgsql as $$
begin
  new.version := gen_random_uuid();
  return new;
end
$$;

-- Values of a day are only ever written together with it. `folded_to` alone moves without anything to fold.
create trigger renew_version
before update of pageviews, custom_events, sessions, bounces, duration_ms, visitors on day_folds
for each row execute function renew_fold_version();
