import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { dayOf, type LocalDay, localDay, startOfDay } from '../../platform/time/local-time.ts'
import type { StatsSite } from '../query-context.ts'

/** Numbers that imported totals may have. */
export const TOTALS_NUMBERS = [
  'visitors',
  'sessions',
  'pageviews',
  'bounces',
  'duration_seconds',
  'events',
] as const
export type TotalsNumber = (typeof TOTALS_NUMBERS)[number]

/** Totals of one import by the same dimensions, for all days from its first to its last. */
export interface Family {
  familyNo: number
  /** A newer import has a larger one. */
  importNo: number
  /** Name of the product that counted. */
  product: string
  /** In the order of `totals_days.vals`; none: totals of the site. */
  dimensions: readonly string[]
  /** The other numbers are unknown. */
  numbers: readonly TotalsNumber[]
  /** Both ends included. */
  from: LocalDay
  to: LocalDay
  /** Of all days that the import brought. */
  rows: number
  days: number
}

/** Names of the products by the format of an import. */
export const PRODUCTS: Readonly<Record<string, string>> = {
  'plausible-totals': 'Plausible',
  fathom: 'Fathom',
  'ga4-totals': 'Google Analytics 4',
}

interface FamilyRow {
  familyNo: number
  importNo: number
  format: string
  dimensions: string[]
  numbers: string[]
  from: string
  to: string
  rows: number
  historyFrom: Date | null
}

/** Families of finished imports. */
const listFamilies = query<{ siteNo: number }, FamilyRow>(
  'list-totals-families',
  `select
    family_no as "familyNo",
    import_no as "importNo",
    format,
    dimensions,
    numbers,
    from_day::text as "from",
    to_day::text as "to",
    row_count as rows,
    history_from as "historyFrom"
  from totals_families
  join totals_imports using (site_no, import_no)
  join sites using (site_no)
  where site_no = :siteNo::int and is_ready`,
)

/**
 * Returns the families of imported totals of a site, cut to days before the site's first hit: live data always
 * wins. Days that were deleted with the history of the site are left out, too.
 */
export async function findFamilies(
  db: Queryable,
  { siteNo, timezone, firstEventAt }: Pick<StatsSite, 'siteNo' | 'timezone' | 'firstEventAt'>,
): Promise<Family[]> {
  const last = firstEventAt ? localDay(timezone, firstEventAt.getTime()) - 1 : Number.POSITIVE_INFINITY
  const rows = await listFamilies(db, { siteNo })
  return rows
    .map(({ from, to, historyFrom, format, numbers, ...family }) => ({
      ...family,
      product: PRODUCTS[format] ?? format,
      numbers: numbers as TotalsNumber[],
      days: dayOf(to) - dayOf(from) + 1,
      from: Math.max(dayOf(from), historyFrom ? localDay(timezone, historyFrom.getTime()) : 0),
      to: Math.min(dayOf(to), last),
    }))
    .filter(({ from, to }) => from <= to)
}

/** Returns the site as if it began with the first imported day: `range=all` then begins there. */
export function withImportedStart<Site extends Pick<StatsSite, 'timezone' | 'firstEventAt'>>(
  site: Site,
  families: readonly Family[],
): Site {
  if (families.length === 0) return site
  const first = startOfDay(site.timezone, Math.min(...families.map(({ from }) => from)))
  const own = site.firstEventAt?.getTime() ?? Number.POSITIVE_INFINITY
  return { ...site, firstEventAt: new Date(Math.min(own, first)) }
}
