import { expect, test } from 'vitest'
import { sumOf } from '../../scripts/bench/counters.ts'
import { createRandom, longTail } from '../../scripts/bench/random.ts'
import { sentHits } from '../../scripts/bench/senders.ts'
import { figure, formatTable, median, quantile } from '../../scripts/bench/table.ts'
import { visitsOf } from '../../scripts/bench/visits.ts'
import { readEnvelope } from '../../src/ingestion/import/envelope.ts'

test('the median of an even number of values lies between the two in the middle', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([10, 1, 2, 4])).toBe(3)
  expect(median([])).toBeNaN()
})

test('a quantile is one of the values, by nearest rank', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect(quantile(values, 0.5)).toBe(50)
  expect(quantile(values, 0.99)).toBe(99)
  expect(quantile([7], 0.99)).toBe(7)
  expect(quantile([3, 8], 0)).toBe(3)
})

test.each([
  [0, '0'],
  [0.01234, '0.012'],
  [1.5, '1.50'],
  [12.34, '12.3'],
  [123.4, '123'],
  [12_345.6, '12,346'],
  [Number.NaN, '–'],
  [undefined, '–'],
])('%s is shown as %s', (value, shown) => {
  expect(figure(value)).toBe(shown)
})

test('a table has the first column to the left and the others to the right', () => {
  expect(formatTable(['read', 'ms'], [['overview', '1.5'], ['goals']])).toBe(
    ['| read     |  ms |', '| -------- | --: |', '| overview | 1.5 |', '| goals    |     |'].join('\n'),
  )
})

test('a counter is summed over its labels, and not with others whose names begin like it', () => {
  const text = [
    'hits_total{pid="1"} 3',
    'hits_total{pid="2"} 4',
    'hits_total_more 9',
    '# HELP hits_total x',
  ].join('\n')
  expect(sumOf(text, 'hits_total')).toBe(7)
  expect(sumOf(text, 'nothing')).toBe(0)
})

test('the long tail draws low ranks most, and every rank', () => {
  const draw = longTail(10, createRandom(1))
  const drawn = new Array<number>(10).fill(0)
  for (let index = 0; index < 10_000; index++) drawn[draw()]! += 1
  expect(Math.min(...drawn)).toBeGreaterThan(0)
  expect(drawn[0]! / drawn[9]!).toBeGreaterThan(5)
})

const DAY_MS = 86_400_000
const visits = { hits: 5_000, from: Date.UTC(2026, 0, 1), days: 3, hostname: 'example.com', seed: 4 }
const linesOf = (seed: number) =>
  Buffer.concat([...visitsOf({ ...visits, seed })])
    .toString()
    .trimEnd()
    .split('\n')

test('made-up visits are as many as asked for, in time order, within their days, and can be imported', () => {
  const lines = linesOf(4)
  expect(lines).toHaveLength(visits.hits)
  const times = lines.map(line => readEnvelope(Buffer.from(line), visits.from + 10 * DAY_MS).at)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(times[0]).toBeGreaterThanOrEqual(visits.from)
  expect(times.at(-1)).toBeLessThan(visits.from + visits.days * DAY_MS)
})

test('the same seed makes the same visits, another one others', () => {
  expect(linesOf(4)).toEqual(linesOf(4))
  expect(linesOf(5)).not.toEqual(linesOf(4))
})

test('a tenth of made-up hits are custom events', () => {
  const custom = linesOf(4).filter(
    line => line.includes('"endpoint":"event"') && !line.includes('"name":"error"'),
  )
  expect(custom.length / visits.hits).toBeGreaterThan(0.08)
  expect(custom.length / visits.hits).toBeLessThan(0.12)
})

test('no address of the load sends more than its share', () => {
  const hits = sentHits({ key: 'k', count: 4_000, addresses: 100, visitors: 400, seed: 1 })
  const counts = new Map<string, number>()
  for (const { address } of hits) counts.set(address, (counts.get(address) ?? 0) + 1)
  expect(counts.size).toBe(100)
  expect(Math.max(...counts.values())).toBe(40)
})
