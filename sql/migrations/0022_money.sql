-- What the reads of money would otherwise add up from all payments and movements: one row a customer, one row a change of a
-- customer's MRR, and the visits that money is attributed to. Triggers keep them, since payments come, change, get a visitor and
-- go in many places. Amounts are minor units.

-- First and last time at which a subscription counted.
alter table subscriptions
  add column started_at timestamptz,
  -- Null while it counts.
  add column ended_at timestamptz;

-- A customer in a currency: payments by key of `payments.customer`, and MRR by `c:` customer_id of the subscription, else `s:`
-- subscription_id.
create table customers (
  site_no integer not null,
  currency text not null,
  customer text not null,
  -- All payments, and those that are not wholly refunded.
  recorded bigint not null default 0,
  payments bigint not null default 0,
  revenue_minor numeric not null default 0,
  first_paid_at timestamptz,
  last_paid_at timestamptz,
  -- Newest payment that is not wholly refunded.
  last_kept_at timestamptz,
  -- Of the newest payment.
  email text,
  name text,
  mrr_minor numeric not null default 0,
  -- Subscriptions whose MRR is above 0.
  subscriptions integer not null default 0,
  -- When its MRR first rose above 0.
  subscribed_at timestamptz,
  -- The first session of all visitors that its payments and movements are attributed to.
  first_visitor_no integer,
  first_session_no bigint,
  first_visit_at timestamptz,
  channel text not null default '',
  source text not null default '',
  referrer text not null default '',
  utm_source text not null default '',
  utm_medium text not null default '',
  utm_campaign text not null default '',
  utm_content text not null default '',
  utm_term text not null default '',
  country text not null default '',
  entry_path text not null default '',
  primary key (site_no, customer, currency)
) with (fillfactor = 85);
create index customers_by_payment on customers (site_no, currency, last_kept_at);
create index customers_by_visitor on customers (site_no, first_visitor_no) where first_visitor_no is not null;

-- Net change of a customer's MRR at a time. Derived from all movements of the customer: what cancels out leaves no row.
create table mrr_changes (
  site_no integer not null,
  currency text not null,
  customer text not null,
  at timestamptz not null,
  -- Null where only the number of subscriptions changed.
  kind text check (kind in ('new', 'expansion', 'contraction', 'churn', 'reactivation')),
  amount_minor numeric not null,
  -- Change of the number of subscriptions with MRR above 0.
  subscriptions integer not null,
  primary key (site_no, customer, currency, at)
);
create index mrr_changes_by_time on mrr_changes (site_no, currency, at) include (kind, amount_minor, subscriptions);

-- Sessions that payments and movements are attributed to: what never changes of them. A read of money would otherwise look up each
-- session in the columnstore.
create table money_sessions (
  site_no integer not null,
  session_no bigint not null,
  started_at timestamptz not null,
  session jsonb not null,
  primary key (site_no, session_no)
);
create index money_sessions_by_time on money_sessions (site_no, started_at);

create index revenue_by_visitor on revenue (site_no, visitor_no) where visitor_no is not null;
create index mrr_movements_by_visitor on mrr_movements (site_no, visitor_no) where visitor_no is not null;

-- Makes a session the first visit of customers if it is earlier than the one they have. PL/pgSQL keeps the plan: planning all chunks
-- of sessions for each payment would cost more than the lookup.
create function offer_first_visit(site integer, ids text[], visitor integer) returns void language plpgsql as $$
begin
  update customers set
    first_visitor_no = visitor, first_session_no = visit.session_no, first_visit_at = visit.started_at,
    channel = visit.channel, source = visit.source, referrer = visit.referrer, utm_source = visit.utm_source,
    utm_medium = visit.utm_medium, utm_campaign = visit.utm_campaign, utm_content = visit.utm_content,
    utm_term = visit.utm_term, country = visit.country, entry_path = visit.entry_path
  from (
    select first.*
    from visitors
    cross join lateral (
      select *
      from sessions
      where site_no = site and sessions.visitor_no = visitor and started_at >= visitors.first_seen_at
      order by started_at, session_no
      limit 1
    ) as first
    where visitors.visitor_no = visitor and visitors.site_no = site
  ) as visit
  where customers.site_no = site and customers.customer = any(ids)
    and (customers.first_visit_at is null
      or (visit.started_at, visit.session_no) < (customers.first_visit_at, customers.first_session_no));
