import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { umami } from '../../../../src/outgoing/transfer/converters/umami/umami.ts'
import { visitorIdOf } from '../../../../src/outgoing/transfer/converters/visitor-id.ts'
import { refused } from '../read/source.ts'
import { zipOf } from '../read/zip-file.ts'
import { convert, csv } from './converted.ts'

const WEBSITE = '3f673ea9-160f-4880-8d92-226feaa1e6d9'
const OTHER = '3f673ea9-160f-4880-8d92-226feaa1e6d0'

const event = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Columns of the cloud's website_event.csv. */
const CLOUD = [
  'website_id', 'session_id', 'visit_id', 'event_id', 'hostname', 'browser', 'os', 'device', 'screen', 'language',
  'country', 'region', 'city', 'url_path', 'url_query', 'utm_source', 'referrer_path', 'referrer_query',
  'referrer_domain', 'page_title', 'gclid', 'lcp', 'inp', 'cls', 'fcp', 'ttfb', 'event_type', 'event_name', 'tag',
  'distinct_id', 'created_at', 'job_id',
] // biome-ignore format: a list

const CLOUD_ROW = {
  website_id: WEBSITE, session_id: 'a', visit_id: 'v', event_id: event(1), hostname: 'www.example.com',
  browser: 'crios', os: 'Windows 10', device: 'laptop', screen: '1536x864', language: 'de-DE', country: 'DE',
  region: 'DE-BE', city: 'Berlin', url_path: '/preise', url_query: 'utm_source=x&a=1', referrer_domain: 'google.com',
  referrer_path: '/search', page_title: 'Preise, "neu"\nund gut', event_type: 1, created_at: '2026-03-01 10:00:00',
} // biome-ignore format: a list

test('umami: a pageview of the cloud export keeps everything that this service knows', async () => {
  const zip = zipOf([
    { name: 'website_event.csv', bytes: csv(CLOUD, CLOUD_ROW) },
    { name: 'event_data.csv', bytes: '' },
    { name: 'session_data.csv', bytes: 'website_id,session_id,data_key\r\n' },
  ])
  const body = {
    ...{ hostname: 'www.example.com', visitor_id: visitorIdOf('umami', 'a') },
    url: { path: '/preise?utm_source=x&a=1', title: 'Preise, "neu"\nund gut' },
    ...{ screen: { width: 1536, height: 864 }, language: 'de-DE', os: 'Windows', os_version: '10' },
    ...{ browser: { name: 'Chrome' }, device: 'desktop' },
    referrer: 'https://google.com/search',
  }
  const location = { country: 'DE', region: 'DE-BE', city: 'Berlin' }
  expect(await convert(umami, zip)).toEqual({
    left: [],
    hits: [{ endpoint: 'collect', timestamp: '2026-03-01T10:00:00.000Z', location, body }],
  })
})

