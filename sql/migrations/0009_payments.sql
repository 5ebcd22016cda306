-- What recording payments needs beside the payments themselves.

-- Whose first payment it may be: customer_id, else the e-mail address in lower case, else the visitor, else the payment
-- itself, after a letter that says which of them.
alter table payments add column customer text;
update payments
set customer = coalesce('c:' || customer_id, 'e:' || lower(email), 'v:' || visitor_id, 'p:' || transaction_id);
create index payments_by_customer on payments (site_no, currency, customer, paid_at, id);
create index payments_by_time on payments (site_no, paid_at, id);

-- Other ids under which the processor knows the sale: charge and invoice of a payment intent.
create table payment_aliases (
  site_no integer not null,
  transaction_id text not null,
  payment_id uuid not null references payments on delete cascade,
  primary key (site_no, transaction_id)
);
create index payment_aliases_by_payment on payment_aliases (payment_id);

-- Rows of the three hypertables whose visitor has no session yet. Looked at when visitors have their first one.
create table awaiting_visitors (
  site_no integer not null,
  visitor_id uuid not null,
  target text not null check (target in ('revenue', 'events', 'mrr_movements')),
  at timestamptz not null,
  -- payment_id of revenue, id of the others
  id uuid not null,
  primary key (site_no, visitor_id, target, at, id)
);

-- One row a site, currency and bucket in which payments were made. Sums are numeric: two amounts can be beyond bigint's
-- exact range in JavaScript. What was wholly refunded adds nothing to them.
create materialized view revenue_15m
with (timescaledb.continuous, timescaledb.materialized_only = false) as
select
  site_no,
  currency,
  time_bucket(interval '15 minutes', at) as bucket,
  count(*) as recorded,
  count(*) filter (where refunded_minor < amount_minor) as payments,
  sum(amount_minor - refunded_minor) as revenue,
  sum(amount_minor - refunded_minor) filter (where is_recurring) as recurring,
  count(*) filter (where is_first_of_customer) as new_customers
from revenue
group by site_no, currency, time_bucket(interval '15 minutes', at)
with no data;
insert into horizons (aggregate) values ('revenue');
