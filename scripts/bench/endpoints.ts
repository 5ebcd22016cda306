import { DAY_MS } from '../../src/platform/lib/time.ts'
import { type Api, LARGE_SITE } from './service.ts'

/** Ranges by name and number of whole days; all end on the same day. */
export const RANGES = [
  { name: '24 h', days: 1 },
  { name: '7 d', days: 7 },
  { name: '30 d', days: 30 },
  { name: '90 d', days: 90 },
] as const

export interface Endpoint {
  name: string
  /** Path below the site, with the endpoint's parameters except the range. */
  path: string
}

/** Values for the parameters of the endpoints, from the data: the most frequent title, country and error, and the newest session. */
interface Subjects {
  siteId: string
  title: string
  country: string
  errorId: string
  goalId: string
  /** The newest session and its visitor. */
  sessionId: string
  visitorId: string
  /** Last day of the data, `Y-m-d`. */
  until: string
}

export interface Surface extends Subjects {
  endpoints: Endpoint[]
  /** Returns the path and query of a call. */
  url(endpoint: Endpoint, days: number, filter?: string): string
}

/**
 * Returns all read endpoints of a seeded site. Creates five goals unless they are there.
 * @param until last day of the ranges, `Y-m-d`; by default, the day of the newest hit
 * @throws Error when there is no seeded site, or it has no titles, countries or errors in the last 90 days
 */
export async function findSurface(api: Api, until: string | undefined): Promise<Surface> {
  const site = `/api/sites/${LARGE_SITE}`
  const found = await api<{ id: string }>('GET', site).catch(() => {
    throw new Error(`there is no site ${LARGE_SITE}: fill the database with npm run bench:seed first`)
  })
  const newest = await api<Rows<{ timestamp: string }>>('GET', `${site}/stats/events?range=all&per_page=1`)
  const last = until ?? newest.data[0]!.timestamp.slice(0, 10)
  const range = `from=${dayBefore(last, 89)}&to=${last}`
  const stats = `${site}/stats`
  const [titles, countries, errors, goals, sessions] = await Promise.all([
    api<Rows<{ title: string }>>('GET', `${stats}/page-titles?${range}&per_page=1`),
    api<{ values: { value: string }[] }>('GET', `${stats}/filter-values?${range}&dimension=country&limit=1`),
    api<Rows<{ id: string }>>('GET', `${stats}/errors?${range}&per_page=1`),
    readGoals(api, site),
    api<Rows<{ session_id: string; visitor_id: string }>>('GET', `${stats}/sessions?${range}&per_page=1`),
  ])
  // A payment processor brings goals of its own.
  if (!goals.some(({ match_value }) => match_value === 'signup')) {
    await api('POST', `${site}/goals/batch`, { event_names: ['signup', 'purchase', 'search'] })
    await api('POST', `${site}/goals`, { match_type: 'page', match_value: '/docs/*' })
    await api('POST', `${site}/goals`, { match_type: 'page', match_value: '/' })
  }
  const goalId = (await readGoals(api, site)).find(({ match_value }) => match_value === 'signup')!.id
  const [title, country, error, session] = [
    titles.data[0],
    countries.values[0],
    errors.data[0],
    sessions.data[0],
  ]
  if (!title || !country || !error || !session)
    throw new Error(`${LARGE_SITE} has no titles, countries, errors or sessions in ${range}`)
  const subjects = {
    siteId: found.id,
    title: title.title,
    country: country.value,
    errorId: error.id,
    goalId,
    sessionId: session.session_id,
    visitorId: session.visitor_id,
    until: last,
  }
  return {
    ...subjects,
    endpoints: endpointsOf(subjects),
    url({ path }, days, filter) {
      const asked = `from=${dayBefore(last, days - 1)}&to=${last}${filter ? `&${filter}` : ''}`
      return `${site}${path}${path.includes('?') ? '&' : '?'}${asked}`
    },
  }
}

interface Goal {
  id: string
  match_value: string
}

const readGoals = async (api: Api, site: string): Promise<Goal[]> =>
  (await api<Rows<Goal>>('GET', `${site}/goals?per_page=100`)).data

interface Rows<Row> {
  data: Row[]
}

const FUNNEL = encodeURIComponent(
  JSON.stringify([
    { type: 'pageview', value: '/' },
    { type: 'pageview', value: '/docs/**' },
    { type: 'pageview', value: '/pricing/**' },
    { type: 'event', value: 'signup' },
  ]),
)

