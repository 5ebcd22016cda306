import { domainToUnicode } from 'node:url'
import { query } from '../db/query.ts'
import { presentCappedRevenue } from '../money/amounts.ts'
import type { Services } from '../services.ts'
import type { Caller } from '../teams/schema.ts'
import { presentSite } from './present-site.ts'
import { type ListSites, SITE_COLUMNS, type SiteListItem, type SiteRecord } from './schema.ts'
import { getSiteTraffic } from './site-traffic.ts'

interface ListedSite extends SiteRecord {
  /** A payment processor is connected, or a payment came through the API. */
  hasRevenue: boolean
  hasPayments: boolean
}

/** The sites of a team. `siteIds`: the sites that a token is limited to, null for all. */
const selectSites = query<{ teamId: string; siteIds: string[] | null }, ListedSite>(
  'list-sites',
  `select ${SITE_COLUMNS},
    exists (select from processor_connections where processor_connections.site_no = sites.site_no)
    or exists (select from payments where payments.site_no = sites.site_no and source = 'api') as "hasRevenue",
    exists (select from payments where payments.site_no = sites.site_no) as "hasPayments"
  from sites
  where team_id = :teamId and deleted_at is null and (:siteIds::uuid[] is null or id = any(:siteIds))`,
)

/** Returns the caller's sites with their traffic in the period: pinned sites first, then by `sort`, then by domain. */
export async function listSites(
  services: Services,
  { teamId, siteIds }: Caller,
  { search, sort, period }: ListSites,
): Promise<SiteListItem[]> {
  const all = await selectSites(services.db, { teamId, siteIds })
  const sites = all.filter(site => matchesSearch(site.domain, search ?? ''))
  const traffic = await getSiteTraffic(services, sites, period)
  return sites
    .map(site => {
      const { visitors, change, sparkline, revenue, revenueSparkline } = traffic.get(site.siteNo)!
      return {
        // The output schema of the procedure leaves out options that are not listed.
        ...presentSite(site, services.config.baseUrl),
        visitors,
        change,
        sparkline,
        ...presentCappedRevenue(revenue),
        revenue_sparkline: revenueSparkline,
        has_revenue: site.hasRevenue,
      }
    })
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
