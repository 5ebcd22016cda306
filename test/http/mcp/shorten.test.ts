import { expect, test } from 'vitest'
import { shorten } from '../../../src/http/mcp/shorten.ts'

const row = (number: number) => ({ path: `/${number}`, text: 'x'.repeat(150) })
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index))
const buckets = (count: number) => Array.from({ length: count }, (_, index) => index)
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(JSON.stringify(value)))

test('shorten: a short answer stays as it is', () => {
  expect(shorten({ data: rows(20), total: 9 })).toEqual({ short: { data: rows(20), total: 9 }, cut: [] })
  expect(shorten([])).toEqual({ short: [], cut: [] })
})

test.each(
  Object.entries<[answer: unknown, said: RegExp, kept: string]>({
    'a list': [rows(100), /^the first \d+ of 100 in answer$/, '"/0"'],
    'a page': [{ data: rows(100), meta: { total: 100 } }, /^the first \d+ of 100 in data$/, '"/0"'],
    'rows in one row': [
      { steps: [{ branches: rows(60) }] },
      /^the first \d+ of 60 in steps.0.branches$/,
      '"/0"',
    ],
    'two lists of one length': [
      { pages: rows(3), sources: rows(3), events: rows(30) },
      /^the first \d+ of 30 in events$/,
      '"/0"',
    ],
    buckets: [
      { buckets: rows(60).map(({ text, path }) => ({ start: path, text })) },
      /^the last \d+ of 60 in buckets$/,
      '"/59"',
    ],
    'free fields': [
      { custom: Object.fromEntries(rows(60).map(({ path, text }) => [path, text])) },
      /^the first \d+ of 60 in custom$/,
      '"/0"',
    ],
    'a list with long texts': [
      { data: rows(5).map(each => ({ ...each, url: 'ü'.repeat(2_000) })) },
      /^the first 500 bytes of long texts$/,
      '"/4"',
    ],
  }),
)('shorten: of %s, what is kept and how much is said', (_, [answer, said, kept]) => {
  const { short, cut } = shorten(answer)
  expect(bytes(short)).toBeLessThanOrEqual(5_600)
  expect(bytes(short)).toBeGreaterThan(3_000)
  expect(cut).toEqual([expect.stringMatching(said)])
  expect(JSON.stringify(short)).toContain(kept)
})

test('shorten: a text is cut between two characters, and a row of long texts fits', () => {
  const { short, cut } = shorten({ a: `x${'ü'.repeat(3_000)}` })
  expect(short).toEqual({ a: `x${'ü'.repeat(999)}…` })
  expect(cut).toEqual(['the first 2000 bytes of long texts'])
  const row = Object.fromEntries(buckets(50).map(number => [`field_${number}`, 'x'.repeat(3_000)]))
  expect(shorten([row]).cut).toEqual(['the first 40 bytes of long texts'])
})

test('shorten: the lists of a series are cut together, the newest buckets stay', () => {
  const labels = buckets(300).map(index => `2026-01-01T00:00:00+01:00 ${index}`)
  const values = buckets(300)
  const series = {
    ...{ labels, types: ['pageview'], series: { pageview: values } },
    ...{ previous: { new: values }, previous_labels: [...labels, 'later'] },
  }
  const { short, cut } = shorten(series) as { short: typeof series; cut: string[] }
  const left = short.labels.length
  expect(cut).toEqual([`the last ${left} of 300 in labels and their values`])
  expect(left).toBeGreaterThan(40)
  expect(short).toEqual({
    ...{ labels: labels.slice(-left), types: ['pageview'], series: { pageview: values.slice(-left) } },
    ...{ previous: { new: values.slice(-left) }, previous_labels: labels.slice(-left) },
  })
})

test('shorten: what stands beside the answer counts', () => {
  const beside = { about: 'x'.repeat(3_000) }
  expect(bytes(shorten(rows(100), beside).short)).toBeLessThanOrEqual(2_600)
})
