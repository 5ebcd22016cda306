import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plausible } from '../../../src/transfer/converters/plausible.ts'
import { convert, csv, jsonLines, visitor } from './converted.ts'
import { RUNS, randomObjects, randomRows } from './random-fields.ts'

const PAGE = {
  timestamp: '2025-03-30 01:30:00',
  name: 'pageview',
  site_id: '1',
  user_id: '15345678901234567890',
  session_id: '9345678901234567890',
  hostname: 'example.com',
  pathname: '/pricing',
  referrer: 'google.com',
  referrer_source: 'Google',
  utm_medium: '',
  utm_source: '',
  utm_campaign: '',
  utm_content: '',
  utm_term: '',
  country_code: 'EE',
  subdivision1_code: 'EE-37',
  subdivision2_code: 'EE-784',
  city_geoname_id: '588409',
  screen_size: 'Desktop',
  operating_system: 'Mac',
  operating_system_version: '10.15',
  browser: 'Chrome',
  browser_version: '120.0',
  'meta.key': "['author','logged_in']",
  'meta.value': "['O\\'Brien','true']",
  click_id_param: '',
  scroll_depth: '255',
  engagement_time: '0',
  revenue_source_amount: '0',
  revenue_source_currency: '\0\0\0',
}
const COLUMNS = Object.keys(PAGE)
const asJson = {
  ...PAGE,
  'meta.key': ['author'],
  'meta.value': ['Ada'],
  engagement_time: 0,
  scroll_depth: 255,
}

const only = async (change: Record<string, string>) =>
  (await convert(plausible, csv(COLUMNS, { ...PAGE, ...change }))).hits[0]!

test('Plausible: a page view has what its visit knows, in UTC whatever the zone of the site', async () => {
  const { hits, left } = await convert(plausible, csv(COLUMNS, PAGE), { timezone: 'Europe/Berlin' })
  expect(hits).toEqual([
    {
      endpoint: 'collect',
      timestamp: '2025-03-30T01:30:00.000Z',
      location: { country: 'EE', region: 'EE-37' },
      body: {
        hostname: 'example.com',
        ...visitor('plausible', '15345678901234567890'),
        url: { path: '/pricing' },
        referrer: 'https://google.com',
        device: 'desktop',
        os: 'macOS',
        os_version: '10.15',
        browser: { name: 'Chrome', version: '120.0' },
        properties: { author: "O'Brien", logged_in: 'true' },
      },
    },
  ])
  expect(left).toEqual([])
})

test('Plausible: JSON lines and a JSON array are the same as CSV', async () => {
  const expected = await convert(
    plausible,
    csv(COLUMNS, { ...PAGE, 'meta.key': "['author']", 'meta.value': "['Ada']" }),
  )
  expect(await convert(plausible, `\uFEFF${jsonLines(asJson)}\r\n`)).toEqual(expected)
  expect(await convert(plausible, JSON.stringify([asJson], null, 2))).toEqual(expected)
})

test('Plausible: tags of the visit, click ids and tagged sources become the query of the page', async () => {
  const pathOf = async (change: Record<string, string>) =>
    ((await only(change)).body.url as { path: string }).path
  expect(await pathOf({ utm_source: 'news letter', utm_medium: 'email', utm_campaign: 'März' })).toBe(
    '/pricing?utm_source=news+letter&utm_medium=email&utm_campaign=M%C3%A4rz',
  )
  expect(await pathOf({ click_id_param: 'gclid' })).toBe('/pricing?gclid=unknown')
  expect(await pathOf({ utm_medium: '(msclkid)' })).toBe('/pricing?msclkid=unknown')
  expect(await pathOf({ referrer: '', referrer_source: 'Product Hunt' })).toBe('/pricing?ref=Product+Hunt')
  expect(await pathOf({ referrer: '', referrer_source: 'Direct / None' })).toBe('/pricing')
  expect(await pathOf({ pathname: '/app#/settings' })).toBe('/app/settings')
})

test('Plausible: engagement has time and depth as far as they were measured', async () => {
  const engaged = { name: 'engagement', scroll_depth: '80', engagement_time: '12345' }
  expect(await only(engaged)).toEqual({
    endpoint: 'engage',
    timestamp: '2025-03-30T01:30:00.000Z',
    location: { country: 'EE', region: 'EE-37' },
    body: {
      hostname: 'example.com',
      ...visitor('plausible', '15345678901234567890'),
      url: { path: '/pricing' },
      sd: 80,
      time: 12_345,
    },
  })
  expect((await only({ ...engaged, scroll_depth: '255' })).body.sd).toBeUndefined()
  expect((await only({ ...engaged, name: 'pageleave', engagement_time: '' })).body).toMatchObject({
    sd: 80,
    time: 0,
  })
  const { left } = await convert(plausible, csv(COLUMNS, { ...PAGE, name: 'engagement' }))
  expect(left).toEqual(['engagement without time and scroll depth'])
})

