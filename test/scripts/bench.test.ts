import { expect, test } from 'vitest'
import { sumOf } from '../../scripts/bench/counters.ts'
import { INGEST_COLUMNS } from '../../scripts/bench/ingest-columns.ts'
import { summarize } from '../../scripts/bench/measure-rollups.ts'
import { sentHits } from '../../scripts/bench/senders.ts'
import { SHAPES, type ShapeName } from '../../scripts/bench/shapes.ts'
import { median, quantile } from '../../scripts/bench/table.ts'
import { visitsOf } from '../../scripts/bench/visits.ts'
import { readEnvelope } from '../../src/ingestion/import/envelope.ts'

test('bench: a median lies between the two middle values, and a quantile is one of the values, by nearest rank', () => {
  expect([median([9, 1, 5]), median([10, 1, 2, 4])]).toEqual([5, 3])
  expect(median([])).toBeNaN()
  const values = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect([quantile(values, 0.5), quantile(values, 0.99)]).toEqual([50, 99])
  expect([quantile([7], 0.99), quantile([3, 8], 0)]).toEqual([7, 3])
})

test('bench: a counter is summed over its labels, without counters whose names start alike', () => {
  const text = 'hits_total{pid="1"} 3\nhits_total{pid="2"} 4\nhits_total_more 9\n# HELP hits_total x'
  expect(sumOf(text, 'hits_total')).toBe(7)
  expect(sumOf(text, 'nothing')).toBe(0)
})

test('bench: the CPU of all masters of a cluster counts together, and that of the busiest one apart', () => {
  const cpu = new Map(Object.entries({ 'redis 1': 0.25, 'redis 2': 0.5, http: 2 }))
  const wrk = { requests: 1, seconds: 1, refused: 0, broken: 0, p50Ms: 1, p99Ms: 1 }
  const run = { accepted: 1, acceptedPerSecond: 1, wrk, cpu }
  const shown = Object.fromEntries(INGEST_COLUMNS.map(({ name, value }) => [name, value(run)]))
  expect(shown).toMatchObject({ redis: 0.75, 'busiest redis': 0.5, http: 2, 'CPU s/1,000': 2.75 })
})

const DAY_MS = 86_400_000
const shape = { ...SHAPES.mixed, days: 3 }
const visits = { hits: 5_000, from: Date.UTC(2026, 0, 1), shape, hostname: 'example.com', seed: 4 }
const linesIn = (options: Parameters<typeof visitsOf>[0]) =>
  Buffer.concat([...visitsOf(options)])
    .toString()
    .trimEnd()
    .split('\n')
const linesOf = (seed: number) => linesIn({ ...visits, seed })

test('bench: generated visits have the requested number, time order and days, and can be imported', () => {
  const lines = linesOf(4)
  expect(lines).toHaveLength(visits.hits)
  const times = lines.map(line => readEnvelope(Buffer.from(line), visits.from + 10 * DAY_MS).at)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(times[0]).toBeGreaterThanOrEqual(visits.from)
  expect(times.at(-1)).toBeLessThan(visits.from + visits.shape.days * DAY_MS)
})

test('bench: kinds of hits are a share of the generated ones', () => {
  for (const [share, kind] of [
    [0.08, /"name":"(signup|purchase|search|video_play|add_to_cart|share|comment)"/],
    [0.05, /"name":"(button|outbound|form)"/],
    [0.1, /"endpoint":"web-vitals"/],
    [0.53, /"endpoint":"collect"/],
  ] as const) {
    const found = linesOf(4).filter(line => kind.test(line))
    expect(Math.abs(found.length / visits.hits - share), kind.source).toBeLessThan(0.02)
  }
})

test('bench: no address of the load sends more than its share', () => {
  const hits = sentHits({ key: 'k', count: 4_000, addresses: 100, visitors: 400, seed: 1 })
  const counts = new Map<string, number>()
  for (const { address } of hits) counts.set(address, (counts.get(address) ?? 0) + 1)
  expect(counts.size).toBe(100)
  expect(Math.max(...counts.values())).toBe(40)
})

interface SentLine {
  timestamp: string
  endpoint: string
  body: { visitor_id: string; url?: { path: string } }
}

const sentBy = (shape: ShapeName, hits: number): SentLine[] =>
  linesIn({ ...visits, hits, shape: { ...SHAPES[shape], days: 30 } }).map(line => JSON.parse(line))

const visitorsOf = (lines: SentLine[]) => new Set(lines.map(line => line.body.visitor_id)).size
const pathsOf = (lines: SentLine[]) => new Set(lines.map(line => line.body.url?.path.split('?')[0])).size
const engagementOf = (lines: SentLine[]) => lines.filter(({ endpoint }) => endpoint !== 'collect').length

test('bench: each traffic shape has the property in its name', { tags: ['full'] }, () => {
  expect(visitorsOf(sentBy('few', 5_000))).toBe(5)
  expect(visitorsOf(sentBy('many', 5_000))).toBe(5_000)
  const silent = sentBy('silent', 5_000)
  expect(visitorsOf(silent)).toBe(500)
  expect(engagementOf(silent)).toBe(0)
  expect(pathsOf(sentBy('wide', 20_000))).toBeGreaterThan(2_000)
  const burst = sentBy('burst', 5_000).filter(({ timestamp }) => timestamp.startsWith('2026-01-16T12'))
  expect(burst.length).toBeGreaterThan(2_000)
})

test('bench: the worst day is the one with the most time per hit; days with almost no hits do not count', () => {
  const days = [
    { start: 0, hits: 1_000, ms: 50 },
    { start: 1, hits: 2_000, ms: 100 },
    { start: 2, hits: 100_000, ms: 6_000 },
    { start: 3, hits: 5, ms: 20 },
  ]
  expect(summarize(days)).toEqual({ days: 3, median: 50, worst: 60, worstDay: days[2] })
  expect(() => summarize([])).toThrow('no day')
})
