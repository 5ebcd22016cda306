-- Erasures of people (docs/decisions/030-erasure.md).

create table erasures (
  id uuid primary key default gen_random_uuid(),
  site_no integer not null,
  -- What was asked for: a visitor id or an identifier. Removed when the erasure is finished.
  person text,
  requested_at timestamptz not null,
  -- Present step of the work, and the time that its walk over the site's rows has reached; null before its first slice.
  step text not null default 'prepare'
    check (step in ('prepare', 'sessions', 'resolve', 'money', 'rest', 'visitors', 'values', 'finished')),
  reached timestamptz,
  finished_at timestamptz,
  check ((step = 'finished') = (finished_at is not null)),
  check (finished_at is null or person is null)
);
-- A person that is asked for again while the erasure runs has no second one.
create unique index erasures_running on erasures (site_no, person) where person is not null;
create index erasures_by_site on erasures (site_no, requested_at, id);

-- What the steps of a running erasure have found so far. Deleted when it is finished.
create table erasure_items (
  erasure_id uuid not null,
  site_no integer not null,
  kind text not null,
  value text not null,
  primary key (erasure_id, kind, value)
);
create index erasure_items_by_site on erasure_items (site_no);

-- Finds the visitors for whom an identity waits.
create index visitors_by_pending on visitors (site_no, pending_identifier) where pending_identifier is not null;
create index payments_by_visitor on payments (site_no, visitor_id) where visitor_id is not null;
create index processor_facts_by_visitor on processor_facts (site_no, visitor_id) where visitor_id is not null;
