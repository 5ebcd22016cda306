-- Payments, and the revenue they make. Amounts are minor units.

create table payments (
  id uuid primary key default gen_random_uuid(),
  site_no integer not null,
  transaction_id text not null,
  amount_minor bigint not null check (amount_minor > 0),
  refunded_minor bigint not null default 0,
  currency text not null,
  visitor_id uuid,
  session_id uuid,
  email text,
  name text,
  customer_id text,
  -- Key of the customer whose first payment it may be: `c:` customer_id, else `e:` e-mail address in lower case, else `v:`
  -- visitor_id, else `p:` transaction_id.
  customer text,
  renewal boolean not null default false,
  refunded boolean not null default false,
  is_free_trial boolean not null default false,
  recurring boolean not null default false,
  paid_at timestamptz not null,
  source text not null check (source in ('api', 'processor')),
  created_at timestamptz not null default now(),
  unique (site_no, transaction_id)
);
create index payments_by_customer on payments (site_no, currency, customer, paid_at, id);
create index payments_by_time on payments (site_no, paid_at, id);

-- Further ids of a payment at its processor: charge and invoice of a payment intent.
create table payment_aliases (
  site_no integer not null,
  transaction_id text not null,
  payment_id uuid not null references payments on delete cascade,
  primary key (site_no, transaction_id)
);
create index payment_aliases_by_payment on payment_aliases (payment_id);

-- One row a payment, at the time it was made.
create table revenue (
  site_no integer not null,
  at timestamptz not null,
  payment_id uuid not null,
  currency text not null,
  amount_minor bigint not null,
  refunded_minor bigint not null default 0,
  is_recurring boolean not null,
  is_first_of_customer boolean not null default false,
  visitor_no integer,
  session_no bigint,
  session_at timestamptz
);
select create_hypertable('revenue', by_range('at', interval '30 days'), create_default_indexes => false);
create unique index revenue_once on revenue (site_no, at, payment_id);

-- Rows of revenue, events and mrr_movements whose visitor has no session yet. Read when a visitor gets the first one.
create table awaiting_visitors (
  site_no integer not null,
  visitor_id uuid not null,
  target text not null check (target in ('revenue', 'events', 'mrr_movements')),
  at timestamptz not null,
  -- payment_id of a row of revenue, id of the others
  id uuid not null,
  primary key (site_no, visitor_id, target, at, id)
);
