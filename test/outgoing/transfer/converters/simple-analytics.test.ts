import { expect, test } from 'vitest'
import { simpleAnalytics } from '../../../../src/outgoing/transfer/converters/simple-analytics.ts'
import { convert, csv, expectLeft, visitor } from './converted.ts'
import { expectTaken, randomRows } from './random-fields.ts'

const SESSION = 'b1f4a5f2-3d6e-4d0a-9c3f-0d8f3f5e8a11'
const USER_AGENT =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'
const PAGE = {
  ...{ added_unix: '1598927168', added_iso: '2020-09-01T02:26:08.000Z', hostname: 'example.com' },
  ...{ hostname_original: '', path: '/blog/first', query: '?page=2', is_unique: 'true', is_robot: 'false' },
  ...{ document_referrer: 'https://news.ycombinator.com/item?id=1', utm_source: 'hackernewsletter' },
  ...{ utm_medium: 'email', utm_campaign: '', utm_content: 'fav', utm_term: '', scrolled_percentage: '75' },
  ...{ duration_seconds: '42', screen_width: '1920', screen_height: '1080', user_agent: USER_AGENT },
  ...{ device_type: 'desktop', country_code: 'NL', browser_name: 'Chrome', browser_version: '120.0' },
  ...{ os_name: 'macOS', os_version: '10.15', lang_region: 'us', lang_language: 'en', session_id: SESSION },
  ...{ uuid: 'f2dbec14-c8c1-4191-92da-d408fc7b7e1c', datapoint: '', 'metadata.plan_text': '' },
  'metadata.seats_int': '',
}
const EVENT = { ...PAGE, datapoint: 'signup', 'metadata.plan_text': 'team', 'metadata.seats_int': '5' }
const COLUMNS = Object.keys(PAGE)
const rows = (...changes: Record<string, string>[]) =>
  csv(COLUMNS, ...changes.map(change => ({ ...PAGE, ...change })))

const sender = { hostname: 'example.com', ...visitor('simple-analytics', SESSION) }
const line = { timestamp: '2020-09-01T02:26:08.000Z', user_agent: USER_AGENT, location: { country: 'NL' } }
const device = {
  ...{ screen: { width: 1920, height: 1080 }, language: 'en-us', os: 'macOS', os_version: '10.15' },
  ...{ browser: { name: 'Chrome', version: '120.0' }, device: 'desktop' },
}
const path = '/blog/first?page=2&utm_source=hackernewsletter&utm_medium=email&utm_content=fav'
const referrer = 'https://news.ycombinator.com/item?id=1'

test('Simple Analytics: a page view is followed by its engagement, an event has its metadata', async () => {
  const engaged = { ...sender, url: { path: '/blog/first?page=2' }, sd: 75, time: 42_000 }
  const page = { ...sender, url: { path }, referrer, ...device }
  const properties = { plan: 'team', seats: '5' }
  expect(await convert(simpleAnalytics, csv(COLUMNS, PAGE, EVENT))).toEqual({
    hits: [
      { endpoint: 'collect', ...line, body: page },
      { endpoint: 'engage', ...line, timestamp: '2020-09-01T02:26:50.000Z', body: engaged },
      { endpoint: 'event', ...line, body: { ...page, name: 'signup', properties } },
    ],
    left: [],
  })
})

test('Simple Analytics: a time without offset is one of the zone of the site', async () => {
  for (const [added_iso, timestamp] of [
    ['2024-03-31T01:59:00', '2024-03-31T00:59:00.000Z'],
    ['2024-03-31T03:00:00', '2024-03-31T01:00:00.000Z'],
    ['2024-10-27T02:30:00+01:00', '2024-10-27T01:30:00.000Z'],
  ] as const) {
    const file = rows({ added_unix: '', added_iso, duration_seconds: '', scrolled_percentage: '' })
    const { hits } = await convert(simpleAnalytics, file, { timezone: 'Europe/Amsterdam' })
    expect(hits).toMatchObject([{ timestamp }])
  }
})

test('Simple Analytics: robots, other websites and rows without ids are left out', async () => {
  const cases: [Record<string, string>, string][] = [
    [{ is_robot: 'true' }, 'crawler'],
    [{ hostname: 'blog.example.com', duration_seconds: '', scrolled_percentage: '' }, 'another website'],
    [{ session_id: '', uuid: '' }, 'neither session_id nor uuid'],
    [{ added_unix: '', added_iso: 'never' }, 'no valid time'],
    [{ datapoint: 'payment' }, 'event name that only this service may use'],
    [{ path: '' }, 'no page'],
  ]
  await expectLeft(simpleAnalytics, cases, rows, { website: 'example.com' })
  const blog = rows({ hostname: 'blog.example.com' })
  expect((await convert(simpleAnalytics, blog)).hits[0]!.body.hostname).toBe('blog.example.com')
})

test('Simple Analytics: automated events are autocaptures', async () => {
  const { hits } = await convert(simpleAnalytics, rows({ datapoint: 'outbound_example_org' }))
  expect(hits[0]!.body).toMatchObject({ name: 'outbound', properties: { name: 'outbound_example_org' } })
})

test('Simple Analytics: exports of older versions have other columns', async () => {
  const hostname = 'blog.example.com'
  const row = { ...PAGE, url: 'https://blog.example.com/a', referrer_raw: 'lobste.rs', hostname }
  const columns = ['added_unix', 'url', 'referrer_raw', 'hostname', 'is_unique', 'utm_source', 'uuid']
  const { hits } = await convert(simpleAnalytics, csv(columns, row))
  const url = { path: '/a?utm_source=hackernewsletter' }
  const body = { hostname, ...visitor('simple-analytics', PAGE.uuid), url, referrer: 'lobste.rs' }
  expect(hits[0]!.body).toEqual(body)
  await expect(convert(simpleAnalytics, 'hostname,path\nexample.com,/')).rejects.toThrow(
    /lacks the columns added_unix or added_iso, session_id or uuid\. Bring the CSV export of data points/,
  )
})

test('Simple Analytics: every line of any row is one that the import takes', async () => {
  const files = randomRows(PAGE, EVENT).map(random => csv(COLUMNS, PAGE, ...random))
  await expectTaken(simpleAnalytics, files)
})