end
$$;

-- A customer has one first visit in all currencies: the row of a new currency takes it from another.
create function inherit_first_visit() returns trigger language plpgsql as $$
declare
  known customers;
begin
  select * into known
  from customers
  where site_no = new.site_no and customer = new.customer and first_visit_at is not null
  limit 1;
  if found then
    new.first_visitor_no := known.first_visitor_no;
    new.first_session_no := known.first_session_no;
    new.first_visit_at := known.first_visit_at;
    new.channel := known.channel;
    new.source := known.source;
    new.referrer := known.referrer;
    new.utm_source := known.utm_source;
    new.utm_medium := known.utm_medium;
    new.utm_campaign := known.utm_campaign;
    new.utm_content := known.utm_content;
    new.utm_term := known.utm_term;
    new.country := known.country;
    new.entry_path := known.entry_path;
  end if;
  return new;
end
$$;

-- Customers that have money of a visitor.
create function customers_of_visitor(site integer, visitor integer) returns text[] language sql stable as $$
  select coalesce(array_agg(customer), '{}')
  from (
    select payments.customer
    from revenue
    join payments on payments.id = revenue.payment_id
    where revenue.site_no = site and revenue.visitor_no = visitor
    union
    select coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || movements.subscription_id)
    from mrr_movements as movements
    left join subscriptions using (site_no, subscription_id)
    where movements.site_no = site and movements.visitor_no = visitor
  ) as customer
$$;

-- Ids of the subscriptions of customers.
create function subscriptions_of_customers(site integer, ids text[]) returns text[] language sql stable as $$
  select coalesce(array_agg(subscription_id), '{}')
  from (
    select subscription_id
    from subscriptions
    where site_no = site and customer_id = any(array(select substr(key, 3) from unnest(ids) as key where key like 'c:_%'))
    union
    select substr(key, 3) from unnest(ids) as key where key like 's:%'
  ) as subscription
$$;

-- Whether a customer has money of a visitor.
create function has_money_of(site integer, customer_key text, visitor integer) returns boolean language sql stable as $$
  select exists (
    select
    from revenue
    join payments on payments.id = revenue.payment_id
    where revenue.site_no = site and revenue.visitor_no = visitor and payments.customer = customer_key
  ) or exists (
    select
    from mrr_movements
    where site_no = site and visitor_no = visitor and subscription_id = any(subscriptions_of_customers(site, array[customer_key]))
  )
$$;

-- Finds the first visit of customers again, whatever it was.
create function forget_first_visit(site integer, customer_keys text[]) returns void language plpgsql as $$
declare
  visitor integer;
  customer_key text;
begin
  update customers set
    first_visitor_no = null, first_session_no = null, first_visit_at = null, channel = '', source = '', referrer = '',
    utm_source = '', utm_medium = '', utm_campaign = '', utm_content = '', utm_term = '', country = '', entry_path = ''
  where site_no = site and customer = any(customer_keys) and first_visitor_no is not null;
  foreach customer_key in array customer_keys loop
    for visitor in
      select revenue.visitor_no
      from payments
      join revenue on revenue.site_no = site and revenue.at = payments.paid_at and revenue.payment_id = payments.id
      where payments.site_no = site and payments.customer = customer_key and revenue.visitor_no is not null
      union
      select visitor_no
      from mrr_movements
      where site_no = site and visitor_no is not null
        and subscription_id = any(subscriptions_of_customers(site, array[customer_key]))
    loop
      perform offer_first_visit(site, array[customer_key], visitor);
    end loop;
  end loop;
