import { openAccount } from './account.ts'
import { type Caller, createCaller, type Timing } from './calls.ts'
import { findSurface, RANGES, type Surface } from './endpoints.ts'
import { memoryLine } from './memory.ts'
import { limitsOff, startService, type Target } from './service.ts'

/** Timings of one row of the table, by the name of the range; ranges without a timing are absent. */
export interface ReadRow {
  name: string
  timings: Map<string, Timing>
}

export interface ReadsMeasured {
  rows: ReadRow[]
  /** Hits of the site in the longest range, for the heading. */
  hits: number
  until: string
  /** A line with the resident memory of the service's processes at the end. */
  memory: string
}

/** The cheapest endpoints: their time is the fixed cost of a call. */
const FLOORS = [
  ['floor: GET /healthz', '/healthz'],
  ['floor: GET /api/currencies', '/api/currencies'],
] as const

/** Periods of the list of sites; they end today. */
const LISTED = [
  { name: '24 h', period: '24h' },
  { name: '7 d', period: '7d' },
  { name: '30 d', period: '30d' },
]

/** Starts a service and times every read endpoint in every range, unfiltered and with a country filter. */
export async function measureReads(
  target: Target,
  options: { until: string | undefined; calls: number; patienceMs: number; workers: number },
  onEnd: (stop: () => unknown) => void,
): Promise<ReadsMeasured> {
  const settings = { ...limitsOff, HTTP_WORKERS: String(options.workers) }
  const service = await startService(target, settings, onEnd)
  const { api, token } = await openAccount(service, onEnd)
  const surface = await findSurface(api, options.until)
  const caller = createCaller({ url: service.url, token, ...options })
  onEnd(caller.close)
  const counted = await api<{ series: Record<string, number[]> }>(
    'GET',
    surface.url({ name: '', path: '/stats/events/timeseries' }, 90),
  )
  const hits = Object.values(counted.series)
    .flat()
    .reduce((sum, count) => sum + count, 0)
  const rows = await timeAll(caller, surface)
  return { rows, hits, until: surface.until, memory: memoryLine(service, undefined) }
}

async function timeAll(caller: Caller, surface: Surface): Promise<ReadRow[]> {
  const rows: ReadRow[] = []
  for (const [name, path] of FLOORS) {
    const timing = await caller.time(path)
    rows.push({ name, timings: new Map(RANGES.map(range => [range.name, timing])) })
  }
  const listed = new Map<string, Timing>()
  for (const { name, period } of LISTED) listed.set(name, await caller.time(`/api/sites?period=${period}`))
  rows.push({ name: 'list of all sites', timings: listed })
  for (const filter of [undefined, `country=${surface.country}`]) {
    for (const endpoint of surface.endpoints) {
      const timings = new Map<string, Timing>()
      for (const { name, days } of RANGES) {
        timings.set(name, await caller.time(surface.url(endpoint, days, filter)))
      }
      rows.push({ name: filter ? `${endpoint.name}, ${filter}` : endpoint.name, timings })
    }
  }
  return rows
}