test('umami: events get their data, revenue and web vitals, users their data', async () => {
  const rows = [
    CLOUD_ROW,
    { ...CLOUD_ROW, event_id: event(2), event_type: 2, event_name: 'order', distinct_id: 'u1' },
    { ...CLOUD_ROW, event_id: event(3), event_type: 5, lcp: '2500.5', cls: '0.0210', distinct_id: 'u1' },
    { ...CLOUD_ROW, event_id: event(4), visit_id: 'w', distinct_id: 'u1', created_at: '2026-03-02 10:00:00' },
  ]
  const data = csv(['website_id', 'session_id', 'event_id', 'data_key', 'string_value', 'number_value', 'date_value'],
    { event_id: event(2), data_key: 'revenue', number_value: '49.9000', string_value: '49.9000' },
    { event_id: event(2), data_key: 'currency', string_value: 'eur' },
    { event_id: event(2), data_key: 'seats', number_value: '5.0000' },
    { event_id: event(2), data_key: 'k'.repeat(70), string_value: 'v'.repeat(600) },
    { event_id: event(9), data_key: 'lost', string_value: 'x' },
    { event_id: event(2), data_key: 'empty' },
  ) // biome-ignore format: a table
  const people = csv(['session_id', 'data_key', 'string_value', 'distinct_id'],
    { session_id: 'a', data_key: 'plan', string_value: 'pro' },
    { session_id: 'none', data_key: 'plan', string_value: 'pro' },
  ) // biome-ignore format: a table
  const { hits, left } = await convert(
    umami,
    zipOf([
      { name: 'session_data.csv', bytes: people },
      { name: 'event_data.csv.gz', bytes: gzipSync(data), method: 0 },
      { name: 'website_event.csv', bytes: csv(CLOUD, ...rows) },
    ]),
  )
  expect(hits.map(({ endpoint }) => endpoint)).toEqual([
    'collect', 'event', 'identify', 'web-vitals', 'collect', 'identify',
  ]) // biome-ignore format: a list
  expect(hits[1]!.body).toMatchObject({
    name: 'order',
    revenue: { amount: 49.9, currency: 'eur' },
    properties: { seats: '5', [`${'k'.repeat(64)}`]: 'v'.repeat(500) },
  })
  expect(hits[2]!.body).toMatchObject({ identifier: 'u1', custom: { plan: 'pro' } })
  expect(hits[3]!.body).toMatchObject({ id: event(3), lcp: 2500.5, cls: 0.021 })
  expect(left.sort()).toEqual([
    'part of a row: data of a session without a user',
    'part of a row: property of an event that is not in the file',
    'part of a row: property without a value',
  ])
})

test('umami: tables of a database are joined with their sessions, whatever their names', async () => {
  const given =
    'event_id,website_id,session_id,created_at,url_path,url_query,page_title,event_type,event_name'
  const rows = [
    { event_id: event(2), session_id: 'a', created_at: '2023-05-01 12:00:00.123456+02', url_path: '/b', event_type: 1 },
    { event_id: event(1), session_id: 'a', created_at: '2023-05-01 11:00:00', url_path: 'a#top', url_query: 'q=1', event_type: 1, page_title: '\\N' },
    { event_id: event(1), session_id: 'a', created_at: '2023-05-01 11:00:00', url_path: '/a', event_type: 1 },
    { event_id: event(3), session_id: 'gone', created_at: '2023-05-01 13:00:00', url_path: '/c', event_type: 2, event_name: 'x' },
  ] // biome-ignore format: a table
  const sessions = csv(['session_id', 'hostname', 'browser', 'os', 'device', 'country', 'subdivision1', 'city'],
    { session_id: 'a', hostname: 'old.example.com', browser: 'ie', os: 'Mac OS', device: 'mobile', country: 'US', subdivision1: 'CA' },
  ) // biome-ignore format: a table
  const data = csv(['event_id', 'website_event_id', 'event_key', 'event_string_value', 'event_numeric_value'],
    { event_id: event(77), website_event_id: event(3), event_key: 'n', event_numeric_value: '-1.5000' },
  ) // biome-ignore format: a table
  const zip = zipOf([
    { name: 'dump/t3.csv', bytes: data },
    { name: 'dump/t2.csv', bytes: sessions },
    { name: 'dump/t1.csv', bytes: csv(given.split(','), ...rows) },
    { name: 'dump/README', bytes: 'made by hand' },
  ])
  const { hits, left } = await convert(umami, zip, { timezone: 'Europe/Berlin' })
  expect(left).toEqual(['the same event again'])
  expect(hits.map(({ timestamp, body }) => [timestamp, (body.url as { path: string }).path])).toEqual([
    ['2023-05-01T09:00:00.000Z', '/a?q=1#top'],
    ['2023-05-01T10:00:00.123Z', '/b'],
    ['2023-05-01T11:00:00.000Z', '/c'],
  ])
  expect(hits[0]).toMatchObject({
    location: { country: 'US', region: 'US-CA' },
    body: { hostname: 'old.example.com', os: 'macOS', device: 'mobile' },
  })
  expect(hits[0]!.body).toMatchObject({ browser: { name: 'Internet Explorer' } })
  expect(hits[0]!.body.url).not.toHaveProperty('title')
  expect(hits[2]!.body).toMatchObject({ hostname: 'example.com', properties: { n: '-1.5' } })
})

