-- Days of imported totals after the one at :key, with the import and the place of their family among those of the import.
select
  array[family_no::text, day::text, key::text] as key,
  (
    to_jsonb(totals_days) - array['site_no', 'family_no']
    || jsonb_build_object('import_id', family.import_id, 'place', family.place)
  )::text as line
from totals_days
join (
  select
    family_no, totals_imports.id as import_id,
    row_number() over (partition by import_no order by family_no) as place
  from totals_families
  join totals_imports using (site_no, import_no)
  where site_no = :siteNo::int and is_ready and removed_at is null
) as family using (family_no)
where
  site_no = :siteNo::int
  and (family_no, day, totals_days.key) > (
    coalesce(nullif((:key::text[])[1], ''), '0')::bigint,
    coalesce(nullif((:key::text[])[2], ''), '-infinity')::date,
    coalesce(nullif((:key::text[])[3], ''), '00000000-0000-0000-0000-000000000000')::uuid
  )
order by family_no, day, totals_days.key
limit :limit::int
