import { query } from '../../src/platform/db/query.ts'

/** Moves sites to the team of the measurements. */
export const takeSites = query<{ first: number; last: number }>(
  'bench-take-sites',
  `update sites set team_id = (select id from teams where name = 'Benchmark')
  where site_no >= :first::int and site_no <= :last::int`,
)

/** Moves sites back to the teams that their domains name. */
export const returnSites = query(
  'bench-return-sites',
  `update sites set team_id = teams.id
  from teams
  where split_part(domain, '.', 2) = replace(lower(name), ' ', '-')
    and team_id = (select id from teams where name = 'Benchmark')`,
)

export const findActiveSites = query<{ first: number; last: number }, { key: string }>(
  'bench-find-keys',
  'select tracking_key as key from sites where site_no >= :first::int and site_no <= :last::int',
)

export const deleteSite = query<{ siteNo: number; at: Date }>(
  'bench-delete-site',
  'update sites set deleted_at = :at::timestamptz where site_no = :siteNo::int',
)

export const isPurged = query<{ siteNo: number }, { isPurged: boolean }>(
  'bench-is-purged',
  'select purged_at is not null as "isPurged" from sites where site_no = :siteNo::int',
)

export const keepDetails = query<{ months: number | null }>(
  'bench-keep-details',
  'update sites set retention_months = :months::int where deleted_at is null',
)
