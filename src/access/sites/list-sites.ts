import { domainToUnicode } from 'node:url'
import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { percentChange } from '../../platform/lib/numbers.ts'
import { capped, presentCappedRevenue } from '../../platform/schema/amounts.ts'
import type { Services } from '../../platform/services.ts'
import { type ListPeriod, listWindow } from '../../platform/time/list-window.ts'
import { toWindow } from '../../platform/time/range.ts'
import { runTask } from '../../storage/rollups/protocol.ts'
import type { Caller } from '../teams/caller.ts'
import {
  type ListSites,
  presentSite,
  SITE_COLUMNS,
  type SiteListItem,
  type SiteRecord,
} from './site-schema.ts'

interface Money {
  /** A payment processor is connected, or payments came through the API or from a file. */
  hasRevenue: boolean
  /** At least one payment was recorded; without one, revenue is not read. */
  hasPayments: boolean
}

type ListedSite = SiteRecord & Money

const selectSites = query<{ teamId: string; siteIds: string[] | null }, SiteRecord>(
  'list-sites',
  `select ${SITE_COLUMNS}
  from sites
  where team_id = :teamId and deleted_at is null and (:siteIds::uuid[] is null or id = any(:siteIds))`,
)

const findMoney = query<{ siteNos: number[] }, Money & { siteNo: number }>(
  'find-money-of-sites',
  `select
    site_no as "siteNo",
    exists (select from processor_connections where processor_connections.site_no = asked.site_no)
    or exists (select from processor_facts where processor_facts.site_no = asked.site_no and event_id = 'file')
    or exists (select from payments where payments.site_no = asked.site_no and source = 'api') as "hasRevenue",
    exists (select from payments where payments.site_no = asked.site_no) as "hasPayments"
  from unnest(:siteNos::int[]) as asked (site_no)`,
)

async function withMoney(db: Db, sites: SiteRecord[]): Promise<ListedSite[]> {
  const money = await findMoney(db, { siteNos: sites.map(({ siteNo }) => siteNo) })
  const bySite = new Map(money.map(({ siteNo, ...found }) => [siteNo, found]))
  return sites.map(site => ({ ...site, ...bySite.get(site.siteNo)! }))
}

/** Returns the caller's sites with their traffic in the period: pinned sites first, then by `sort`, then by domain. */
export async function listSites(
  services: Services,
  { teamId, siteIds }: Caller,
  { search, sort, period }: ListSites,
): Promise<SiteListItem[]> {
  const all = await selectSites(services.db, { teamId, siteIds })
  const sites = await withMoney(
    services.db,
    all.filter(site => matchesSearch(site.domain, search ?? '')),
  )
  const traffic = await getSiteTraffic(services, sites, period)
  return sites
    .map(site => ({
      // The output schema of the procedure leaves out options that are not listed.
      ...presentSite(site, services.config.baseUrl),
      ...traffic.get(site.siteNo)!,
      has_revenue: site.hasRevenue,
    }))
    .sort(inOrder(sort))
}

/** Returns whether the domain, in punycode or in Unicode, contains the text literally, ignoring case. */
export function matchesSearch(domain: string, search: string): boolean {
  const wanted = search.trim().toLowerCase()
  return domain.includes(wanted) || domainToUnicode(domain).includes(wanted)
}

type Sortable = Pick<SiteListItem, 'is_pinned' | 'visitors' | 'domain'>

/** Returns the comparison function for the order of the list. */
export function inOrder(sort: ListSites['sort']): (a: Sortable, b: Sortable) => number {
  const byDomain = (a: Sortable, b: Sortable) => (a.domain < b.domain ? -1 : a.domain > b.domain ? 1 : 0)
  const wanted = {
    most_visitors: (a: Sortable, b: Sortable) => b.visitors - a.visitors,
    fewest_visitors: (a: Sortable, b: Sortable) => a.visitors - b.visitors,
    domain_asc: byDomain,
    domain_desc: (a: Sortable, b: Sortable) => byDomain(b, a),
  }[sort]
  return (a, b) => Number(b.is_pinned) - Number(a.is_pinned) || wanted(a, b) || byDomain(a, b)
}

/** Returns the traffic fields of many sites in a period of the site list, each in its own time zone, by `siteNo`. */
export async function getSiteTraffic(
  { rollups, now }: Pick<Services, 'rollups' | 'now'>,
  sites: readonly Pick<ListedSite, 'siteNo' | 'timezone' | 'currency' | 'hasPayments'>[],
  period: ListPeriod,
) {
  const moment = now()
  const windows = sites.map(({ siteNo, timezone, currency, hasPayments }) => {
    const { buckets, previousStart, previousEnd } = listWindow(period, timezone, moment)
    const previous = toWindow({ start: previousStart, end: previousEnd })
    return { siteNo, currency, hasPayments, buckets: buckets.map(toWindow), previous }
  })
  const paid = windows.filter(site => site.hasPayments)
  const [counted, revenues] = await Promise.all([
    runTask(rollups, 'countSiteVisitors', windows),
    runTask(
      rollups,
      'countRevenue',
      paid.map(({ siteNo, currency, buckets }) => ({ siteNo, currency, windows: buckets })),
    ),
  ])
  const revenueOf = new Map(paid.map(({ siteNo }, index) => [siteNo, revenues[index]!]))
  return new Map(
    counted.map(({ siteNo, visitors, visitorsBefore, sparkline }) => {
      const amounts = revenueOf.get(siteNo)?.map(({ revenue }) => revenue) ?? sparkline.map(() => 0n)
      const traffic = {
        visitors,
        change: percentChange(visitors, visitorsBefore),
        sparkline,
        ...presentCappedRevenue(amounts.reduce((sum, amount) => sum + amount, 0n)),
        // Capped: a larger value in one bucket must not make the whole list fail.
        revenue_sparkline: amounts.map(capped),
      }
      return [siteNo, traffic] as const
    }),
  )
}