end
$$;

-- The same after one of the customer's visitors has gone. It stays while its visitor does: its session may be older than the
-- details of the site.
create function find_first_visit(site integer, customer_key text) returns void language plpgsql as $$
begin
  if exists (
    select
    from customers
    where site_no = site and customer = customer_key and first_visitor_no is not null
      and not has_money_of(site, customer_key, first_visitor_no)
  ) then
    perform forget_first_visit(site, array[customer_key]);
  end if;
end
$$;

-- Counts a payment for its customer, or takes it back. The times are looked up once the row is locked.
create function count_payment(paid payments, sign integer) returns void language plpgsql as $$
declare
  is_kept boolean := paid.refunded_minor < paid.amount_minor;
begin
  if paid.customer is null then return; end if;
  insert into customers as counted (site_no, currency, customer, recorded, payments, revenue_minor)
  values (
    paid.site_no, paid.currency, paid.customer, sign, sign * is_kept::integer,
    sign * (paid.amount_minor - paid.refunded_minor)
  )
  on conflict (site_no, currency, customer) do update set
    recorded = counted.recorded + excluded.recorded,
    payments = counted.payments + excluded.payments,
    revenue_minor = counted.revenue_minor + excluded.revenue_minor;
end
$$;

create function find_payment_times(site integer, paid_in text, customer_key text) returns void language plpgsql as $$
begin
  delete from customers
  where site_no = site and currency = paid_in and customer = customer_key and recorded = 0 and subscribed_at is null;
  if found then return; end if;
  update customers set
    (last_paid_at, email, name) = (
      select paid_at, payments.email, payments.name
      from payments
      where site_no = site and currency = paid_in and customer = customer_key
      order by paid_at desc, payments.id desc
      limit 1
    ),
    first_paid_at = (
      select paid_at
      from payments
      where site_no = site and currency = paid_in and customer = customer_key
      order by paid_at, payments.id
      limit 1
    ),
    last_kept_at = (
      select paid_at
      from payments
      where site_no = site and currency = paid_in and customer = customer_key and refunded_minor < amount_minor
      order by paid_at desc, payments.id desc
      limit 1
    )
  where customers.site_no = site and customers.currency = paid_in and customers.customer = customer_key;
end
$$;

create function count_changed_payment() returns trigger language plpgsql as $$
declare
  visitor integer;
begin
  -- The rows of a deleted site go with it.
  if tg_op = 'DELETE' and not exists (select from sites where site_no = old.site_no and deleted_at is null) then
    return null;
  end if;
  if tg_op <> 'INSERT' then perform count_payment(old, -1); end if;
  if tg_op <> 'DELETE' then perform count_payment(new, 1); end if;
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

-- Keeps the session that money was attributed to.
create function keep_money_session(site integer, session_started_at timestamptz, no bigint) returns void language plpgsql as $$
begin
  if exists (select from money_sessions where site_no = site and session_no = no) then return; end if;
  insert into money_sessions (site_no, session_no, started_at, session)
  select
    site_no, session_no, started_at,
    to_jsonb(sessions) - array[
      'site_no', 'session_no', 'started_at', 'visitor_no', 'first_at', 'last_at', 'duration_ms', 'pageviews', 'events',
      'visit_count', 'user_id', 'user_since', 'exit_path', 'exit_at'
    ]
  from sessions
  where sessions.site_no = site and sessions.started_at = session_started_at and sessions.session_no = no
  on conflict do nothing;
end
$$;

create function attribute_customer() returns trigger language plpgsql as $$
declare
  customer_key text;
