import type { Db } from '../db/connect.ts'
import { inSnapshot } from '../db/connect.ts'
import { COLUMNS, type Counts, noCounts } from './daily/codec.ts'
import { countVisitors, keysOf, type Summed, sumValues } from './daily/rank-values.ts'
import { cacheOf } from './daily/rollup-cache.ts'
import { countTogether } from './daily/visitor-set.ts'
import { type BucketSource, type BySource, type Explained, NO_TRAFFIC, type Tasks } from './protocol.ts'
import { addUp as addUpPayments, readSegments } from './revenue.ts'
import { addUp, readWindows, type WindowParts } from './traffic.ts'

// Numbers with what they were added up from. All parts of one answer come from one snapshot.

const BUCKET_SOURCES: BucketSource[] = ['quarter_hours', 'rows', 'kept']
const PARTS = ['hits', 'sessions'] as const

export function explainTraffic(
  db: Db,
  { siteNo, window, buckets }: Tasks['explainTraffic']['input'],
): Promise<Tasks['explainTraffic']['output']> {
  if (window.start >= window.end) {
    const none = () => ({ ...NO_TRAFFIC })
    return Promise.resolve({ total: none(), buckets: buckets.map(none), sources: {} })
  }
  return inSnapshot(db, async tx => {
    const [whole] = await readWindows(tx, cacheOf(db), siteNo, [window], PARTS)
    const divided = buckets.length > 0 ? await readWindows(tx, cacheOf(db), siteNo, buckets, PARTS) : []
    return { total: addUp(whole!), buckets: divided.map(addUp), sources: sourcesOf(whole!) }
  })
}

function sourcesOf({ rolledUp, hits, sessions }: WindowParts): Explained<typeof NO_TRAFFIC>['sources'] {
  const from: Explained<typeof NO_TRAFFIC>['sources'] = {}
  if (rolledUp.length > 0) from.daily_rollups = addUp({ rolledUp, hits: [], sessions: [] })
  for (const source of BUCKET_SOURCES) {
    const read = {
      hits: hits!.filter(row => row.source === source),
      sessions: sessions!.filter(row => row.source === source),
    }
    if (read.hits.length + read.sessions.length > 0) from[source] = addUp({ rolledUp: [], ...read })
  }
  return from
}

export function explainRevenue(
  db: Db,
  { siteNo, currency, window, buckets }: Tasks['explainRevenue']['input'],
): Promise<Tasks['explainRevenue']['output']> {
  return inSnapshot(db, async tx => {
    const [whole, ...divided] = await readSegments(tx, { siteNo, currency, windows: [window, ...buckets] })
    const sources: Explained<ReturnType<typeof addUpPayments>>['sources'] = {}
    for (const source of BUCKET_SOURCES) {
      const rows = whole!.filter(row => row.source === source)
      if (rows.length > 0) sources[source] = addUpPayments(rows)
    }
    return { total: addUpPayments(whole!), buckets: divided.map(addUpPayments), sources }
  })
}

export function explainValue(
  db: Db,
  { value, window, buckets, ...asked }: Tasks['explainValue']['input'],
): Promise<Tasks['explainValue']['output']> {
  return inSnapshot(db, async tx => {
    const [key] = await keysOf(tx, asked.siteNo, [value])
    const sum = (span: typeof window, readsAllRows = false) =>
      sumValues(tx, cacheOf(db), { ...asked, window: span }, { withVisitors: true, readsAllRows })
    const whole = await sum(window)
    if (!whole) return null
    const divided: Counts[] = []
    for (const bucket of buckets) {
      const summed = await sum(bucket, true)
      if (!summed) return null
      divided.push(await countsOf(summed, key!))
    }
    return {
      total: await countsOf(whole, key!),
      buckets: divided,
      sources: await sourcesOfValue(whole, key!),
    }
  })
}

async function countsOf(summed: Summed, key: number | string): Promise<Counts> {
  const index = summed.sums.indexOf(key)
  await countVisitors(summed, [index])
  return summed.sums.countsAt(index)
}

async function sourcesOfValue(summed: Summed, key: number | string): Promise<BySource<Counts>> {
  const total = await countsOf(summed, key)
  const { ranges, sums } = summed
  const rolledUp = noCounts()
  const added = COLUMNS.filter(column => column !== 'lastAt' && column !== 'visitors')
  for (const range of ranges.all) {
    const entry = typeof key === 'number' ? range.find(key) : -1
    if (entry !== -1) for (const column of added) rolledUp[column] += range.columns[column]?.[entry] ?? 0
  }
  const rows = noCounts()
  for (const column of added) rows[column] = total[column] - rolledUp[column]
  await ranges.loadVisitors([key])
  rolledUp.visitors = countTogether(ranges.visitorsOf(key), [])
  rows.visitors = countTogether([], sums.sliceVisitors(sums.indexOf(key)))
  const hasAny = (counts: Counts) => Object.values(counts).some(count => count !== 0)
  return {
    ...(hasAny(rolledUp) && { daily_rollups: rolledUp }),
    ...(hasAny(rows) && { rows }),
  }
}
