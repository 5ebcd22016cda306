-- Reports and alerts go to the same addresses, under the same rules; all mails but reports wait in one queue.

-- A recipient without a frequency gets alerts alone.
alter table report_recipients rename to mail_recipients;

-- Addresses that have unsubscribed from anything, for ever: neither a deleted site nor a removed recipient changes it. They get
-- nothing that their owners have not agreed to since.
create table unsubscribed_addresses (
  -- SHA-256 of the address.
  digest bytea primary key,
  -- The last time.
  unsubscribed_at timestamptz not null
);
insert into unsubscribed_addresses (digest, unsubscribed_at)
select sha256(convert_to(address, 'UTF8')), max(unsubscribed_at)
from mail_recipients
where unsubscribed_at is not null
group by 1;

-- Mails of alerts and notices of the service. One row a subject and address: no mail is sent twice.
drop table alert_mails;
create table queued_mails (
  -- What the mail is about, such as an incident and its state.
  key text not null,
  address text not null,
  site_no integer not null,
  -- Who must still agree when the mail is sent. null: a notice to an owner of the team.
  recipient_id uuid,
  language text not null,
  subject text not null,
  paragraphs jsonb not null,
  created_at timestamptz not null,
  -- When it is tried next.
  next_at timestamptz not null,
  -- When it was handed to the mail server; set before.
  sent_at timestamptz,
  primary key (key, address)
);
create index queued_mails_waiting on queued_mails (next_at) where sent_at is null;
create index queued_mails_by_site on queued_mails (site_no, created_at);
create index queued_mails_by_age on queued_mails (created_at);

-- When the condition could last be judged, and when a test was last sent. An incident that is open may have been judged until now.
alter table alert_rules add column judged_at timestamptz;
update alert_rules set judged_at = checked_at;
alter table alert_rules add column tested_at timestamptz;

-- What a sentence about the incident is made of in each language. null: of an incident that is older than this migration.
alter table alert_incidents add column condition jsonb;
alter table alert_incidents add column currency text;
alter table alert_incidents add column goal_name text;
-- Why it is over; null while it is open.
alter table alert_incidents add column resolution text check (
  resolution in ('normal', 'goal_deleted', 'too_little_data', 'changed')
);
update alert_incidents set resolution = 'normal' where resolved_at is not null;

-- When hits were noted: alerts on a goal wait for those that are not compared with goals yet.
alter table goal_candidates add column noted_at timestamptz not null default now();
