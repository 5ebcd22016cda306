import { type Filters, keep } from './recount-filters.ts'
import { keptOf, type Query } from './recount-metrics.ts'
import { recountHits } from './recount-people.ts'
import { twoDecimals } from './recount-rounding.ts'
import type { CountedHit, World } from './recount-world.ts'

/** What was clicked and how far pages were scrolled, from docs/metrics.md "Clicks" and "Scroll of a page". */

const AUTOCAPTURES = ['outbound', 'download', 'button', 'form', 'copy']

export function recountClicks(world: World, query: Query, types: readonly string[] = AUTOCAPTURES) {
  const kept = keptOf(world, query)
  const filters = query.filters ?? {}
  const pageFilters: Filters = { ...filters }
  for (const name of ['event_name', 'prop_key', 'prop_value'] as const) delete pageFilters[name]
  const seen = keep(world, pageFilters, kept.period).hits.filter(({ visit }) => kept.visits.has(visit))
  const saw = new Set(seen.map(({ visit }) => visit)).size

  const rows = new Map<string, CountedHit[]>()
  for (const hit of kept.hits.filter(({ type }) => types.includes(type))) {
    const key = JSON.stringify([hit.type, hit.props.selector || null, hit.props.url || null])
    rows.set(key, [...(rows.get(key) ?? []), hit])
  }
  return [...rows]
    .map(([key, hits]) => {
      const [event_type, selector, target] = JSON.parse(key) as [string, string | null, string | null]
      const sessions = new Set(hits.map(({ visit }) => visit)).size
      return {
        event_type,
        selector,
        target,
        clicks: hits.length,
        sessions,
        visitors: new Set(hits.map(({ visitor }) => visitor)).size,
        share: twoDecimals(100 * sessions, saw),
      }
    })
    .sort((a, b) => b.clicks - a.clicks || (texts(a) < texts(b) ? -1 : 1))
}

/** In the order of the texts one after the other: U+0000 comes before everything that a text has. */
const texts = (row: { event_type: string; selector: string | null; target: string | null }) =>
  [row.event_type, row.selector ?? '', row.target ?? ''].join('\0')

export function recountScroll(world: World, query: Query, path: string) {
  const pageviews = keptOf(world, query).hits.filter(
    ({ type, values }) => type === 'pageview' && values.path === path,
  )
  const wanted = new Set(pageviews.map(({ id }) => id))
  const counted = world.visits.flatMap(recountHits).filter(({ id }) => wanted.has(id))
  const depths = counted.flatMap(({ scroll }) => (scroll === null ? [] : [scroll]))
  const times = counted.flatMap(({ engagedMs }) => (engagedMs === null ? [] : [engagedMs]))
  times.sort((a, b) => a - b)
  const half = Math.floor(times.length / 2)
  const twice = times.length % 2 === 1 ? 2 * times[half]! : (times[half - 1] ?? 0) + (times[half] ?? 0)
  const isRead = depths.length > 0
  return {
    pageviews: pageviews.length,
    engaged_pageviews: depths.length,
    scroll_depth: isRead
      ? twoDecimals(
          depths.reduce((a, b) => a + b, 0),
          depths.length,
        )
      : null,
    median_engaged_seconds: isRead ? twoDecimals(twice, 2_000) : null,
    reached: Array.from({ length: 20 }, (_, index) => {
      const depth = 5 + 5 * index
      const reached = depths.filter(each => each >= depth).length
      return { depth, pageviews: reached, share: twoDecimals(100 * reached, depths.length) }
    }),
  }
}