test('Plausible: events of its own script become autocaptures, others keep properties and revenue', async () => {
  const url = { 'meta.key': "['url']", 'meta.value': "['https://other.example/a.pdf?x']" }
  expect((await only({ ...url, name: 'Outbound Link: Click' })).body).toMatchObject({
    name: 'outbound',
    url: { path: '/pricing' },
    properties: { url: 'https://other.example/a.pdf?x' },
  })
  expect((await only({ ...url, name: 'File Download' })).body).toMatchObject({
    name: 'download',
    properties: { url: 'https://other.example/a.pdf?x', file: 'a.pdf' },
  })
  const order = { name: 'Purchase', revenue_source_amount: '49.9900', revenue_source_currency: 'EUR' }
  expect((await only(order)).body).toMatchObject({
    name: 'Purchase',
    revenue: { amount: 49.99, currency: 'EUR' },
  })
  expect((await only({ name: 'Signup' })).body.revenue).toBeUndefined()
})

test('Plausible: rows of another website are left out, and none is guessed', async () => {
  const file = csv(COLUMNS, PAGE, { ...PAGE, site_id: '2' })
  await expect(convert(plausible, file)).rejects.toThrow(
    'the file holds several websites; name one of them: 1 (1 events), 2 (1 events)',
  )
  const { hits, left } = await convert(plausible, file, { website: '2' })
  expect([hits.length, left]).toEqual([1, ['another website']])
  await expect(convert(plausible, file, { website: '3' })).rejects.toThrow('no events of the website 3')
})

test('Plausible: unknown places, hosts and columns are left out', async () => {
  const unknown = {
    country_code: '\0\0',
    subdivision1_code: '',
    hostname: '(none)',
    screen_size: '',
    browser: '',
  }
  const { body, location } = await only({
    ...unknown,
    operating_system: '',
    'meta.key': '[]',
    'meta.value': '[]',
  })
  expect(location).toBeUndefined()
  expect(Object.keys(body)).toEqual(['hostname', 'visitor_id', 'url', 'referrer'])
  const city = csv([...COLUMNS, 'city_name'], { ...PAGE, city_name: 'Tallinn' })
  expect((await convert(plausible, city)).hits[0]!.location).toEqual({
    country: 'EE',
    region: 'EE-37',
    city: 'Tallinn',
  })
  const small = csv(['timestamp', 'name', 'user_id', 'pathname'], PAGE)
  expect((await convert(plausible, small)).hits[0]!.body.hostname).toBe('example.com')
})

test('Plausible: a wrong file says what it must be; broken lines are counted', async () => {
  await expect(convert(plausible, 'timestamp,name\n2025-01-01,pageview')).rejects.toThrow(
    /lacks the columns user_id, pathname\. Bring the table events_v2/,
  )
  await expect(convert(plausible, '{"a": 1}\n{"b": 2}')).rejects.toThrow(
    /export\.csv is of another format\. Bring the table/,
  )
  const { hits, left } = await convert(
    plausible,
    `${jsonLines(asJson)}\n{"timestamp": "2025\n${jsonLines(asJson, { ...asJson, user_id: 0, timestamp: 'x' })}`,
  )
  expect([hits.length, left]).toEqual([2, ['the line is not a JSON object', 'no valid time']])
})

test('Plausible: every line of any row is one that the import takes', async () => {
  const event = { ...PAGE, name: 'File Download', 'meta.key': "['url']", 'meta.value': "['/a']" }
  const engaged = { ...PAGE, name: 'engagement', engagement_time: '5' }
  await fc.assert(
    fc.asyncProperty(randomRows(PAGE, event, engaged), async random => {
      await convert(plausible, csv(COLUMNS, PAGE, ...random), { website: '1' })
    }),
    RUNS,
  )
  await fc.assert(
    fc.asyncProperty(randomObjects(asJson), async random => {
      await convert(plausible, jsonLines(asJson, ...random), { website: '1' })
    }),
    RUNS,
  )
})