begin
  if new.session_no is not null then perform keep_money_session(new.site_no, new.session_at, new.session_no); end if;
  if new.visitor_no is null and (tg_op = 'INSERT' or old.visitor_no is null) then return null; end if;
  -- tg_table_name would be that of a chunk.
  if tg_argv[0] = 'revenue' then
    select customer into customer_key from payments where payments.id = new.payment_id;
  else
    select 'c:' || nullif(customer_id, '') into customer_key
    from subscriptions
    where site_no = new.site_no and subscription_id = new.subscription_id;
    customer_key := coalesce(customer_key, 's:' || new.subscription_id);
  end if;
  if customer_key is null then return null; end if;
  if tg_op = 'UPDATE' and old.visitor_no is distinct from new.visitor_no then perform find_first_visit(new.site_no, customer_key); end if;
  if new.visitor_no is not null then perform offer_first_visit(new.site_no, array[customer_key], new.visitor_no); end if;
  return null;
end
$$;

-- A hit that came late may have opened an earlier session. Runs at the end of the transaction: sessions are stored after visitors.
create function offer_late_visit() returns trigger language plpgsql as $$
begin
  perform offer_first_visit(new.site_no, customers_of_visitor(new.site_no, new.visitor_no), new.visitor_no);
  return null;
end
$$;

-- Derives the changes of MRR of customers, and what `customers` has of them, from all their movements.
-- Called under the processor lock of the site.
create function derive_mrr_changes(site integer, ids text[]) returns void language plpgsql as $$
declare
  subscription_ids text[] := subscriptions_of_customers(site, ids);
  changes mrr_changes[];
  offered record;
begin
  with
    net as (
      select
        coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || movements.subscription_id) as customer,
        movements.currency, movements.subscription_id, movements.at, sum(movements.amount_minor) as amount
      from mrr_movements as movements
      left join subscriptions
        on subscriptions.site_no = site and subscriptions.subscription_id = movements.subscription_id
      where movements.site_no = site and movements.subscription_id = any(subscription_ids)
      group by 1, 2, 3, 4
    ),
    of_subscriptions as (
      select *, sum(amount) over (partition by currency, subscription_id order by at) as after
      from net
      where customer = any(ids)
    ),
    of_customers as (
      select
        customer, currency, at, sum(amount) as amount,
        sum((after > 0)::integer - (after - amount > 0)::integer) as subscriptions
      from of_subscriptions
      group by 1, 2, 3
    ),
    running as (
      select *, sum(amount) over (partition by customer, currency order by at) as after
      from of_customers
    ),
    known as (
      select
        *,
        max(after) over (partition by customer, currency order by at rows between unbounded preceding and 1 preceding) as most
      from running
    )
  select array_agg(row(
    site, currency, customer, at,
    case
      when amount = 0 then null
      when after - amount <= 0 and after > 0 then case when most > 0 then 'reactivation' else 'new' end
      when after - amount > 0 and after <= 0 then 'churn'
      when amount > 0 then 'expansion'
      else 'contraction'
    end,
    amount, subscriptions
  )::mrr_changes)
  into changes
  from known
  where amount <> 0 or subscriptions <> 0;

  delete from mrr_changes
  where site_no = site and customer = any(ids)
    and not exists (
      select
      from unnest(changes) as derived
      where derived.currency = mrr_changes.currency and derived.customer = mrr_changes.customer and derived.at = mrr_changes.at
    );
  insert into mrr_changes as recorded select * from unnest(changes)
  on conflict (site_no, currency, customer, at) do update set
    kind = excluded.kind, amount_minor = excluded.amount_minor, subscriptions = excluded.subscriptions
  where (recorded.kind, recorded.amount_minor, recorded.subscriptions)
    is distinct from (excluded.kind, excluded.amount_minor, excluded.subscriptions);

  update customers set mrr_minor = 0, subscriptions = 0, subscribed_at = null
  where site_no = site and customer = any(ids) and subscribed_at is not null
    and not exists (
      select
      from unnest(changes) as derived
      where derived.currency = customers.currency and derived.customer = customers.customer
    );
  delete from customers
  where site_no = site and customer = any(ids) and recorded = 0 and subscribed_at is null;
  insert into customers as counted (site_no, currency, customer, mrr_minor, subscriptions, subscribed_at)
  select site, currency, customer, sum(amount_minor), sum(subscriptions), min(at)
  from unnest(changes)
  group by currency, customer
  on conflict (site_no, currency, customer) do update set
    mrr_minor = excluded.mrr_minor, subscriptions = excluded.subscriptions, subscribed_at = excluded.subscribed_at
  where (counted.mrr_minor, counted.subscriptions, counted.subscribed_at)
    is distinct from (excluded.mrr_minor, excluded.subscriptions, excluded.subscribed_at);

  for offered in
    select distinct
      movements.visitor_no,
      coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || movements.subscription_id) as customer
    from mrr_movements as movements
    left join subscriptions on subscriptions.site_no = site and subscriptions.subscription_id = movements.subscription_id
    where movements.site_no = site and movements.subscription_id = any(subscription_ids) and movements.visitor_no is not null
  loop
    perform offer_first_visit(site, array[offered.customer], offered.visitor_no);
  end loop;
