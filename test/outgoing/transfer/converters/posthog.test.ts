import { expect, test } from 'vitest'
import { posthog } from '../../../../src/outgoing/transfer/converters/posthog/posthog.ts'
import { bodiesOf, convert, expectBrokenCounted, expectLeft, jsonLines, visitor } from './converted.ts'
import { expectTaken, randomObjects } from './random-fields.ts'

const DEVICE = '018daf23-89b3-7cf8-a4f1-94064c96df90'
const UUID = '018f9f6a-1111-7000-8000-0123456789ab'
const USER_AGENT =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36'

const PROPERTIES = {
  ...{ $current_url: 'https://example.com/pricing?utm_source=newsletter#top', $host: 'example.com' },
  ...{ title: 'Pricing', $referrer: 'https://news.ycombinator.com/', $device_id: DEVICE, $os: 'Mac OS X' },
  ...{ $os_version: '10.15.7', $browser: 'Chrome', $browser_version: 125, $browser_language: 'en-US' },
  ...{ $device_type: 'Desktop', $screen_width: 1920, $screen_height: 1080, $raw_user_agent: USER_AGENT },
  ...{ $geoip_country_code: 'US', $geoip_subdivision_1_code: 'CA', $geoip_city_name: 'Oakland', $lib: 'web' },
  ...{ utm_source: 'newsletter', utm_campaign: 'spring' },
}
const VIEW = {
  uuid: UUID,
  event: '$pageview',
  distinct_id: DEVICE,
  timestamp: '2024-05-22T17:09:29.220000+00:00',
  properties: { ...PROPERTIES, plan: 'team', nested: { a: [1] } },
}
const event = (name: string, more: object = {}, around: object = {}) => ({
  ...VIEW,
  event: name,
  properties: { ...PROPERTIES, ...more },
  ...around,
})

const line = {
  timestamp: '2024-05-22T17:09:29.220Z',
  user_agent: USER_AGENT,
  location: { country: 'US', region: 'US-CA', city: 'Oakland' },
}
const sender = { hostname: 'example.com', ...visitor('posthog', DEVICE) }
const seen = {
  url: { path: '/pricing?utm_source=newsletter&utm_campaign=spring', title: 'Pricing' },
  referrer: 'https://news.ycombinator.com/',
  screen: { width: 1920, height: 1080 },
  language: 'en-US',
  os: 'Mac OS X',
  os_version: '10.15.7',
  browser: { name: 'Chrome', version: '125' },
  device: 'desktop',
}

const bodies = (...events: object[]) => bodiesOf(posthog, jsonLines(...events))
const leftOf = async (...events: object[]) => (await convert(posthog, jsonLines(...events))).left

test('PostHog: a page view has its own properties, and those of PostHog as fields', async () => {
  const body = { ...sender, ...seen, properties: { plan: 'team', nested: '{"a":[1]}' } }
  const hits = [{ endpoint: 'collect', ...line, body }]
  expect(await convert(posthog, jsonLines(VIEW))).toEqual({ hits, left: [] })
})

test('PostHog: answers of the API, arrays and properties as text are the same', async () => {
  const expected = await convert(posthog, jsonLines(VIEW, VIEW))
  expect(await convert(posthog, JSON.stringify({ next: null, results: [VIEW, VIEW] }))).toEqual(expected)
  expect(await convert(posthog, JSON.stringify([VIEW, VIEW], null, 2))).toEqual(expected)
  const timestamp = '2024-05-22 17:09:29.220000'
  const asText = { ...VIEW, properties: JSON.stringify(VIEW.properties), timestamp }
  expect(await convert(posthog, jsonLines(asText, asText), { timezone: 'Asia/Tokyo' })).toEqual(expected)
})

test('PostHog: leaving a page and the next page view have the engagement of the page before', async () => {
  const before = {
    $prev_pageview_pathname: '/start',
    $prev_pageview_duration: 12.5,
    $prev_pageview_max_content_percentage: 0.8123,
  }
  const engaged = { endpoint: 'engage', ...sender, url: { path: '/start' }, sd: 81, time: 12_500 }
  expect(await bodies(event('$pageleave', before))).toEqual([engaged])
  const { hits } = await convert(posthog, jsonLines(event('$pageview', before)))
  expect(hits.map(hit => [hit.endpoint, hit.timestamp])).toEqual([
    ['engage', '2024-05-22T17:09:29.219Z'],
    ['collect', '2024-05-22T17:09:29.220Z'],
  ])
  expect(await leftOf(event('$pageleave'))).toEqual(['page left without time and scroll depth'])
})

