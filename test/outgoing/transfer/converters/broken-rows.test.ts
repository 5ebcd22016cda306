import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Converter } from '../../../../src/outgoing/transfer/converters/converter.ts'
import { goatcounter } from '../../../../src/outgoing/transfer/converters/goatcounter.ts'
import { plausible } from '../../../../src/outgoing/transfer/converters/plausible.ts'
import { simpleAnalytics } from '../../../../src/outgoing/transfer/converters/simple-analytics.ts'
import { umami } from '../../../../src/outgoing/transfer/converters/umami/umami.ts'
import { sortHits } from '../../../../src/outgoing/transfer/imports/sort-hits.ts'
import { fileOf } from '../read/source.ts'

const TIME = '2025-03-01 10:00:00'
/** Columns and a row of each format that is CSV. */
const FORMATS: [string, Converter, Record<string, string>][] = [
  ['GoatCounter', goatcounter, { '2Path': '/a', Event: '0', Session: 's1', Date: '2025-03-01T10:00:00Z' }],
  ['Plausible', plausible, { timestamp: TIME, name: 'pageview', user_id: '7', pathname: '/a' }],
  ['Simple Analytics', simpleAnalytics, { added_unix: '1740823200', path: '/a', session_id: 's' }],
  ['Umami', umami, { session_id: 's', created_at: TIME, url_path: '/a', event_type: '1', website_id: 'w' }],
]

/** What breaks a line; undefined: it does not. */
const breaks: [string, ((line: string) => string) | undefined][] = [
  ['nothing', undefined],
  ['cut short', line => line.slice(0, line.indexOf(',', 4))],
  ['one field more', line => `${line},x`],
  ['text after a quote', line => `"a"b${line}`],
  ['a quote in a field', line => line.replace(',', '",')],
  ['empty', () => ','],
  ['other text', () => 'hello world'],
  ['bytes that are no text', line => `\u0000\ufffd${line}`],
]

const folder = join(tmpdir(), 'analytics-import')
const summaryOf = async (converter: Converter, text: string) => {
  const sorted = await sortHits(
    converter.convert(fileOf(text, 'export.csv', 64), {
      domain: 'example.com',
      timezone: 'UTC',
      sort: { folder },
    }),
    { folder },
  )
  await sorted.close()
  return sorted.summary
}

test.each(FORMATS)(
  '%s: rows that are imported and rows that are left are together those of the file, whatever is broken',
  async (_, converter, row) => {
    const header = Object.keys(row).join(',')
    const whole = Object.values(row).join(',')
    const lines = fc.array(fc.constantFrom(...breaks), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(lines, async given => {
        const broken = given.map(([, change]) => change?.(whole) ?? whole)
        const { rows, left, left_total, hits } = await summaryOf(
          converter,
          [header, whole, ...broken].join('\n'),
        )
        const carriedOver = Object.values(hits).reduce((sum, count) => sum + count, 0)
        expect([rows, carriedOver + left_total]).toEqual([given.length + 1, given.length + 1])
        const short = left.find(({ reason }) => reason === 'the row has fewer fields than there are columns')
        const cut = given.flatMap(([name], index) =>
          ['cut short', 'empty', 'other text'].includes(name) ? [index + 3] : [],
        )
        expect(short?.lines ?? []).toEqual(cut.slice(0, 5))
      }),
      { numRuns: 30 },
    )
  },
)
