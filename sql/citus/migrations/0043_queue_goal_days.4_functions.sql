-- Functions that others or triggers of distributed tables call, which run on the worker that has the row. As in 0022_money.sql, but every
-- join is one within the site, and none is in the language SQL, whose parameters Citus does not know when it plans.

create function note_deleted_site() returns trigger language plpgsql as $$
begin
  insert into deleted_sites (site_no) values (new.site_no) on conflict do nothing;
  return null;
end
$$;
create trigger note_deleted_site after update of deleted_at on sites
  for each row when (new.deleted_at is not null) execute function note_deleted_site();

create or replace function customers_of_visitor(site integer, visitor integer) returns text[] language plpgsql stable as $$
begin
  return coalesce((
    select array_agg(customer)
    from (
      select payments.customer
      from revenue
      join payments on payments.site_no = site and payments.id = revenue.payment_id
      where revenue.site_no = site and revenue.visitor_no = visitor
      union
      select coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || movements.subscription_id)
      from mrr_movements as movements
      left join subscriptions
        on subscriptions.site_no = site and subscriptions.subscription_id = movements.subscription_id
      where movements.site_no = site and movements.visitor_no = visitor
    ) as customer
  ), '{}');
end
$$;

create or replace function subscriptions_of_customers(site integer, ids text[]) returns text[] language plpgsql stable as $$
begin
  return coalesce((
    select array_agg(subscription_id)
    from subscriptions
    where site_no = site and customer_id = any(array(select substr(key, 3) from unnest(ids) as key where key like 'c:_%'))
  ), '{}') || array(select substr(key, 3) from unnest(ids) as key where key like 's:%');
end
$$;

create or replace function has_money_of(site integer, customer_key text, visitor integer) returns boolean
language plpgsql stable as $$
declare
  subscription_ids text[] := subscriptions_of_customers(site, array[customer_key]);
begin
  return exists (
    select
    from revenue
    join payments on payments.site_no = site and payments.id = revenue.payment_id
    where revenue.site_no = site and revenue.visitor_no = visitor and payments.customer = customer_key
  ) or exists (
    select
    from mrr_movements
    where site_no = site and visitor_no = visitor and subscription_id = any(subscription_ids)
  );
end
$$;

-- Deletes at most `most` rows of a site from each table, and returns how many it has deleted: those of src/sites/purge-deleted-sites.ts. Left
-- out are sites themselves, and what is deleted with marks: hits, sessions, money, reports, replays, kept buckets, and derived tables.
create function purge_rows(site integer, most integer) returns integer language plpgsql as $$
declare
  table_name text;
  gone integer;
  total integer := 0;
begin
  for table_name in
    select columns.table_name
    from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and column_name = 'site_no' and table_type = 'BASE TABLE'
      and columns.table_name not in (
        'sites', 'deleted_sites', 'events', 'sessions', 'revenue', 'mrr_movements', 'web_vitals', 'replay_chunks', 'session_replays',
        'kept_hit_buckets', 'kept_session_buckets', 'hits_15m_counted', 'log_15m_counted', 'sessions_15m_counted',
        'revenue_15m_counted', 'dirty_buckets'
      )
    order by 1
  loop
    execute format(
      'delete from %1$I where site_no = %2$s and ctid = any(array(select ctid from %1$I where site_no = %2$s limit %3$s))',
      table_name, site, most
    );
    get diagnostics gone = row_count;
    total := total + gone;
  end loop;
  delete from dirty_buckets where site_no = site and aggregate = 'daily_rollups';
  get diagnostics gone = row_count;
  return total + gone;
end
$$;

create or replace function forget_first_visit(site integer, customer_keys text[]) returns void language plpgsql as $$
declare
  visitor integer;
  customer_key text;
  subscription_ids text[];
