import { PUBLIC_SECTIONS, type Section } from '../../../src/platform/dimensions/sections.ts'
import { LIFECYCLE_NAMES } from '../../../src/storage/events/reserved-names.ts'
import type { Json } from '../../support/stripe.ts'
import { type Input, RANGE } from './world.ts'

/** A read with the section that it needs. */
export interface SharedRead {
  procedure: string
  /** Below the site. */
  path: string
  input: Input
  section: Section
}

const read = (section: Section, procedure: string, path: string, input: Input = {}): SharedRead => ({
  procedure,
  path,
  section,
  input: { ...RANGE, ...input },
})

/** Every read of a site, with inputs of every section. */
export const READS: SharedRead[] = [
  read('traffic', 'stats.overview', '/overview'),
  read('traffic', 'stats.timeseries', '/stats/timeseries', { metric: 'visitors' }),
  read('traffic', 'stats.timeseries', '/stats/timeseries', { metric: 'custom_events' }),
  read('traffic', 'stats.overview', '/overview', { compare: 'previous_year' }),
  { procedure: 'stats.live', path: '/stats/live', section: 'traffic', input: {} },
  read('revenue', 'stats.timeseries', '/stats/timeseries', { metric: 'revenue' }),
  read('revenue', 'stats.timeseries', '/stats/timeseries', { metric: 'mrr' }),
  ...(
    [
      ['sources', 'channel'],
      ['sources', 'utm_source'],
      ['pages', 'path'],
      ['pages', 'entry_path'],
      ['locations', 'country'],
      ['devices', 'browser'],
      ['events', 'event_name'],
      ['people', 'user_id'],
      ['people', 'visit_count'],
    ] as const
  ).flatMap(([section, dimension]) => [
    read(section, 'stats.breakdown', '/stats/breakdown', { dimension, per_page: 2 }),
    read(section, 'stats.filterValues', '/stats/filter-values', { dimension, limit: 3 }),
  ]),
  read('sources', 'stats.breakdown', '/stats/breakdown', {
    dimension: 'channel',
    ...{ search: 'E', sort: 'bounce_rate', order: 'asc', compare: 'previous' },
  }),
  read('traffic', 'stats.explain', '/explain', { metric: 'bounce_rate', limit: 3 }),
  read('sources', 'stats.explain', '/explain', { metric: 'visitors', dimension: 'channel', value: 'Direct' }),
  read('revenue', 'stats.explain', '/explain', { metric: 'mrr', read: 'money' }),
  read('goals', 'stats.goals', '/stats/goals'),
  read('goals', 'funnels.list', '/funnels', { per_page: 3 }),
  read('goals', 'goals.list', '/goals', { per_page: 3 }),
  read('goals', 'goals.list', '/goals', { search: 'p' }),
  read('events', 'stats.events', '/stats/events', { per_page: 4 }),
  read('events', 'stats.events', '/stats/events', { per_page: 4, page: 2, types: 'event' }),
  read('events', 'stats.eventsTimeseries', '/stats/events/timeseries'),
  ...['signup', 'payment'].map(event_name =>
    read('events', 'stats.propertyBreakdown', '/stats/events/property-breakdown', {
      event_type: 'event',
      event_name,
    }),
  ),
  read('pages', 'stats.pageTitles', '/stats/page-titles', { per_page: 2 }),
  read('pages', 'stats.pageTitlesTimeseries', '/stats/page-titles/timeseries', { title: 'Home' }),
  read('events', 'stats.clicks', '/stats/clicks', { per_page: 2 }),
  read('pages', 'stats.scroll', '/stats/scroll', { path: '/pricing' }),
  read('pages', 'stats.webVitals', '/stats/web-vitals'),
  read('pages', 'stats.webVitalsBreakdown', '/stats/web-vitals/breakdown', {
    ...{ metric: 'lcp', dimension: 'path', per_page: 2 },
  }),
  read('pages', 'stats.webVitalsTimeseries', '/stats/web-vitals/timeseries', { metric: 'inp' }),
  read('pages', 'stats.webVitalsAttribution', '/stats/web-vitals/attribution', { metric: 'cls' }),
  read('traffic', 'annotations.list', '/annotations', { per_page: 2 }),
  read('revenue', 'stats.money', '/stats/money'),
  read('revenue', 'stats.moneyMovements', '/stats/money/movements'),
  read('pages', 'stats.journeys', '/stats/journeys', { by: 'title', starting_at: 'Home' }),
  read('events', 'stats.journeys', '/stats/journeys', { by: 'event_name', ending_at: 'signup' }),
  read('traffic', 'stats.retention', '/stats/retention', { period: 'day' }),
  read('revenue', 'stats.retention', '/stats/retention', { cohort: 'payment', period: 'day' }),
  read('people', 'stats.sessions', '/stats/sessions', { per_page: 2 }),
  read('people', 'stats.session', '/stats/sessions/{session}'),
  read('people', 'stats.people', '/stats/people', { per_page: 2 }),
  read('people', 'stats.person', '/stats/people/{person}'),
  read('people', 'stats.timeline', '/stats/people/{person}/timeline', { per_page: 50 }),
  read('errors', 'stats.errors', '/stats/errors'),
  read('errors', 'stats.error', '/stats/errors/{error}'),
  read('errors', 'stats.errorTimeseries', '/stats/errors/{error}/timeseries'),
  read('errors', 'stats.errorEvents', '/stats/errors/{error}/events'),
]

