import { expect, test } from 'vitest'
import { shorten } from '../../../src/http/mcp/shorten.ts'

const row = (number: number) => ({ path: `/${number}`, text: 'x'.repeat(200) })
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index))

test('shorten: a short answer stays as it is', () => {
  expect(shorten({ data: rows(20), total: 9 })).toEqual({ short: { data: rows(20), total: 9 }, cut: [] })
  expect(shorten([])).toEqual({ short: [], cut: [] })
})

test.each([
  ['a list', rows(100), /^answer: \d+ of 100$/],
  ['a page', { data: rows(100), meta: { total: 100 } }, /^data: \d+ of 100$/],
  ['rows in one row', { steps: [{ branches: rows(60) }] }, /^steps.0.branches: \d+ of 60$/],
])('shorten: %s keeps its first items, and says how many', (_, answer, said) => {
  const { short, cut } = shorten(answer)
  expect(JSON.stringify(short).length).toBeLessThan(5_600)
  expect(JSON.stringify(short).length).toBeGreaterThan(4_000)
  expect(cut).toEqual([expect.stringMatching(said)])
  expect(JSON.stringify(short)).toContain('"/0"')
})

test('shorten: the lists of a series stay whole', () => {
  const labels = Array.from({ length: 300 }, (_, index) => `2026-01-01T00:00:00+01:00 ${index}`)
  const series = { labels, values: labels.map((_, index) => index) }
  expect(shorten(series)).toEqual({ short: series, cut: [] })
})
