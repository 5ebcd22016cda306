-- Imports of the past of a site's payment processor (docs/import-money.md).

create table revenue_imports (
  site_no integer primary key,
  state text not null check (state in ('running', 'finished', 'failed')),
  -- Payments before it are not read; null: all are.
  from_at timestamptz,
  -- What is read now, and the id of the last object that was stored; null at its beginning.
  phase text not null,
  reached text,
  counts jsonb not null default '{}',
  -- Why it failed, or why it waits.
  failure text,
  -- Failures in a row that another attempt may help, and when the next one is.
  failures integer not null default 0,
  retry_at timestamptz,
  started_at timestamptz not null,
  finished_at timestamptz,
  -- Process that works on it now, and until when the others leave it alone.
  holder uuid,
  held_until timestamptz
);
create index revenue_imports_running on revenue_imports (started_at) where state = 'running';

-- What an import has read and not yet derived payments and movements from.
create table revenue_import_work (
  site_no integer not null,
  kind text not null check (kind in ('subscription', 'sale')),
  id text not null,
  primary key (site_no, kind, id)
);
