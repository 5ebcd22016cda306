import { domainToUnicode } from 'node:url'
import { statement } from '../infra/db.ts'
import type { Services } from '../infra/services.ts'
import { presentCappedRevenue } from '../revenue/numbers.ts'
import { getSiteTraffic } from '../stats/site-traffic.ts'
import type { Caller } from '../teams/schema.ts'
import { faviconUrl } from './present-site.ts'
import type { ListSites, SiteListItem, SiteRecord } from './schema.ts'

interface ListedSite extends SiteRecord {
  hasRevenue: boolean
  hasPayments: boolean
}

const selectSites = statement<ListedSite>('list-sites')

/** Returns the caller's sites with their traffic in the period: pinned sites first, then by `sort`, then by domain. */
export async function listSites(
  services: Services,
  caller: Caller,
  { search, sort, period }: ListSites,
): Promise<SiteListItem[]> {
  const all = await selectSites(services.db, caller.teamId, caller.siteIds)
  const sites = all.filter(site => matchesSearch(site.domain, search ?? ''))
  const traffic = await getSiteTraffic(services, sites, period)
  return sites
    .map(site => {
      const { visitors, change, sparkline, revenue, revenueSparkline } = traffic.get(site.siteNo)!
      return {
        id: site.id,
        domain: site.domain,
        favicon_url: faviconUrl(site.domain, services.config.baseUrl),
        timezone: site.timezone,
        created_at: site.createdAt.toISOString(),
        has_data: site.firstEventAt !== null,
        is_pinned: site.isPinned,
        visitors,
        change,
        sparkline,
        ...presentCappedRevenue(revenue),
        revenue_sparkline: revenueSparkline,
        currency: site.currency,
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
