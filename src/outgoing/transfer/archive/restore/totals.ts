import { query } from '../../../../platform/db/query.ts'
import type { Rows } from './line-blocks.ts'

export const restoreTotalsImports = query<Rows>(
  'restore-totals-imports',
  `insert into totals_imports overriding user value
  select given.*
  from jsonb_array_elements(:rows::text::jsonb) with ordinality as line (content, number)
  cross join lateral jsonb_populate_record(
    null::totals_imports, line.content || jsonb_build_object('site_no', :siteNo::int)
  ) as given
  order by line.number`,
)

/** In their order, in which days name them. */
export const restoreTotalsFamilies = query<Rows>(
  'restore-totals-families',
  `insert into totals_families overriding user value
  select given.*
  from jsonb_array_elements(:rows::text::jsonb) with ordinality as line (content, number)
  join totals_imports on totals_imports.id = (line.content ->> 'import_id')::uuid and totals_imports.site_no = :siteNo::int
  cross join lateral jsonb_populate_record(
    null::totals_families,
    line.content || jsonb_build_object('site_no', :siteNo::int, 'import_no', totals_imports.import_no)
  ) as given
  order by line.number`,
)

export const restoreTotalsDays = query<Rows>(
  'restore-totals-days',
  `insert into totals_days
  select given.*
  from jsonb_array_elements(:rows::text::jsonb) as line
  join (
    select
      family_no, totals_imports.id as import_id,
      row_number() over (partition by import_no order by family_no) as place
    from totals_families
    join totals_imports using (site_no, import_no)
    where site_no = :siteNo::int
  ) as family
    on family.import_id = (line ->> 'import_id')::uuid and family.place = (line ->> 'place')::bigint
  cross join lateral jsonb_populate_record(
    null::totals_days, line || jsonb_build_object('site_no', :siteNo::int, 'family_no', family.family_no)
  ) as given
  on conflict (site_no, family_no, day, key) do nothing`,
)
