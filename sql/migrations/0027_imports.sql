-- Histories of other products: what was uploaded, what became of it, and what it brought.

-- Format of the import that made the visitor; null for visitors of live hits and of hits:import. Their ids are never those of live
-- visitors, so all that they did can be removed again.
alter table visitors add column imported_as text;
create index visitors_imported on visitors (site_no, imported_as, visitor_no) where imported_as is not null;
-- Null from the first live hit on that says something of the user.
alter table identities add column imported_as text;

create table imports (
  id uuid primary key,
  site_no integer not null,
  kind text not null,
  format text not null,
  -- What the file holds several of, and the zone of times that name none.
  website text,
  timezone text not null,
  file_name text not null,
  bytes bigint not null,
  state text not null check (
    state in ('uploading', 'checking', 'checked', 'importing', 'done', 'failed', 'canceled', 'expired', 'undoing', 'undone')
  ),
  -- What the dry run found, and what the import brought.
  checked jsonb,
  result jsonb,
  -- Of the task in progress: {part, note}.
  progress jsonb,
  error text,
  -- True from the first hit on that the import may have stored.
  has_written boolean not null default false,
  -- Null for the command line.
  created_by uuid references users on delete set null,
  created_at timestamptz not null,
  -- Of the latest task; null before the first.
  requested_at timestamptz,
  finished_at timestamptz,
  -- The process that works on it, and until when others leave it alone.
  claimed_by uuid,
  claimed_until timestamptz,
  -- Of the latest task; it is tried again after most of them.
  failures integer not null default 0
);
create index imports_by_site on imports (site_no, created_at desc, id);
create index imports_by_creator on imports (created_by);
create index imports_waiting on imports (requested_at) where state in ('checking', 'importing', 'undoing');

-- The file of an import, in parts of 4 MiB, until the import ends.
create table import_parts (
  import_id uuid not null,
  number integer not null,
  site_no integer not null,
  content bytea not null,
  primary key (import_id, number)
);
-- Ranges of a part are read without unpacking all of it.
alter table import_parts alter column content set storage external;
create index import_parts_by_site on import_parts (site_no);
