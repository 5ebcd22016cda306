import { type Filters, keep } from './recount-filters.ts'
import { keptOf, type Query } from './recount-metrics.ts'
import { recountHits } from './recount-people.ts'
import { mean, median, twoDecimals } from './recount-rounding.ts'
import { type CountedHit, grouped, visitorsOf, type World } from './recount-world.ts'

/** What was clicked and how far pages were scrolled, from docs/metrics.md "Clicks" and "Scroll of a page". */

const AUTOCAPTURES = ['outbound', 'download', 'button', 'form', 'copy']

export function recountClicks(world: World, query: Query, types: readonly string[] = AUTOCAPTURES) {
  const kept = keptOf(world, query)
  const filters = query.filters ?? {}
  const pageFilters: Filters = { ...filters }
  for (const name of ['event_name', 'prop_key', 'prop_value'] as const) delete pageFilters[name]
  const seen = keep(world, pageFilters, kept.period).hits.filter(({ visit }) => kept.visits.has(visit))
  const saw = new Set(seen.map(({ visit }) => visit)).size

  const fieldsOf = ({ type, props }: CountedHit) => ({
    event_type: type,
    selector: props.selector || null,
    target: props.url || null,
  })
  const clicks = kept.hits.filter(({ type }) => types.includes(type))
  return [...grouped(clicks, hit => JSON.stringify(fieldsOf(hit))).values()]
    .map(hits => {
      const sessions = new Set(hits.map(({ visit }) => visit)).size
      return {
        ...fieldsOf(hits[0]!),
        clicks: hits.length,
        sessions,
        visitors: visitorsOf(hits),
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
  return {
    pageviews: pageviews.length,
    engaged_pageviews: depths.length,
    scroll_depth: mean(depths),
    median_engaged_seconds: median(times, 1_000),
    reached: Array.from({ length: 20 }, (_, index) => {
      const depth = 5 + 5 * index
      const reached = depths.filter(each => each >= depth).length
      return { depth, pageviews: reached, share: twoDecimals(100 * reached, depths.length) }
    }),
  }
}
