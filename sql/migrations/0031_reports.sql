-- Reports by mail: who gets them, and which the mail server has taken.

create table report_recipients (
  id uuid primary key default gen_random_uuid(),
  site_no integer not null references sites on delete cascade,
  -- Lower case.
  address text not null,
  -- The user whose address it was when it was added: the row goes with the membership. null: the address of no user.
  user_id uuid references users on delete cascade,
  language text not null check (language in ('en', 'de')),
  -- Hour of the site's clocks from which on reports are sent.
  hour smallint not null check (hour between 0 and 23),
  -- Reports that were due before are not sent. null: no reports of this kind.
  daily_since timestamptz,
  weekly_since timestamptz,
  monthly_since timestamptz,
  -- What a report shows beside the traffic.
  sections text[] not null,
  -- No report about a period without hits.
  skips_empty boolean not null,
  -- When the address was last asked whether it wants reports; null: never.
  asked_at timestamptz,
  -- When its owner agreed, or when a user whose address is proven was added. null: nothing but the question is sent.
  confirmed_at timestamptz,
  unsubscribed_at timestamptz,
  -- A removed address is kept for a while, so that it is not asked again at once.
  removed_at timestamptz,
  tested_at timestamptz,
  created_by uuid references users on delete set null,
  created_at timestamptz not null,
  unique (site_no, address)
);
create index report_recipients_by_user on report_recipients (user_id);
create index report_recipients_by_creator on report_recipients (created_by);
create index report_recipients_by_address on report_recipients (address);

create table report_deliveries (
  recipient_id uuid not null references report_recipients on delete cascade,
  kind text not null check (kind in ('confirmation', 'daily', 'weekly', 'monthly')),
  -- The period: days of the site, both included. Of a confirmation, the UTC day on which it was asked for.
  first_day date not null,
  last_day date not null,
  -- handing_over: the mail server may have the mail, so nothing but its answer leads back to waiting.
  state text not null check (
    state in ('waiting', 'claimed', 'handing_over', 'sent', 'skipped', 'given_up', 'uncertain')
  ),
  attempts integer not null default 0,
  -- When it was to be sent, and when the service has seen that: later, when it was not running.
  due_at timestamptz not null,
  planned_at timestamptz not null,
  -- waiting: when to try next; claimed and handing_over: until when the claim holds.
  next_at timestamptz not null,
  -- Of the last step.
  changed_at timestamptz not null,
  -- Why the last attempt failed, and what the mail server said.
  problem text,
  response text,
  primary key (recipient_id, kind, first_day)
);
create index report_deliveries_open on report_deliveries (next_at) where state in ('waiting', 'claimed', 'handing_over');
