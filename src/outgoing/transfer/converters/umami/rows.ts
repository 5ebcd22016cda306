import type { CsvRow } from '../../read/csv.ts'
import { readTime } from '../../read/times.ts'
import { fieldOf } from './tables.ts'

/** What Umami keeps with an event in the cloud, and with the session in a database of one's own. */
const SESSION_COLUMNS = [
  'hostname',
  'browser',
  'os',
  'device',
  'screen',
  'language',
  'country',
  'city',
] as const

export type SessionFields = Partial<Record<(typeof SESSION_COLUMNS)[number] | 'region' | 'user', string>>

const PAGEVIEW = '1'
const CUSTOM_EVENT = '2'
const PERFORMANCE = '5'
const METRICS = ['lcp', 'inp', 'cls', 'fcp', 'ttfb'] as const

/** A row of the events, with names of its own, so that versions of Umami differ only here. */
export interface UmamiEvent {
  at: number
  session: string
  visit: string
  kind: 'pageview' | 'event' | 'vitals'
  /** Without the id of the event: equal rows of a file count once. */
  id: string | undefined
  name?: string
  path: string
  query?: string
  title?: string
  referrer?: string
  vitals?: Record<string, number>
  of: SessionFields
}

/** @returns the event, or why it cannot be carried over */
export function eventOf(row: CsvRow, timezone: string): UmamiEvent | { left: string } {
  const at = readTime(fieldOf(row, 'created_at'), timezone)
  if (at === undefined) return { left: 'no time' }
  const session = fieldOf(row, 'session_id')
  if (session === undefined) return { left: 'no session' }
  const name = fieldOf(row, 'event_name')
  const kind = kindOf(row, name)
  if (typeof kind !== 'string') return kind
  const [path, query] = pageOf(row)
  if (path === undefined) return { left: 'no path' }
  // Version 1 numbers pageviews and events by themselves.
  const view = fieldOf(row, 'view_id')
  return {
    at,
    session,
    visit: fieldOf(row, 'visit_id') ?? '',
    kind,
    id: view === undefined ? fieldOf(row, 'event_id') : `view ${view}`,
    ...(kind === 'event' && { name: name ?? legacyName(row)! }),
    path,
    ...textOf('query', query),
    ...textOf('title', fieldOf(row, 'page_title')),
    ...textOf('referrer', referrerOf(row)),
    ...(kind === 'vitals' && { vitals: vitalsOf(row) }),
    of: sessionFieldsOf(row),
  }
}

function kindOf(row: CsvRow, name: string | undefined): UmamiEvent['kind'] | { left: string } {
  const type = fieldOf(row, 'event_type')
  if (type === PERFORMANCE) return 'vitals'
  if (type === '3' || type === '4') return { left: 'link or pixel, not a page' }
  const isEvent = type === CUSTOM_EVENT || (type !== PAGEVIEW && (name ?? legacyName(row)) !== undefined)
  if (!isEvent) return 'pageview'
  return (name ?? legacyName(row)) === undefined ? { left: 'event without a name' } : 'event'
}

/** The first versions had a type (`click`) and a value (`signup`). */
const legacyName = (row: CsvRow) => fieldOf(row, 'event_value')

function pageOf(row: CsvRow): [path: string | undefined, query: string | undefined] {
  const path = fieldOf(row, 'url_path')
  if (path !== undefined) return [path, fieldOf(row, 'url_query')]
  const [before, ...query] = (fieldOf(row, 'url') ?? '').split('?')
  return [before || undefined, query.join('?') || undefined]
}

/** Version 1 kept the whole URL. */
function referrerOf(row: CsvRow): string | undefined {
  const domain = fieldOf(row, 'referrer_domain')
  if (domain === undefined) return fieldOf(row, 'referrer')
  const query = fieldOf(row, 'referrer_query')
  return `https://${domain}${fieldOf(row, 'referrer_path') ?? '/'}${query ? `?${query}` : ''}`
}

function vitalsOf(row: CsvRow): Record<string, number> {
  const values = METRICS.flatMap(metric => {
    const value = fieldOf(row, metric)
    return value === undefined || !Number.isFinite(Number(value)) ? [] : [[metric, Number(value)] as const]
  })
  return Object.fromEntries(values)
}

/** Fields of a row of the sessions; in exports of the cloud, of a row of the events. */
export function sessionFieldsOf(row: CsvRow): SessionFields {
  const fields: SessionFields = {}
  for (const column of SESSION_COLUMNS) Object.assign(fields, textOf(column, fieldOf(row, column)))
  // Versions before 2.16 call the region subdivision1.
  return {
    ...fields,
    ...textOf('region', fieldOf(row, 'region', 'subdivision1')),
    ...textOf('user', fieldOf(row, 'distinct_id')),
  }
}

const textOf = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value })