end
$$;

-- What is there already. Nothing is written meanwhile: each payment must be counted once, here or by the triggers.
lock table payments, revenue, mrr_movements, subscriptions in share row exclusive mode;

update subscriptions set
  started_at = moved.started_at,
  ended_at = case when status not in ('active', 'past_due') then moved.ended_at end
from (
  select
    site_no, subscription_id,
    min(at) filter (where kind = 'start') as started_at, max(at) filter (where kind = 'end') as ended_at
  from mrr_movements
  group by 1, 2
) as moved
where subscriptions.site_no = moved.site_no and subscriptions.subscription_id = moved.subscription_id;

-- Movements do not tell when a free subscription began to count, nor when corrections did: their facts do.
insert into recompute_queue (site_no, subscription_id)
select site_no, subscription_id from subscriptions
on conflict do nothing;

insert into customers (
  site_no, currency, customer, recorded, payments, revenue_minor, first_paid_at, last_paid_at, last_kept_at, email, name
)
select
  site_no, currency, customer, count(*), count(*) filter (where refunded_minor < amount_minor),
  sum(amount_minor - refunded_minor), min(paid_at), max(paid_at),
  max(paid_at) filter (where refunded_minor < amount_minor),
  (array_agg(email order by paid_at desc, id desc))[1], (array_agg(name order by paid_at desc, id desc))[1]
from payments
where customer is not null
group by 1, 2, 3;

select derive_mrr_changes(site_no, array_agg(distinct customer))
from (
  select
    movements.site_no, coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || movements.subscription_id) as customer
  from mrr_movements as movements
  left join subscriptions using (site_no, subscription_id)
) as moved
group by site_no;

select offer_first_visit(paid.site_no, array_agg(paid.customer), paid.visitor_no)
from (
  select distinct revenue.site_no, payments.customer, revenue.visitor_no
  from revenue
  join payments on payments.id = revenue.payment_id
  where revenue.visitor_no is not null
) as paid
group by paid.site_no, paid.visitor_no;

select keep_money_session(site_no, session_at, session_no)
from (
  select site_no, session_at, session_no from revenue where session_no is not null
  union
  select site_no, session_at, session_no from mrr_movements where session_no is not null
) as attributed;

create trigger inherit_first_visit before insert on customers
  for each row execute function inherit_first_visit();
create trigger count_customer after insert or delete or update of
  customer, currency, amount_minor, refunded_minor, paid_at, email, name on payments
  for each row execute function count_changed_payment();
create trigger attribute_customer after insert or update of visitor_no, session_no on revenue
  for each row execute function attribute_customer('revenue');
create trigger attribute_customer after insert or update of visitor_no, session_no on mrr_movements
  for each row execute function attribute_customer('mrr_movements');
create constraint trigger offer_late_visit after update of first_seen_at on visitors
  deferrable initially deferred
  for each row when (new.first_seen_at < old.first_seen_at) execute function offer_late_visit();
