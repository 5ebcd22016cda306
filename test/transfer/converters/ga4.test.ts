import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ga4 } from '../../../src/transfer/converters/ga4/ga4.ts'
import { convert, jsonLines, visitor } from './converted.ts'
import { RUNS, randomObjects } from './random-fields.ts'

const text = (key: string, string_value: string) => ({ key, value: { string_value } })
const number = (key: string, int_value: string | number) => ({ key, value: { int_value } })

const PAGE_PARAMS = [
  text('page_location', 'https://www.example.com/pricing?utm_source=newsletter&utm_medium=email'),
  text('page_title', 'Pricing'),
  text('page_referrer', 'https://news.ycombinator.com/'),
  number('ga_session_id', '1711800000'),
  number('ga_session_number', 3),
]

const VIEW = {
  event_date: '20240330',
  event_timestamp: '1711800000123456',
  event_name: 'page_view',
  event_params: [...PAGE_PARAMS, number('engagement_time_msec', 5), text('plan', 'team')],
  user_id: null,
  user_pseudo_id: '1234567890.1711700000',
  device: {
    category: 'smart tv',
    operating_system: 'Macintosh',
    operating_system_version: 'Macintosh Intel 10.15',
    language: 'en-us',
    web_info: { browser: 'Chrome', browser_version: '120.0.0.0', hostname: 'www.example.com' },
  },
  geo: { continent: 'Americas', country: 'United States', region: 'California', city: 'Oakland' },
  stream_id: '4567',
  platform: 'WEB',
}
const event = (event_name: string, ...params: object[]) => ({
  ...VIEW,
  event_name,
  event_params: [...PAGE_PARAMS, ...params],
})

const line = { timestamp: '2024-03-30T12:00:00.123Z', location: { country: 'US', city: 'Oakland' } }
const sender = { hostname: 'www.example.com', ...visitor('ga4', VIEW.user_pseudo_id) }
const url = { path: '/pricing?utm_source=newsletter&utm_medium=email' }
const seen = {
  url: { ...url, title: 'Pricing' },
  referrer: 'https://news.ycombinator.com/',
  device: 'desktop',
  language: 'en-us',
  os: 'macOS',
  os_version: '10.15',
  browser: { name: 'Chrome', version: '120.0.0.0' },
}

test('GA4: a page view is followed by the engagement that came with it', async () => {
  const { hits, left } = await convert(ga4, jsonLines(VIEW))
  expect(hits).toEqual([
    { endpoint: 'collect', ...line, body: { ...sender, ...seen, properties: { plan: 'team' } } },
    { endpoint: 'engage', ...line, body: { ...sender, url, time: 5 } },
  ])
  expect(left).toEqual([])
})

test('GA4: an array of events is the same as lines', async () => {
  expect(await convert(ga4, JSON.stringify([VIEW], null, 2))).toEqual(await convert(ga4, jsonLines(VIEW)))
})

test('GA4: events of the enhanced measurement become autocaptures and engagement', async () => {
  const hitsOf = async (value: object) =>
    (await convert(ga4, jsonLines(value))).hits.map(({ endpoint, body }) => ({ endpoint, ...body }))
  expect(
    await hitsOf(
      event(
        'click',
        text('link_url', 'https://other.example/'),
        text('link_classes', 'button wide blue'),
        text('outbound', 'true'),
      ),
    ),
  ).toEqual([
    {
      endpoint: 'event',
      ...sender,
      ...seen,
      name: 'outbound',
      properties: { selector: 'a.button.wide', url: 'https://other.example/' },
    },
  ])
  expect(
    await hitsOf(
      event(
        'file_download',
        text('link_url', 'https://example.com/a/b.pdf?c'),
        text('link_text', 'Read'),
        text('link_id', 'go'),
      ),
    ),
  ).toMatchObject([
    {
      name: 'download',
      properties: { selector: '#go', text: 'Read', url: 'https://example.com/a/b.pdf?c', file: 'b.pdf' },
    },
  ])
  expect(
    await hitsOf(event('form_submit', text('form_id', 'signup'), text('form_destination', '/join'))),
  ).toMatchObject([{ name: 'form', properties: { selector: '#signup', url: '/join' } }])
  expect(
    await hitsOf(event('scroll', number('percent_scrolled', 90), number('engagement_time_msec', '1500'))),
  ).toEqual([{ endpoint: 'engage', ...sender, url, sd: 90, time: 1_500 }])
  expect(await hitsOf(event('user_engagement', number('engagement_time_msec', '7000')))).toEqual([
    { endpoint: 'engage', ...sender, url, time: 7_000 },
  ])
})

