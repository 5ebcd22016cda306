import { DAY_MS } from '../../../src/lib/time.ts'

/** What reads of a site need to name. */
export interface Known {
  site: string
  goals: string[]
  errors: string[]
}

const PRESETS = [
  ...['today', 'yesterday', 'last_7_days', 'last_30_days', 'this_month', 'last_month'],
  ...['last_12_months', 'all'],
]
const METRICS =
  'visitors pageviews sessions bounce_rate views_per_visit avg_session_seconds custom_events revenue mrr'.split(
    ' ',
  )
const DIMENSIONS = (
  'path entry_path title hostname user_id event_name visit_count referrer channel source utm_source utm_medium utm_campaign ' +
  'utm_content utm_term browser os size country region city'
).split(' ')
const FILTERS = [
  ...['country=DE&country=US', 'browser[is_not]=Chrome', 'path[contains]=/docs'],
  ...['entry_path[matches_pattern]=/blog/**', 'source[matches_regex]=^(Google|Bing)'],
  ...['utm_source=(none)&size=mobile', 'event_name=signup', 'visit_count=2'],
  ...['user_id[starts_with]=user_1', 'prop_key=plan&prop_value=team'],
]

/** Returns every read of statistics that 0.2.0 has. */
const reportsOf = (errors: string[]) => [
  'overview',
  'stats/goals',
  'stats/events?per_page=100',
  'stats/events?types=event,payment,subscription_started&page=2&per_page=20',
  'stats/events/timeseries',
  'stats/events/property-breakdown?event_type=event&event_name=signup',
  'stats/events/property-breakdown?event_type=event&event_name=read',
  'stats/page-titles?per_page=100',
  'stats/page-titles/timeseries?title=Pricing',
  'stats/errors?per_page=50',
  ...errors.flatMap(id =>
    ['', '/timeseries', '/events?per_page=30'].map(rest => `stats/errors/${id}${rest}`),
  ),
  ...METRICS.map(metric => `stats/timeseries?metric=${metric}`),
  ...DIMENSIONS.map(dimension => `stats/breakdown?dimension=${dimension}&per_page=50`),
  ...DIMENSIONS.map(dimension => `stats/filter-values?dimension=${dimension}&limit=100`),
]

const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

/** Returns the paths of all reads of a version: each report of several ranges, some of them with filters. @param days of history */
export function readsOf(known: Known[], days: number): string[] {
  const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10)
  const between = (from: number, to: number) => `from=${day(from)}&to=${day(to)}`
  const whole = between(days, 0)
  const part = between(Math.floor(days * 0.6), Math.floor(days * 0.2))
  const ranges = [
    ...PRESETS.map(preset => `range=${preset}`),
    part,
    between(9, 9),
    between(days + 300, days - 20),
  ]
  const ofSites = known.flatMap(({ site, goals, errors }) => {
    const reports = reportsOf(errors.slice(0, 1))
    const some = reports.filter((_, index) => index < 5 || index % 9 === 0)
    const filters = [...FILTERS, ...goals.slice(0, 6).map(id => `goal=${id}`)]
    const statistics = [
      ...reports.map(path => withQuery(path, whole)),
      ...ranges.flatMap(range => some.map(path => withQuery(path, range))),
      ...filters.flatMap(filter => some.map(path => withQuery(path, `${part}&${filter}`))),
    ]
    const lists = [
      ...['', '/goals?per_page=100', '/payments?per_page=100', '/payments?page=2', '/processor'],
      '/identify-secret',
    ]
    return [...lists, ...statistics.map(path => `/${path}`)].map(path => `/api/sites/${site}${path}`)
  })
  const lists = ['24h', '7d', '30d'].map(period => `/api/sites?period=${period}`)
  return ['/api/tokens', '/api/timezones', '/api/currencies', '/api/sites?search=shop', ...lists, ...ofSites]
}