const MONEY = [
  ...['revenue', 'recurring_revenue', 'payments', 'mrr', 'new_customers', 'mrr_per_visitor'],
  'conversion_rate',
]
const isMoneyName = (name: string) => LIFECYCLE_NAMES.some(each => each === name)

/** What an owner adds to a query to get what readers without `revenue` get. */
export function ownersInput({ procedure, input }: SharedRead, sections: readonly Section[]): Input {
  if (sections.includes('revenue')) return input
  const comparesHits =
    ['event_name', 'prop_key', 'path', 'title'].some(name => name in input) &&
    !['stats.propertyBreakdown', 'stats.pageTitlesTimeseries', 'stats.scroll'].includes(procedure)
  const lists = ['stats.events', 'stats.eventsTimeseries', 'stats.live'].includes(procedure)
  if (!lists && !comparesHits) return input
  const given = input.event_name
  const before =
    given === undefined ? {} : typeof given === 'object' && !Array.isArray(given) ? given : { is: given }
  const { is_not = [], ...others } = before as Record<string, string | string[]>
  return { ...input, event_name: { ...others, is_not: [...[is_not].flat(), ...LIFECYCLE_NAMES] } as never }
}

/** Returns an owner's answer without what a reader with these sections may not see. */
export function masked(
  { procedure, input }: SharedRead,
  body: Json,
  sections: readonly Section[],
  moneyGoals: (goal: Json) => boolean,
): Json {
  const has = (section: Section) => sections.includes(section)
  const copy = structuredClone(body)
  if (procedure === 'stats.overview' && !has('revenue')) {
    for (const period of [copy, copy.previous]) {
      for (const name of MONEY) if (name !== 'conversion_rate' || !input.goal) delete period[name]
    }
  }
  if (procedure === 'stats.breakdown' && !has('revenue')) {
    for (const metrics of copy.data.flatMap((row: Json) => [row, row.previous ?? {}])) {
      for (const name of ['revenue', 'mrr', 'revenue_per_visitor']) if (name in metrics) metrics[name] = null
    }
  }
  if (procedure === 'stats.explain' && !has('people')) copy.rows = null
  if (procedure === 'stats.goals' && !has('revenue')) {
    return copy.filter((row: Json) => !moneyGoals(row)).map((row: Json) => ({ ...row, revenue: null }))
  }
  if (procedure === 'stats.propertyBreakdown' && !has('revenue') && isMoneyName(String(input.event_name))) {
    copy.rows = []
  }
  if (procedure === 'stats.live') {
    if (!has('pages')) copy.pages = []
    if (!has('sources')) copy.sources = []
    if (!has('locations')) copy.countries = []
    if (!has('events')) copy.events = []
    for (const item of copy.events) maskActor(item, has)
  }
  if (procedure === 'annotations.list') for (const item of copy.data) item.author = null
  if (procedure === 'stats.events' || procedure === 'stats.errorEvents') {
    for (const item of copy.data) maskActor(item, has)
  }
  if (procedure === 'stats.sessions' || procedure === 'stats.people') {
    for (const row of copy.data) maskAttributes(row, has)
  }
  if (procedure === 'stats.person') maskAttributes(copy, has)
  if (procedure === 'stats.session') {
    maskAttributes(copy.session, has)
    if (!has('events')) keepOnly(copy, hit => hit.event_type === 'pageview')
    for (const hit of copy.data) maskActor(hit, has)
  }
  if (procedure === 'stats.timeline') {
    const hidden = [...(has('events') ? [] : ['event']), ...(has('revenue') ? [] : ['payment', 'mrr'])]
    keepOnly(copy, item => !hidden.includes(item.kind))
    for (const item of copy.data) {
      if (!has('pages')) Object.assign(item, { path: '', title: '' })
      if (!has('sources')) item.source = ''
    }
  }
  return copy
}

/** Leaves items of a list out that is on one page. */
function keepOnly(body: Json, isKept: (item: Json) => boolean): void {
  body.data = body.data.filter(isKept)
  body.meta.total = body.data.length
}

const ATTRIBUTES: Partial<Record<Section, string[]>> = {
  pages: ['hostname', 'entry_path', 'exit_path'],
  sources: 'channel source referrer utm_source utm_medium utm_campaign utm_content utm_term'.split(' '),
  locations: ['country', 'region', 'city'],
  devices: ['browser', 'browser_version', 'os', 'os_version', 'size', 'language', 'screen'],
}

function maskAttributes(row: Json, has: (section: Section) => boolean): void {
  for (const [section, names] of Object.entries(ATTRIBUTES)) {
    if (!has(section as Section)) for (const name of names) row[name] = ''
  }
  if (has('revenue')) return
  row.revenue = null
  if ('mrr' in row) row.mrr = null
}

function maskActor(item: Json, has: (section: Section) => boolean): void {
  const clear = (value: unknown, ...names: string[]) => {
    for (const name of names) if (name in item) item[name] = value
  }
  if (!has('people')) {
    clear(null, 'user_id', 'visitor_id', 'session_id', 'display_name', 'avatar_url')
    item.url = item.url.replace(/\?.*/, '')
  }
  if (!has('pages')) clear('', 'path', 'url', 'title', 'hostname')
  if (!has('locations')) clear('', 'country')
  if (!has('devices')) clear('', 'device', 'browser', 'os')
  if (!has('errors')) clear(null, 'error_id')
  if (!has('stacks')) clear(null, 'stack')
}

export const PUBLIC: readonly Section[] = PUBLIC_SECTIONS