begin
  update customers set
    first_visitor_no = null, first_session_no = null, first_visit_at = null, channel = '', source = '', referrer = '',
    utm_source = '', utm_medium = '', utm_campaign = '', utm_content = '', utm_term = '', country = '', entry_path = ''
  where site_no = site and customer = any(customer_keys) and first_visitor_no is not null;
  foreach customer_key in array customer_keys loop
    subscription_ids := subscriptions_of_customers(site, array[customer_key]);
    for visitor in
      select revenue.visitor_no
      from payments
      join revenue on revenue.site_no = site and revenue.at = payments.paid_at and revenue.payment_id = payments.id
      where payments.site_no = site and payments.customer = customer_key and revenue.visitor_no is not null
      union
      select visitor_no
      from mrr_movements
      where site_no = site and visitor_no is not null and subscription_id = any(subscription_ids)
    loop
      perform offer_first_visit(site, array[customer_key], visitor);
    end loop;
  end loop;
end
$$;

create or replace function find_first_visit(site integer, customer_key text) returns void language plpgsql as $$
declare
  visitor integer;
begin
  select max(first_visitor_no) into visitor
  from customers
  where site_no = site and customer = customer_key and first_visitor_no is not null;
  if visitor is not null and not has_money_of(site, customer_key, visitor) then
    perform forget_first_visit(site, array[customer_key]);
  end if;
end
$$;

-- `new` and `old` have the row type of a shard, so the fields of a payment are passed one by one.
drop function count_payment(payments, integer);
create function count_payment(
  site integer, paid_in text, customer_key text, amount bigint, refunded bigint, sign integer
)
returns void language plpgsql as $$
begin
  if customer_key is null then return; end if;
  insert into customers as counted (site_no, currency, customer, recorded, payments, revenue_minor)
  values (site, paid_in, customer_key, sign, sign * (refunded < amount)::integer, sign * (amount - refunded))
  on conflict (site_no, currency, customer) do update set
    recorded = counted.recorded + excluded.recorded,
    payments = counted.payments + excluded.payments,
    revenue_minor = counted.revenue_minor + excluded.revenue_minor;
end
$$;

create or replace function count_changed_payment() returns trigger language plpgsql as $$
declare
  visitor integer;
begin
  -- The rows of a deleted site go with it.
  if tg_op = 'DELETE' and exists (select from deleted_sites where site_no = old.site_no) then return null; end if;
  if tg_op <> 'INSERT' then
    perform count_payment(old.site_no, old.currency, old.customer, old.amount_minor, old.refunded_minor, -1);
  end if;
  if tg_op <> 'DELETE' then
    perform count_payment(new.site_no, new.currency, new.customer, new.amount_minor, new.refunded_minor, 1);
  end if;
  if tg_op <> 'INSERT' then
    perform find_payment_times(old.site_no, old.currency, old.customer);
    if tg_op = 'DELETE' or new.customer <> old.customer then perform find_first_visit(old.site_no, old.customer); end if;
  end if;
  if tg_op <> 'DELETE' then
    perform find_payment_times(new.site_no, new.currency, new.customer);
  end if;
  if tg_op = 'UPDATE' and new.customer <> old.customer then
    select visitor_no into visitor from revenue where site_no = new.site_no and at = new.paid_at and payment_id = new.id;
    if visitor is not null then perform offer_first_visit(new.site_no, array[new.customer], visitor); end if;
  end if;
  return null;
end
$$;

-- The rest stays as it is, but for what it compares with.
do $$
declare
  definition text;
begin
  for definition in
    select pg_get_functiondef(pg_proc.oid)
    from pg_proc
    where pronamespace = 'public'::regnamespace and prokind = 'f' and proname in (
      'renew_rollup_version', 'offer_first_visit', 'inherit_first_visit', 'find_payment_times',
      'keep_money_session', 'attribute_customer', 'offer_late_visit',
      'derive_mrr_changes'
    )
  loop
    definition := replace(
      definition, 'from payments where payments.id = new.payment_id',
      'from payments where payments.site_no = new.site_no and payments.id = new.payment_id'
    );
    execute definition;
  end loop;
end
$$;
