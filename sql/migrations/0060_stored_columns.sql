-- Columns of days that are over, so that they need not be made from rows again. A block is as the rows while the exclusive or of the stamps of
-- sessions that started on its day is the same.
create table column_blocks (
  site_no integer not null,
  -- A day UTC.
  starts_at timestamptz not null,
  -- Blocks of another form are made anew: see src/columns/encode-block.ts.
  form integer not null,
  stamp bigint not null,
  data bytea not null,
  primary key (site_no, starts_at)
);
alter table column_blocks alter column data set storage external;

-- Payments and MRR movements are in columns, too, by their own time.
alter table new_stamps drop constraint new_stamps_kind_check;
alter table new_stamps add constraint new_stamps_kind_check check (kind in ('sessions', 'service', 'money'));

create function stamp_money_at(site integer, at timestamptz) returns void language sql as $$
  insert into new_stamps (site_no, kind, starts_at, minutes, stamp)
  select site, 'money', date_bin(length * interval '1 minute', at, '2000-01-01T00:00:00Z'), length,
    hashtextextended(gen_random_uuid()::text, 0)
  from (
    select case when at > now() - interval '3 hours' then 1 when at > now() - interval '3 days' then 60 else 1440 end as length
  ) as span
$$;

create function stamp_money() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform stamp_money_at(old.site_no, old.at); end if;
  if tg_op <> 'DELETE' then perform stamp_money_at(new.site_no, new.at); end if;
  return null;
end
$$;

-- The customer of a payment, and of the movements of a subscription.
create function stamp_money_of_payment() returns trigger language plpgsql as $$
begin
  perform stamp_money_at(new.site_no, new.paid_at);
  return null;
end
$$;

create function stamp_money_of_subscription() returns trigger language plpgsql as $$
begin
  perform stamp_money_at(site_no, at)
  from mrr_movements
  where site_no = new.site_no and subscription_id = new.subscription_id;
  return null;
end
$$;

create trigger stamp_money after insert or delete or update on revenue
  for each row execute function stamp_money();
create trigger stamp_money after insert or delete or update on mrr_movements
  for each row execute function stamp_money();
create trigger stamp_money after insert or delete or update on mrr_changes
  for each row execute function stamp_money();
create trigger stamp_money after update of customer on payments
  for each row execute function stamp_money_of_payment();
create trigger stamp_money after insert or update of customer_id on subscriptions
  for each row execute function stamp_money_of_subscription();