test('GA4: custom events have their parameters, and purchases their revenue', async () => {
  const purchase = event(
    'purchase',
    text('currency', 'EUR'),
    { key: 'value', value: { double_value: 49.99 } },
    text('transaction_id', 'T1'),
  )
  const { hits } = await convert(ga4, jsonLines({ ...purchase, ecommerce: { purchase_revenue: 42 } }))
  expect(hits[0]!.body).toMatchObject({
    name: 'purchase',
    revenue: { amount: 49.99, currency: 'EUR' },
    properties: { currency: 'EUR', value: '49.99', transaction_id: 'T1' },
  })
})

test('GA4: a user is identified once a session', async () => {
  const user = { ...VIEW, user_id: 'user-1', user_properties: [text('plan', 'team')] }
  const later = { ...user, event_timestamp: String(1711800000123456 + 31 * 60e6) }
  const { hits } = await convert(ga4, jsonLines(user, user, later))
  expect(hits.filter(({ endpoint }) => endpoint === 'identify')).toEqual([
    { endpoint: 'identify', ...line, body: { ...sender, identifier: 'user-1', custom: { plan: 'team' } } },
    {
      endpoint: 'identify',
      ...line,
      timestamp: '2024-03-30T12:31:00.123Z',
      body: { ...sender, identifier: 'user-1', custom: { plan: 'team' } },
    },
  ])
})

test('GA4: what cannot be carried over is named', async () => {
  const { hits, left } = await convert(
    ga4,
    jsonLines(
      event('session_start'),
      event('first_visit'),
      { ...VIEW, platform: 'IOS' },
      { ...VIEW, user_pseudo_id: null },
      { ...VIEW, event_timestamp: null },
      { ...VIEW, event_timestamp: '1' },
      { ...VIEW, event_params: [] },
      event('payment'),
      { ...VIEW, stream_id: '1' },
    ),
    { website: '4567' },
  )
  expect(hits).toEqual([])
  expect(left).toEqual([
    'event that Google derives',
    'event that Google derives',
    'event of an app',
    'no visitor: consent was not given',
    'no valid time',
    'no valid time',
    'no page',
    'event name that only this service may use',
    'another website',
  ])
})

test('GA4: countries have their English names', async () => {
  const countryOf = async (country: string) =>
    (await convert(ga4, jsonLines({ ...VIEW, geo: { country } }))).hits[0]!.location?.country
  const names = {
    Germany: 'DE',
    'Hong Kong': 'HK',
    Türkiye: 'TR',
    Turkey: 'TR',
    Czechia: 'CZ',
    'Côte d’Ivoire': 'CI',
  }
  for (const [name, code] of Object.entries(names)) expect(await countryOf(name), name).toBe(code)
  expect(await countryOf('(not set)')).toBeUndefined()
  expect(await countryOf('United Kingdom')).toBe('GB')
  expect(await countryOf('Bosnia & Herzegovina')).toBe('BA')
})

test('GA4: a wrong file says what it must be; broken lines are counted', async () => {
  await expect(convert(ga4, '{"event": "x"}')).rejects.toThrow(
    /Bring the tables events_YYYYMMDD of the BigQuery export/,
  )
  const long = `{"event_name": "${'x'.repeat(10 * 1024 * 1024)}"}`
  const { hits, left } = await convert(
    ga4,
    `${jsonLines(VIEW)}\n{"event_name": "cut\n${long}\r\n${jsonLines(VIEW)}`,
  )
  expect([hits.length, left]).toEqual([
    4,
    ['the line is not a JSON object', 'the object is longer than 4096 KiB'],
  ])
})

test('GA4: every line of any event is one that the import takes', async () => {
  const purchase = {
    ...event('purchase', text('currency', 'EUR'), number('value', 5)),
    user_id: 'u',
    user_properties: [text('a', 'b')],
  }
  const download = event('file_download', text('link_url', '/a.pdf'), number('engagement_time_msec', 9))
  await fc.assert(
    fc.asyncProperty(randomObjects(VIEW, purchase, download), async random => {
      await convert(ga4, jsonLines(VIEW, ...random))
    }),
    RUNS,
  )
})
