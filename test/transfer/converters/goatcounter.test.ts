import fc from 'fast-check'
import { expect, test } from 'vitest'
import { goatcounter } from '../../../src/transfer/converters/goatcounter.ts'
import { convert, csv, visitor } from './converted.ts'
import { RUNS, randomRows } from './random-fields.ts'

const COLUMNS = [
  ...['2Path', 'Title', 'Event', 'UserAgent', 'Browser', 'System', 'Session', 'Bot', 'Referrer'],
  ...['Referrer scheme', 'Screen size', 'Location', 'FirstVisit', 'Date'],
]
const SESSION = '287fb97cbed4e4f-8e4f5c975b8fee06'
const PAGE = {
  '2Path': '/static-go.html?lang=de',
  Title: 'Statically compiling "Go", programs',
  Event: '0',
  Browser: 'Safari 14.0',
  System: 'macOS 10.15',
  Session: SESSION,
  Bot: '0',
  Referrer: 'www.reddit.com/r/golang',
  'Referrer scheme': 'h',
  'Screen size': '1680,0,1',
  Location: 'US-TX',
  FirstVisit: '1',
  Date: '2020-12-27T00:37:37Z',
}
const EVENT = { ...PAGE, '2Path': 'click-cv', Event: 'true', Title: '' }

const rows = (...changes: Partial<typeof PAGE>[]) =>
  csv(COLUMNS, ...changes.map(change => ({ ...PAGE, ...change })))
const only = async (change: Partial<typeof PAGE>) => (await convert(goatcounter, rows(change))).hits[0]!

test('GoatCounter: a page view and an event become hits of their session', async () => {
  const { hits, left } = await convert(goatcounter, csv(COLUMNS, PAGE, EVENT))
  const device = {
    screen: { width: 1680 },
    os: 'macOS',
    os_version: '10.15',
    browser: { name: 'Safari', version: '14.0' },
  }
  const line = { timestamp: '2020-12-27T00:37:37.000Z', location: { country: 'US', region: 'US-TX' } }
  expect(hits).toEqual([
    {
      endpoint: 'collect',
      ...line,
      body: {
        hostname: 'example.com',
        ...visitor('goatcounter', SESSION),
        url: { path: '/static-go.html?lang=de', title: 'Statically compiling "Go", programs' },
        referrer: 'https://www.reddit.com/r/golang',
        ...device,
      },
    },
    {
      endpoint: 'event',
      ...line,
      body: { hostname: 'example.com', ...visitor('goatcounter', SESSION), name: 'click-cv', ...device },
    },
  ])
  expect(left).toEqual([])
})

test('GoatCounter: names of sources and campaigns become tags of the page', async () => {
  const pathOf = async (Referrer: string, scheme: string) => {
    const { body } = await only({ '2Path': '/a', Referrer, 'Referrer scheme': scheme })
    return [(body.url as { path: string }).path, body.referrer]
  }
  expect(await pathOf('Hacker News', 'g')).toEqual(['/a?ref=Hacker+News', undefined])
  expect(await pathOf('www.reddit.com', 'g')).toEqual(['/a', 'https://www.reddit.com'])
  expect(await pathOf('spring sale', 'c')).toEqual(['/a?utm_source=spring+sale', undefined])
  expect(await pathOf('https://news.example/x', 'c')).toEqual(['/a', 'https://news.example/x'])
  expect(await pathOf('com.slack.app', 'o')).toEqual(['/a', 'android-app://com.slack.app'])
  expect(await pathOf('something', 'o')).toEqual(['/a', undefined])
})

test('GoatCounter: times have their offset, and crawlers and rows without session are left out', async () => {
  expect((await only({ Date: '2024-06-01T12:00:00+02:00' })).timestamp).toBe('2024-06-01T10:00:00.000Z')
  const file = rows(
    { Bot: '3' },
    { Session: '0-0' },
    { Date: 'yesterday' },
    { '2Path': '' },
    {
      '2Path': 'payment',
      Event: '1',
    },
  )
  expect((await convert(goatcounter, file)).left).toEqual([
    'crawler',
    'no session, so that the visitor is not known',
    'no valid time',
    'no page',
    'event name that only this service may use',
  ])
})

test('GoatCounter: a file of version 1 has the user agent in the column of the browser', async () => {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:80.0) Gecko/20100101 Firefox/80.0'
  const columns = [
    '1Path',
    'Title',
    'Event',
    'Bot',
    'Session',
    'FirstVisit',
    'Referrer',
    'Referrer scheme',
    'Browser',
    'Screen size',
    'Location',
    'Date',
  ]
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
  const small = csv(['2Path', 'Event', 'Session', 'Date'], PAGE)
  expect((await convert(goatcounter, small)).hits).toHaveLength(1)
})

test('GoatCounter: odd bytes and rows do not stop the file', async () => {
  const lineOf = (change: Partial<typeof PAGE>) => rows(change).split('\r\n').slice(1).join('\r\n')
  const long = lineOf({ Title: 'x'.repeat(10 * 1024 * 1024) })
  const lines = [rows({ Title: 'two\nlines' }), long, COLUMNS.join(','), lineOf({ Title: 'caf\xe9' })]
  // As Latin-1, the bytes of the mark are right and é is no UTF-8.
  const { hits, left } = await convert(
    goatcounter,
    Buffer.from(`\xef\xbb\xbf${lines.join('\r\n')}`, 'latin1'),
  )
  expect(hits.map(({ body: { url } }) => (url as { title: string }).title)).toEqual([
    'two\nlines',
    'caf\ufffd',
  ])
  expect(left.sort()).toEqual(['names of columns, repeated', 'the row is longer than 1024 KiB'])
})

test('GoatCounter: a row with fewer fields, or with columns in another order, is taken for what it has', async () => {
  const { hits, left } = await convert(
    goatcounter,
    `Date,Event,Session,2Path\n${PAGE.Date},0,${SESSION},/a\n${PAGE.Date},0,${SESSION}\nx`,
  )
  expect([hits.length, left]).toEqual([1, ['no page', 'no valid time']])
})

test('GoatCounter: a text that is too long is cut and counted', async () => {
  const { hits, left } = await convert(goatcounter, rows({ Title: 'ü'.repeat(600) }))
  expect((hits[0]!.body.url as { title: string }).title).toBe('ü'.repeat(512))
  expect(left).toEqual(['part of a row: title cut to 512 characters'])
})

test('GoatCounter: every line of any row is one that the import takes', async () => {
  await fc.assert(
    fc.asyncProperty(randomRows(PAGE, EVENT), async random => {
      await convert(goatcounter, csv(COLUMNS, PAGE, ...random))
    }),
    RUNS,
  )
})
