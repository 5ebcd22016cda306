-- Named sets of filters.

create table segments (
  id uuid primary key default gen_random_uuid(),
  site_no integer not null references sites on delete cascade,
  name text not null,
  -- Conditions by dimension, goals and properties, as the API takes them.
  filters jsonb not null,
  -- Whose personal segment it is; null: it belongs to the site.
  user_id uuid references users on delete cascade,
  created_by uuid references users on delete set null,
  created_at timestamptz not null,
  changed_at timestamptz not null
);
create index segments_by_site on segments (site_no);
create index segments_by_user on segments (user_id);
create index segments_by_creator on segments (created_by);
