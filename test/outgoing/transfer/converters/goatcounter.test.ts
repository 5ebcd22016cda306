import { expect, test } from 'vitest'
import { goatcounter } from '../../../../src/outgoing/transfer/converters/goatcounter.ts'
import { convert, csv, expectLeft, visitor } from './converted.ts'
import { expectTaken, randomRows } from './random-fields.ts'

const COLUMNS = [
  ...['2Path', 'Title', 'Event', 'UserAgent', 'Browser', 'System', 'Session', 'Bot', 'Referrer'],
  ...['Referrer scheme', 'Screen size', 'Location', 'FirstVisit', 'Date'],
]
const SESSION = '287fb97cbed4e4f-8e4f5c975b8fee06'
const PAGE = {
  ...{ '2Path': '/static-go.html?lang=de', Title: 'Statically compiling "Go", programs', Event: '0' },
  ...{ Browser: 'Safari 14.0', System: 'macOS 10.15', Session: SESSION, Bot: '0' },
  ...{ Referrer: 'www.reddit.com/r/golang', 'Referrer scheme': 'h', 'Screen size': '1680,0,1' },
  ...{ Location: 'US-TX', FirstVisit: '1', Date: '2020-12-27T00:37:37Z' },
}
const EVENT = { ...PAGE, '2Path': 'click-cv', Event: 'true', Title: '' }

const rows = (...changes: Partial<typeof PAGE>[]) =>
  csv(COLUMNS, ...changes.map(change => ({ ...PAGE, ...change })))
const only = async (change: Partial<typeof PAGE>) => (await convert(goatcounter, rows(change))).hits[0]!

test('GoatCounter: a page view and an event become hits of their session', async () => {
  const device = { os: 'macOS', os_version: '10.15', browser: { name: 'Safari', version: '14.0' } }
  const sender = { hostname: 'example.com', ...visitor('goatcounter', SESSION), screen: { width: 1680 } }
  const line = { timestamp: '2020-12-27T00:37:37.000Z', location: { country: 'US', region: 'US-TX' } }
  const url = { path: '/static-go.html?lang=de', title: 'Statically compiling "Go", programs' }
  const referrer = 'https://www.reddit.com/r/golang'
  expect(await convert(goatcounter, csv(COLUMNS, PAGE, EVENT))).toEqual({
    hits: [
      { endpoint: 'collect', ...line, body: { ...sender, url, referrer, ...device } },
      { endpoint: 'event', ...line, body: { ...sender, name: 'click-cv', ...device } },
    ],
    left: [],
  })
})

test('GoatCounter: names of sources and campaigns become tags of the page', async () => {
  for (const [Referrer, scheme, path, referrer] of [
    ['Hacker News', 'g', '/a?ref=Hacker+News', undefined],
    ['www.reddit.com', 'g', '/a', 'https://www.reddit.com'],
    ['spring sale', 'c', '/a?utm_source=spring+sale', undefined],
    ['https://news.example/x', 'c', '/a', 'https://news.example/x'],
    ['com.slack.app', 'o', '/a', 'android-app://com.slack.app'],
    ['something', 'o', '/a', undefined],
  ] as const) {
    const { body } = await only({ '2Path': '/a', Title: '', Referrer, 'Referrer scheme': scheme })
    expect([body.url, body.referrer]).toEqual([{ path }, referrer])
  }
})

test('GoatCounter: times have their offset, and crawlers and rows without session are left out', async () => {
  expect((await only({ Date: '2024-06-01T12:00:00+02:00' })).timestamp).toBe('2024-06-01T10:00:00.000Z')
  const cases: [Partial<typeof PAGE>, string][] = [
    [{ Bot: '3' }, 'crawler'],
    [{ Session: '0-0' }, 'no session, so that the visitor is not known'],
    [{ Date: 'yesterday' }, 'no valid time'],
    [{ '2Path': '' }, 'no page'],
    [{ '2Path': 'payment', Event: '1' }, 'event name that only this service may use'],
  ]
  await expectLeft(goatcounter, cases, rows)
})

test('GoatCounter: a file of version 1 has the user agent in the column of the browser', async () => {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:80.0) Gecko/20100101 Firefox/80.0'
  const columns = ['1Path', ...COLUMNS.filter(name => !['2Path', 'UserAgent', 'System'].includes(name))]
  const { '2Path': path, ...others } = PAGE
  const { hits } = await convert(goatcounter, csv(columns, { ...others, '1Path': path, Browser: userAgent }))
  expect(hits[0]!.user_agent).toBe(userAgent)
  expect(hits[0]!.body.browser).toBeUndefined()
})

test('GoatCounter: missing columns are named; those that may be missing are not', async () => {
  await expect(convert(goatcounter, 'Path,Event,Date\n/a,0,2024-01-01T00:00:00Z')).rejects.toThrow(
    'export.csv lacks the columns 2path or 1path, session. Bring the CSV export of GoatCounter (version 2 or 1)',
  )
  await expect(convert(goatcounter, rows({}).replace('2Path', '3Path'))).rejects.toThrow(
    'lacks the column 2path',
  )
  const small = csv(['Date', 'Event', 'Session', '2Path'], { ...PAGE, '2Path': `/${'x'.repeat(2_048)}` })
  const { hits, left } = await convert(goatcounter, small)
  expect([hits.length, left]).toEqual([1, ['part of a row: address of the page cut to 2048 characters']])
})

test('GoatCounter: odd bytes and rows do not stop the file', async () => {
  const lineOf = (change: Partial<typeof PAGE>) => rows(change).split('\r\n').slice(1).join('\r\n')
  const long = lineOf({ Title: 'x'.repeat(10 * 1024 * 1024) })
  const lines = [rows({ Title: 'two\nlines' }), long, COLUMNS.join(','), lineOf({ Title: 'caf\xe9' })]
  // As Latin-1, the bytes of the mark are right and é is no UTF-8.
  const file = Buffer.from(`\xef\xbb\xbf${lines.join('\r\n')}`, 'latin1')
  const { hits, left } = await convert(goatcounter, file)
  const titles = hits.map(({ body: { url } }) => (url as { title: string }).title)
  expect(titles).toEqual(['two\nlines', 'caf\ufffd'])
  expect(left.sort()).toEqual(['names of columns, repeated', 'the row is longer than 1024 KiB'])
})

test('GoatCounter: every line of any row is one that the import takes', async () => {
  const files = randomRows(PAGE, EVENT).map(random => csv(COLUMNS, PAGE, ...random))
  await expectTaken(goatcounter, files)
})