test('umami: pageviews and events of version 1 are read', async () => {
  const views =
    'view_id,website_id,session_id,created_at,url,referrer\n1,1,7,2021-05-01 10:00:00,/a?b=1,https://t.co/x\n'
  const events =
    'event_id,website_id,session_id,created_at,url,event_type,event_value\n1,1,7,2021-05-01 10:01:00,/a,click,signup\n'
  const { hits } = await convert(
    umami,
    zipOf([
      { name: 'pageview.csv', bytes: views },
      { name: 'event.csv', bytes: events },
    ]),
  )
  expect(hits.map(({ endpoint, body }) => [endpoint, body.name, body.referrer, body.url])).toEqual([
    ['collect', undefined, 'https://t.co/x', { path: '/a?b=1' }],
    ['event', 'signup', undefined, { path: '/a' }],
  ])
})

test('umami: rows that cannot be carried over are counted by reason', async () => {
  const cases: [changes: object, reason: string][] = [
    [{ created_at: 'soon' }, 'no time'],
    [{ session_id: '' }, 'no session'],
    [{ url_path: '' }, 'no path'],
    [{ event_type: 2, event_name: '' }, 'event without a name'],
    [{ event_type: 3 }, 'link or pixel, not a page'],
    [{ event_type: 5 }, 'no measurement'],
    [{ event_type: 5, lcp: 100, event_id: '17' }, 'measurement without an id'],
    [{ browser: 'searchbot' }, 'crawler'],
    [{ website_id: OTHER }, 'of another website'],
    [{ page_title: 'x'.repeat(10_000_000) }, 'the row is longer than 1024 KiB'],
  ]
  const changed = cases.map(([changes], index) => ({ ...CLOUD_ROW, event_id: event(20 + index), ...changes }))
  const file = csv(CLOUD, { ...CLOUD_ROW, event_id: event(8) }, ...changed)
  const { hits, left } = await convert(umami, file, { website: WEBSITE.toUpperCase() })
  expect(hits).toHaveLength(1)
  expect(left.sort()).toEqual(cases.map(([, reason]) => reason).sort())
})

test('umami: a file that is not its export, or of several websites, is refused', async () => {
  const totals = zipOf([{ name: 'pages.csv', bytes: 'x,y\n/,5\n' }])
  for (const [bytes, message] of [
    ['hello\nworld\n', /no table of events/],
    ['', /no table of events/],
    [totals, /export of totals/],
  ] as const) {
    await expect(convert(umami, bytes)).rejects.toMatchObject(refused(message))
  }
  const file = csv(CLOUD, CLOUD_ROW, { ...CLOUD_ROW, website_id: OTHER })
  await expect(convert(umami, file)).rejects.toThrow(`${WEBSITE} (1 events), ${OTHER} (1 events)`)
  await expect(convert(umami, file, { website: 'mine' })).rejects.toThrow('no events of the website mine')
})

test('umami: the same rows in another order give the same hits', async () => {
  const rows = [1, 2, 3, 4, 5].map(number => ({
    ...CLOUD_ROW,
    event_id: event(number),
    session_id: `s${number % 2}`,
    created_at: `2026-03-01 10:00:0${number}`,
  }))
  const texts = async (given: typeof rows) =>
    (await convert(umami, csv(CLOUD, ...given))).hits.map(hit => JSON.stringify(hit)).sort()
  expect(await texts(rows.toReversed())).toEqual(await texts(rows))
})
