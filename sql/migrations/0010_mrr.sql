-- What the payment processor said, and what was made of it.

-- One row an event and object, reduced to what payments, lifecycle and MRR are made of. States are put in order by the
-- time of the event, so all of them are kept: one that comes late changes what was made of the later ones.
create table processor_facts (
  site_no integer not null,
  event_id text not null,
  kind text not null,
  -- By the processor's clock.
  at timestamptz not null,
  object_id text not null,
  subscription_id text,
  customer_id text,
  -- Ids under which the processor knows one sale: invoice, payment intent, charge.
  sale_ids text[] not null,
  -- Visitor that the shop named.
  visitor_id uuid,
  body jsonb not null,
  primary key (site_no, event_id, kind, object_id)
);
create index processor_facts_by_subscription on processor_facts (site_no, subscription_id)
  where subscription_id is not null;
create index processor_facts_by_customer on processor_facts (site_no, customer_id) where customer_id is not null;
create index processor_facts_by_object on processor_facts (site_no, kind, object_id);
create index processor_facts_by_sale on processor_facts using gin (sale_ids);

-- The service-written events of each subscription, so that those that a late event makes wrong are found.
create table milestones (
  site_no integer not null,
  subscription_id text not null,
  name text not null,
  -- The processor's event, or the invoice, that it comes from.
  key text not null,
  at timestamptz not null,
  visitor_id uuid,
  primary key (site_no, subscription_id, name, key)
);

create index subscriptions_by_customer on subscriptions (site_no, customer_id) where customer_id is not null;
create index mrr_movements_by_subscription on mrr_movements (site_no, subscription_id);
