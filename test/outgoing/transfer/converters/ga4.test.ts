import { expect, test } from 'vitest'
import { ga4 } from '../../../../src/outgoing/transfer/converters/ga4/ga4.ts'
import { bodiesOf, convert, expectBrokenCounted, expectLeft, jsonLines, visitor } from './converted.ts'
import { expectTaken, randomObjects } from './random-fields.ts'

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
  ...{ event_date: '20240330', event_timestamp: '1711800000123456', event_name: 'page_view' },
  event_params: [...PAGE_PARAMS, number('engagement_time_msec', 5), text('plan', 'team')],
  ...{ user_id: null, user_pseudo_id: '1234567890.1711700000' },
  device: {
    ...{ category: 'smart tv', operating_system: 'Macintosh' },
    ...{ operating_system_version: 'Macintosh Intel 10.15', language: 'en-us' },
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

test('GA4: a page view is followed by the engagement that came with it, also in an array', async () => {
  const hits = [
    { endpoint: 'collect', ...line, body: { ...sender, ...seen, properties: { plan: 'team' } } },
    { endpoint: 'engage', ...line, body: { ...sender, url, time: 5 } },
  ]
  expect(await convert(ga4, jsonLines(VIEW))).toEqual({ hits, left: [] })
  expect(await convert(ga4, JSON.stringify([VIEW], null, 2))).toEqual({ hits, left: [] })
})

test('GA4: events of the enhanced measurement become autocaptures and engagement', async () => {
  const file = 'https://example.com/a/b.pdf?c'
  const clicked = { selector: 'a.button.wide', url: 'https://other.example/' }
  const loaded = { selector: '#go', text: 'Read', url: file, file: 'b.pdf' }
  const other = [text('link_url', clicked.url), text('link_classes', 'button wide blue')]
  const link = [text('link_url', file), text('link_text', 'Read'), text('link_id', 'go')]
  const form = [text('form_id', 'signup'), text('form_destination', '/join')]
  const time = (ms: string) => number('engagement_time_msec', ms)
  const sent = { endpoint: 'event', ...sender, ...seen }
  const engaged = { endpoint: 'engage', ...sender, url }
  const cases: [name: string, params: object[], body: object][] = [
    ['click', [...other, text('outbound', 'true')], { ...sent, name: 'outbound', properties: clicked }],
    ['file_download', link, { ...sent, name: 'download', properties: loaded }],
    ['form_submit', form, { ...sent, name: 'form', properties: { selector: '#signup', url: '/join' } }],
    ['scroll', [number('percent_scrolled', 90), time('1500')], { ...engaged, sd: 90, time: 1_500 }],
    ['user_engagement', [time('7000')], { ...engaged, time: 7_000 }],
  ]
  for (const [name, params, body] of cases)
    expect(await bodiesOf(ga4, jsonLines(event(name, ...params)))).toEqual([body])
})

test('GA4: custom events have their parameters, and purchases their revenue', async () => {
  const value = { key: 'value', value: { double_value: 49.99 } }
  const purchase = event('purchase', text('currency', 'EUR'), value, text('transaction_id', 'T1'))
  const [hit] = await bodiesOf(ga4, jsonLines({ ...purchase, ecommerce: { purchase_revenue: 42 } }))
  expect(hit).toMatchObject({
    name: 'purchase',
    revenue: { amount: 49.99, currency: 'EUR' },
    properties: { currency: 'EUR', value: '49.99', transaction_id: 'T1' },
  })
})

test('GA4: a user is identified once a session', async () => {
  const user = { ...VIEW, user_id: 'user-1', user_properties: [text('plan', 'team')] }
  const later = { ...user, event_timestamp: String(1711800000123456 + 31 * 60e6) }
  const { hits } = await convert(ga4, jsonLines(user, user, later))
  const body = { ...sender, identifier: 'user-1', custom: { plan: 'team' } }
  expect(hits.filter(({ endpoint }) => endpoint === 'identify')).toEqual([
    { endpoint: 'identify', ...line, body },
    { endpoint: 'identify', ...line, timestamp: '2024-03-30T12:31:00.123Z', body },
  ])
})

test('GA4: what cannot be carried over is named', async () => {
  const cases: [object, string][] = [
    [event('session_start'), 'event that Google derives'],
    [event('first_visit'), 'event that Google derives'],
    [{ ...VIEW, platform: 'IOS' }, 'event of an app'],
    [{ ...VIEW, user_pseudo_id: null }, 'no visitor: consent was not given'],
    [{ ...VIEW, event_timestamp: null }, 'no valid time'],
    [{ ...VIEW, event_timestamp: '1' }, 'no valid time'],
    [{ ...VIEW, event_params: [] }, 'no page'],
    [event('payment'), 'event name that only this service may use'],
    [{ ...VIEW, stream_id: '1' }, 'another website'],
  ]
  await expectLeft(ga4, cases, jsonLines, { website: '4567' })
})

test('GA4: countries have their English names', async () => {
  const names: [country: string, code: string | undefined][] = [
    ...Object.entries({ Germany: 'DE', 'Hong Kong': 'HK', Türkiye: 'TR', Turkey: 'TR', Czechia: 'CZ' }),
    ...Object.entries({ 'Côte d’Ivoire': 'CI', 'United Kingdom': 'GB', 'Bosnia & Herzegovina': 'BA' }),
    ['(not set)', undefined],
  ]
  const events = names.map(([country], index) => ({
    ...{ ...VIEW, event_timestamp: `17118000${index}0123456`, geo: { country } },
  }))
  const { hits } = await convert(ga4, jsonLines(...events))
  const countries = hits.filter(({ endpoint }) => endpoint === 'collect').map(hit => hit.location?.country)
  expect(countries).toEqual(names.map(([, code]) => code))
})

test('GA4: a wrong file says what it must be; broken lines are counted', async () => {
  await expect(convert(ga4, '{"event": "x"}')).rejects.toThrow(
    /Bring the tables events_YYYYMMDD of the BigQuery export/,
  )
  await expectBrokenCounted(ga4, VIEW, 2)
})

test('GA4: every line of any event is one that the import takes', async () => {
  const sale = event('purchase', text('currency', 'EUR'), number('value', 5))
  const purchase = { ...sale, user_id: 'u', user_properties: [text('a', 'b')] }
  const download = event('file_download', text('link_url', '/a.pdf'), number('engagement_time_msec', 9))
  const objects = randomObjects(VIEW, purchase, download)
  const files = objects.map(random => jsonLines(VIEW, ...random))
  await expectTaken(ga4, files)
})