function endpointsOf({ title, errorId, goalId, sessionId, visitorId }: Subjects): Endpoint[] {
  const rows: [name: string, path: string][] = [
    ['overview', '/overview'],
    ['overview, a year before', '/overview?compare=previous_year'],
    ['live', '/stats/live'],
    ['timeseries visitors', '/stats/timeseries?metric=visitors'],
    ['timeseries visitors by hour', '/stats/timeseries?metric=visitors&group=hour'],
    [
      'timeseries, days before by weekday',
      '/stats/timeseries?metric=visitors&compare=previous&match_weekday=true',
    ],
    ['breakdown path', '/stats/breakdown?dimension=path'],
    ['breakdown source', '/stats/breakdown?dimension=source'],
    ['breakdown path, searched', '/stats/breakdown?dimension=path&search=docs'],
    ['breakdown path, by bounce rate', '/stats/breakdown?dimension=path&sort=bounce_rate'],
    ['breakdown path, fewest first', '/stats/breakdown?dimension=path&order=asc'],
    ['breakdown path, by value', '/stats/breakdown?dimension=path&sort=value'],
    ['breakdown path, compared', '/stats/breakdown?dimension=path&compare=previous'],
    ['breakdown source, by revenue', '/stats/breakdown?dimension=source&sort=revenue'],
    [
      'breakdown source, converting',
      `/stats/breakdown?dimension=source&sort=conversion_rate&conversion_goal=${goalId}`,
    ],
    ['goals', '/stats/goals'],
    ['funnel', `/stats/funnel?steps=${FUNNEL}`],
    ['funnel, strict, 7 days', `/stats/funnel?steps=${FUNNEL}&order=strict&window=604800`],
    ['funnel by source', `/stats/funnel?steps=${FUNNEL}&dimension=source`],
    ['events, page 1', '/stats/events'],
    ['events, page 2,000', '/stats/events?page=2000'],
    ['events timeseries', '/stats/events/timeseries'],
    ['property breakdown', '/stats/events/property-breakdown?event_type=event&event_name=signup'],
    ['sessions, page 1', '/stats/sessions'],
    ['sessions, page 2,000', '/stats/sessions?page=2000'],
    ['session', `/stats/sessions/${sessionId}`],
    ['replays', '/stats/replays'],
    ['replays, filtered', '/stats/replays?browser=Chrome'],
    ['visitors, page 1', '/stats/people'],
    ['visitors, page 2,000', '/stats/people?page=2000'],
    ['users, page 1', '/stats/people?kind=users'],
    ['visitor', `/stats/people/${visitorId}`],
    ['visitor timeline', `/stats/people/${visitorId}/timeline`],
    ['money', '/stats/money'],
    ['money movements', '/stats/money/movements'],
    ['money breakdown source', '/stats/money/breakdown?dimension=source'],
    ['customers', '/stats/money/customers'],
    ['subscriptions', '/stats/money/subscriptions'],
    ['lifetime value channel', '/stats/money/lifetime-value?dimension=channel'],
    ['journeys from /', '/stats/journeys?starting_at=/'],
    ['journeys to /pricing/page-2', '/stats/journeys?ending_at=/pricing/page-2&steps=8'],
    ['retention by week', '/stats/retention?period=week&periods=12'],
    ['page titles', '/stats/page-titles'],
    ['page titles timeseries', `/stats/page-titles/timeseries?title=${encodeURIComponent(title)}`],
    ['clicks', '/stats/clicks'],
    ['clicks of a page', '/stats/clicks?path=/'],
    ['scroll of a page', '/stats/scroll?path=/'],
    ['web vitals', '/stats/web-vitals'],
    ['web vitals by path', '/stats/web-vitals/breakdown?metric=lcp&dimension=path'],
    ['web vitals timeseries', '/stats/web-vitals/timeseries?metric=lcp'],
    ['web vitals attribution', '/stats/web-vitals/attribution?metric=lcp'],
    ['filter values path', '/stats/filter-values?dimension=path'],
    ['filter values country', '/stats/filter-values?dimension=country'],
    ['errors', '/stats/errors'],
    ['error', `/stats/errors/${errorId}`],
    ['error timeseries', `/stats/errors/${errorId}/timeseries`],
    ['error events', `/stats/errors/${errorId}/events`],
  ]
  return rows.map(([name, path]) => ({ name, path }))
}

/** Returns the calendar date `days` days before `date`, both `Y-m-d`. */
function dayBefore(date: string, days: number): string {
  return new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10)
}
