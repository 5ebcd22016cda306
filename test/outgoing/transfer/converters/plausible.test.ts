import { expect, test } from 'vitest'
import { plausible } from '../../../../src/outgoing/transfer/converters/plausible.ts'
import { bodiesOf, convert, csv, jsonLines, visitor } from './converted.ts'
import { expectTaken, randomObjects, randomRows } from './random-fields.ts'

const PAGE = {
  ...{ timestamp: '2025-03-30 01:30:00', name: 'pageview', site_id: '1', user_id: '15345678901234567890' },
  ...{ session_id: '9345678901234567890', hostname: 'example.com', pathname: '/pricing' },
  ...{ referrer: 'google.com', referrer_source: 'Google', utm_medium: '', utm_source: '', utm_campaign: '' },
  ...{ utm_content: '', utm_term: '', country_code: 'EE', subdivision1_code: 'EE-37' },
  ...{ screen_size: 'Desktop', operating_system: 'Mac', operating_system_version: '10.15' },
  ...{ browser: 'Chrome', browser_version: '120.0', 'meta.key': "['author','logged_in']" },
  ...{ 'meta.value': "['O\\'Brien','true']", click_id_param: '', scroll_depth: '255', engagement_time: '0' },
  ...{ revenue_source_amount: '0', revenue_source_currency: '\0\0\0' },
}
const COLUMNS = Object.keys(PAGE)
const meta = { 'meta.key': ['author'], 'meta.value': ['Ada'] }
const asJson = { ...PAGE, ...meta, engagement_time: 0, scroll_depth: 255 }
const line = { timestamp: '2025-03-30T01:30:00.000Z', location: { country: 'EE', region: 'EE-37' } }
const sender = { hostname: 'example.com', ...visitor('plausible', PAGE.user_id), url: { path: '/pricing' } }

const only = async (change: Record<string, string>) =>
  (await convert(plausible, csv(COLUMNS, { ...PAGE, ...change }))).hits[0]!
const bodyOf = async (change: Record<string, string>) => (await only(change)).body

test('Plausible: a page view has what its visit knows, in UTC whatever the zone of the site', async () => {
  const { hits, left } = await convert(plausible, csv(COLUMNS, PAGE), { timezone: 'Europe/Berlin' })
  expect(hits).toEqual([
    {
      endpoint: 'collect',
      ...line,
      body: {
        ...sender,
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
  const row = { ...PAGE, 'meta.key': "['author']", 'meta.value': "['Ada']" }
  const expected = await convert(plausible, csv(COLUMNS, row))
  expect(await convert(plausible, `\uFEFF${jsonLines(asJson)}\r\n`)).toEqual(expected)
  expect(await convert(plausible, JSON.stringify([asJson], null, 2))).toEqual(expected)
})

test('Plausible: tags of the visit, click ids and tagged sources become the query of the page', async () => {
  const campaign = { utm_source: 'news letter', utm_medium: 'email', utm_campaign: 'März' }
  const cases: [change: Record<string, string>, path: string][] = [
    [campaign, '/pricing?utm_source=news+letter&utm_medium=email&utm_campaign=M%C3%A4rz'],
    [{ click_id_param: 'gclid' }, '/pricing?gclid=unknown'],
    [{ utm_medium: '(msclkid)' }, '/pricing?msclkid=unknown'],
    [{ referrer: '', referrer_source: 'Product Hunt' }, '/pricing?ref=Product+Hunt'],
    [{ referrer: '', referrer_source: 'Direct / None' }, '/pricing'],
    [{ pathname: '/app#/settings' }, '/app/settings'],
  ]
  for (const [change, path] of cases) expect((await bodyOf(change)).url).toEqual({ path })
})

test('Plausible: engagement has time and depth as far as they were measured', async () => {
  const engaged = { name: 'engagement', scroll_depth: '80', engagement_time: '12345' }
  const body = { ...sender, sd: 80, time: 12_345 }
  expect(await only(engaged)).toEqual({ endpoint: 'engage', ...line, body })
  expect((await bodyOf({ ...engaged, scroll_depth: '255' })).sd).toBeUndefined()
  const left = { ...engaged, name: 'pageleave', engagement_time: '' }
  expect(await bodyOf(left)).toMatchObject({ sd: 80, time: 0 })
  expect(await convert(plausible, csv(COLUMNS, { ...PAGE, name: 'engagement' }))).toEqual({
    hits: [],
    left: ['engagement without time and scroll depth'],
  })
})

test('Plausible: events of its own script become autocaptures, others keep properties and revenue', async () => {
  const clicked = { 'meta.key': "['url']", 'meta.value': "['https://other.example/a.pdf?x']" }
  const url = 'https://other.example/a.pdf?x'
  expect(await bodyOf({ ...clicked, name: 'Outbound Link: Click' })).toMatchObject({
    ...{ name: 'outbound', url: { path: '/pricing' }, properties: { url } },
  })
  expect(await bodyOf({ ...clicked, name: 'File Download' })).toMatchObject({
    ...{ name: 'download', properties: { url, file: 'a.pdf' } },
  })
  const order = { name: 'Purchase', revenue_source_amount: '49.9900', revenue_source_currency: 'EUR' }
  const revenue = { amount: 49.99, currency: 'EUR' }
  expect(await bodyOf(order)).toMatchObject({ name: 'Purchase', revenue })
  expect((await bodyOf({ name: 'Signup' })).revenue).toBeUndefined()
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
  const { body, location } = await only({
    ...{ country_code: '\0\0', subdivision1_code: '', hostname: '(none)', screen_size: '', browser: '' },
    ...{ operating_system: '', 'meta.key': '[]', 'meta.value': '[]' },
  })
  expect(location).toBeUndefined()
  expect(Object.keys(body)).toEqual(['hostname', 'visitor_id', 'url', 'referrer'])
  const city = csv([...COLUMNS, 'city_name'], { ...PAGE, city_name: 'Tallinn' })
  expect((await convert(plausible, city)).hits[0]!.location).toEqual({ ...line.location, city: 'Tallinn' })
  const small = csv(['timestamp', 'name', 'user_id', 'pathname'], PAGE)
  expect((await bodiesOf(plausible, small))[0]!.hostname).toBe('example.com')
})

test('Plausible: a wrong file says what it must be; broken lines are counted', async () => {
  await expect(convert(plausible, 'timestamp,name\n2025-01-01,pageview')).rejects.toThrow(
    /lacks the columns user_id, pathname\. Bring the table events_v2/,
  )
  await expect(convert(plausible, '{"a": 1}\n{"b": 2}')).rejects.toThrow(
    /export\.csv is of another format\. Bring the table/,
  )
  const odd = { ...asJson, user_id: 0, timestamp: 'x' }
  const file = `${jsonLines(asJson)}\n{"timestamp": "2025\n${jsonLines(asJson, odd)}`
  const { hits, left } = await convert(plausible, file)
  expect([hits.length, left]).toEqual([2, ['the line is not a JSON object', 'no valid time']])
})

test('Plausible: every line of any row is one that the import takes', async () => {
  const event = { ...PAGE, name: 'File Download', 'meta.key': "['url']", 'meta.value': "['/a']" }
  const engaged = { ...PAGE, name: 'engagement', engagement_time: '5' }
  const rows = randomRows(PAGE, event, engaged).map(random => csv(COLUMNS, PAGE, ...random))
  await expectTaken(plausible, rows, { website: '1' })
  const objects = randomObjects(asJson).map(random => jsonLines(asJson, ...random))
  await expectTaken(plausible, objects, { website: '1' })
})