test('PostHog: engagement with a page that was open for long joins no sessions', async () => {
  const open = async (minutes: number, name = '$pageview') => {
    const before = { $prev_pageview_pathname: '/start', $prev_pageview_duration: minutes * 60 }
    const { hits } = await convert(posthog, jsonLines(event(name, before)))
    const [engaged] = hits
    expect(engaged).toMatchObject({ endpoint: 'engage', body: { time: minutes * 60_000 } })
    // Minutes before the event.
    return (Date.parse('2024-05-22T17:09:29.220Z') - Date.parse(engaged!.timestamp)) / 60_000
  }
  expect(await open(30)).toBeCloseTo(0, 3)
  for (const name of ['$pageview', '$pageleave']) {
    expect(await open(40, name)).toBeCloseTo(30, 3)
    expect(await open(40, name)).toBeGreaterThan(30)
    // At most 30 minutes after the view.
    expect(await open(240, name)).toBeCloseTo(210, 3)
  }
  // Not before its view.
  expect(await open(30.001)).toBeLessThan(30)
})

test('PostHog: time of a page view that an earlier event told does not count again', async () => {
  const left = (seconds: number, id?: string) =>
    event('$pageleave', {
      ...{ $prev_pageview_pathname: '/start', $prev_pageview_duration: seconds, $prev_pageview_id: id },
      $prev_pageview_max_content_percentage: 0.5,
    })
  const engaged = await bodies(left(10, 'a'), left(25, 'a'), left(20, 'a'), left(5, 'b'), left(5))
  expect(engaged.map(({ time }) => time)).toEqual([10_000, 15_000, 0, 5_000, 5_000])
})

test('PostHog: captured clicks, forms and copies become autocaptures', async () => {
  const chain = (elements_chain: string, more: object = {}) =>
    event('$autocapture', { $event_type: 'click', ...more }, { elements_chain })
  const outbound = chain(
    'span:text="Read; more"nth-child="1";a.wide.button:attr__class="button wide x"href="https://other.example/a"attr__href="https://other.example/a"nth-child="2";div',
    { $el_text: 'Read  more' },
  )
  const link = { selector: 'a.button.wide', text: 'Read more', url: 'https://other.example/a' }
  expect(await bodies(outbound)).toEqual([
    { endpoint: 'event', ...sender, ...seen, name: 'outbound', properties: link },
  ])
  const elements = [{ tag_name: 'button', attr_class: ['a', 'b', 'c'], text: 'Go' }]
  const copied = { $copy_type: 'copy', $selected_content: 'x', $elements: [{ tag_name: 'p' }] }
  const file = { selector: 'a', text: 'Get', url: '/files/a "b".pdf', file: 'a "b".pdf' }
  const submitted = chain('form:attr__action="/join"', { $event_type: 'submit' })
  const listed = event('$autocapture', { $event_type: 'click' }, { elements })
  const cases: [captured: object, name: string, properties: object][] = [
    [chain('a:attr__href="/files/a \\"b\\".pdf"text="Get"'), 'download', file],
    [chain('b;button.primary:attr_id="buy"text="Buy"'), 'button', { selector: '#buy', text: 'Buy' }],
    [submitted, 'form', { selector: 'form', url: '/join' }],
    [listed, 'button', { selector: 'button.a.b', text: 'Go' }],
    [event('$copy_autocapture', copied), 'copy', { selector: 'p', text: 'x' }],
  ]
  for (const [captured, name, properties] of cases)
    expect(await bodies(captured)).toMatchObject([{ name, properties }])
  const others = [chain('div'), chain('a:href="/inside"'), chain('input', { $event_type: 'change' })]
  const reason = 'click or change that this service does not capture'
  expect(await leftOf(...others)).toEqual(others.map(() => reason))
})

test('PostHog: exceptions become errors, and Web Vitals reports', async () => {
  const frames = [
    { filename: 'main.js', function: 'start', lineno: 1, colno: 2 },
    { filename: 'app.js', function: 'run', lineno: 12, colno: 5 },
  ]
  const $exception_list = [{ type: 'TypeError', value: 'x is undefined', stacktrace: { frames } }]
  const stack = 'TypeError: x is undefined\n    at run (app.js:12:5)\n    at start (main.js:1:2)'
  const place = { file_name: 'app.js', line_number: '12', column_number: '5' }
  expect(await bodies(event('$exception', { $exception_list }))).toMatchObject([
    {
      endpoint: 'event',
      name: 'error',
      error: { name: 'TypeError', message: 'x is undefined', stack, ...place },
    },
  ])
  const former = { $exception_type: 'Error', $exception_message: 'old', $exception_lineno: 3 }
  expect(await bodies(event('$exception', former))).toMatchObject([
    { error: { name: 'Error', message: 'old', line_number: '3' } },
  ])
  const vitals = { $web_vitals_LCP_value: 2140.5, $web_vitals_CLS_value: 0.02, $web_vitals_INP_value: -1 }
  expect(await bodies(event('$web_vitals', vitals))).toEqual([
    { endpoint: 'web-vitals', ...sender, url: { path: seen.url.path }, id: UUID, lcp: 2140.5, cls: 0.02 },
  ])
  expect(await leftOf(event('$web_vitals'))).toEqual(['web vitals without values'])
})

test('PostHog: a user is identified once a session, and with what is known of them', async () => {
  const known = { $anon_distinct_id: DEVICE, $set: { name: 'Ada', plan: 'pro' } }
  const identify = event('$identify', known, { distinct_id: 'user-1' })
  const later = event('Signed up', {}, { distinct_id: 'user-1' })
  const nextDay = { ...later, timestamp: '2024-05-23T17:00:00Z' }
  const hits = await bodies(identify, later, nextDay)
  expect(hits.filter(({ endpoint }) => endpoint === 'identify')).toEqual([
    { endpoint: 'identify', ...sender, identifier: 'user-1', name: 'Ada', custom: { plan: 'pro' } },
    { endpoint: 'identify', ...sender, identifier: 'user-1' },
  ])
  expect((await bodies(VIEW)).map(({ endpoint }) => endpoint)).toEqual(['collect'])
})

test('PostHog: custom events keep properties and revenue, also those of servers', async () => {
  const server = {
    ...{ uuid: UUID, event: 'order paid', distinct_id: 'user-9', timestamp: '2024-05-22T17:09:29Z' },
    properties: { $lib: 'posthog-node', revenue: 49.99, currency: 'EUR', plan: 'team' },
  }
  expect(await bodies(server)).toEqual([
    {
      endpoint: 'event',
      hostname: 'example.com',
      ...visitor('posthog', 'user-9'),
      name: 'order paid',
      properties: { revenue: '49.99', currency: 'EUR', plan: 'team' },
      revenue: { amount: 49.99, currency: 'EUR' },
    },
  ])
})

test('PostHog: what cannot be carried over is named', async () => {
  const crawler = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
  const cases: [object, string][] = [
    [event('$feature_flag_called'), 'event of PostHog itself'],
    [event('$screen'), 'screen of an app'],
    [event('$pageview', { $raw_user_agent: crawler }), 'crawler'],
    [event('$pageview', { $browser_type: 'bot' }), 'crawler'],
    [event('$pageview', { $current_url: 'https://other.example/' }), 'another website'],
    [event('$pageview', { $current_url: '' }), 'no page'],
    [{ ...VIEW, timestamp: 'x' }, 'no valid time'],
    [{ ...VIEW, distinct_id: '', properties: {} }, 'no visitor'],
    [event('pageview'), 'event name that only this service may use'],
    [{ ...VIEW, event: '' }, 'event without name'],
  ]
  await expectLeft(posthog, cases, jsonLines, { website: 'Example.com' })
})

test('PostHog: a wrong file says what it must be; broken lines are counted', async () => {
  await expect(convert(posthog, '{"event_name": "x"}')).rejects.toThrow(
    /is of another format\. Bring the events of PostHog/,
  )
  await expectBrokenCounted(posthog, VIEW, 1)
})

test('PostHog: every line of any event is one that the import takes', async () => {
  const elements_chain = 'a:href="https://a.example/b.pdf"'
  const click = event('$autocapture', { $event_type: 'click', $el_text: 'a' }, { elements_chain })
  const $exception_list = [{ type: 'E', value: 'm', stacktrace: { frames: [{ filename: 'a' }] } }]
  const error = event('$exception', { $exception_list })
  const left = event('$pageleave', { $prev_pageview_pathname: '/a', $prev_pageview_duration: 3 })
  const identify = event('$identify', { $set: { name: 'Ada', x: 1 } }, { distinct_id: 'u' })
  const vitals = event('$web_vitals', { $web_vitals_LCP_value: 1 })
  const objects = randomObjects(VIEW, click, error, left, identify, vitals)
  const files = objects.map(random => jsonLines(VIEW, ...random))
  await expectTaken(posthog, files)
})
