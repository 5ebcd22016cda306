import { expect, test } from 'vitest'
import { matomo } from '../../../../src/outgoing/transfer/converters/matomo/matomo.ts'
import { bodiesOf, convert, expectLeft, jsonLines, visitor } from './converted.ts'
import { expectTaken, randomObjects } from './random-fields.ts'

const VISITOR = '3b2c1d0e9f8a7b6c'
/** 2024-03-30 10:00:00 UTC; clocks of Berlin are an hour ahead. */
const BEGAN = Date.UTC(2024, 2, 30, 10) / 1_000
const HOUR = 3_600

const page = (shown: number, url: string, more: object = {}) => ({
  type: 'action',
  url,
  pageTitle: 'Pricing & plans',
  timestamp: shown,
  ...more,
})

const VISIT = {
  idSite: '1',
  idVisit: '4',
  visitorId: VISITOR,
  fingerprint: '5041e282fc23fef1',
  actionDetails: [
    page(BEGAN + HOUR, 'https://example.com/pricing?plan=a#top', { timeSpent: 30, dimension1: 'b' }),
    { type: 'outlink', url: 'https://other.example/x', timestamp: BEGAN + HOUR + 10 },
    { type: 'download', url: 'https://example.com/files/a.zip?x', timestamp: BEGAN + HOUR + 20 },
    page(BEGAN + HOUR + 30, 'https://example.com/thanks'),
    {
      type: 'event',
      url: 'https://example.com/thanks',
      eventCategory: 'Movie',
      eventAction: 'Play',
      eventName: 'Alien',
      eventValue: 2.5,
      timestamp: BEGAN + HOUR + 40,
    },
  ],
  ...{ siteCurrency: 'EUR', firstActionTimestamp: BEGAN, userId: null, referrerType: 'search' },
  ...{ referrerName: 'Google', referrerKeyword: 'Keyword not defined' },
  ...{ referrerUrl: 'https://www.google.com/', languageCode: 'de-at', deviceType: 'Téléphone' },
  ...{ deviceTypeIcon: 'plugins/Morpheus/icons/dist/devices/smartphone.png' },
  ...{ operatingSystemName: 'GNU/Linux', operatingSystemCode: 'LIN', operatingSystemVersion: '' },
  ...{ browserName: 'Chrome Mobile', browserCode: 'CM', browserVersion: '120.0', countryCode: 'at' },
  ...{ regionCode: '9', city: 'Wien', resolution: '360x800', dimension2: 'gold' },
  customVariables: { 1: { customVariableName1: 'team', customVariableValue1: 'red' } },
}

const sender = { hostname: 'example.com', ...visitor('matomo', VISITOR) }
const location = { country: 'AT', region: 'AT-9', city: 'Wien' }
const device = {
  ...{ screen: { width: 360, height: 800 }, language: 'de-at', os: 'Linux' },
  ...{ browser: { name: 'Chrome', version: '120.0' }, device: 'mobile' },
}
const ofVisit = { dimension2: 'gold', team: 'red' }
const at = (seconds: number, more = '000') => `2024-03-30T10:00:${String(seconds).padStart(2, '0')}.${more}Z`

const visitOf = (change: object) => jsonLines({ ...VISIT, ...change })
const visitWith = (...actionDetails: object[]) => visitOf({ actionDetails })

test('Matomo: the actions of a visit become hits at their time in UTC', async () => {
  const { hits, left } = await convert(matomo, JSON.stringify([VISIT]))
  const url = { path: '/pricing?plan=a' }
  const title = 'Pricing & plans'
  const opening = { ...sender, url: { ...url, title }, referrer: 'https://www.google.com/', ...device }
  const outbound = { url: 'https://other.example/x', ...ofVisit }
  const download = { url: 'https://example.com/files/a.zip?x', file: 'a.zip', ...ofVisit }
  const thanks = { ...sender, url: { path: '/thanks', title }, ...device, properties: ofVisit }
  const played = { category: 'Movie', name: 'Alien', value: '2.5', ...ofVisit }
  const expected: [endpoint: string, timestamp: string, body: object][] = [
    ['collect', at(0), { ...opening, properties: { ...ofVisit, dimension1: 'b' } }],
    ['engage', at(29, '999'), { ...sender, url, time: 30_000 }],
    ['event', at(10), { ...sender, name: 'outbound', ...device, properties: outbound }],
    ['event', at(20), { ...sender, name: 'download', ...device, properties: download }],
    ['collect', at(30), thanks],
    ['event', at(40), { ...sender, name: 'Play', url: { path: '/thanks' }, ...device, properties: played }],
  ]
  expect(hits).toEqual(
    expected.map(([endpoint, timestamp, body]) => ({ endpoint, timestamp, location, body })),
  )
  expect(left).toEqual([])
})

test('Matomo: pages of the API one after the other, and one visit a line, give the same hits', async () => {
  const second = { ...VISIT, idVisit: '5', visitorId: 'ffff' }
  const expected = await convert(matomo, JSON.stringify([VISIT, second]))
  const pages = `${JSON.stringify([VISIT])}\n${JSON.stringify([second], null, 4)}[]`
  expect(await convert(matomo, pages)).toEqual(expected)
  expect(await convert(matomo, jsonLines(VISIT, second))).toEqual(expected)
})

test('Matomo: the clock of the website is changed within a visit', async () => {
  // 27 October 2024: at 01:00 UTC, clocks of Berlin go from 03:00 back to 02:00.
  const change = Date.UTC(2024, 9, 27, 1) / 1_000
  const shown = [change - 600 + 2 * HOUR, change - 60 + 2 * HOUR, change + 60 + HOUR, change + HOUR + HOUR]
  const visit = {
    firstActionTimestamp: change - 600,
    actionDetails: shown.map((timestamp, index) => page(timestamp, `https://example.com/${index}`)),
  }
  const berlin = { timezone: 'Europe/Berlin' }
  const { hits } = await convert(matomo, visitOf(visit), berlin)
  const times = hits.map(({ timestamp }) => (Date.parse(timestamp) / 1_000 - change) / 60)
  expect(times).toEqual([-10, -1, 1, 60])
  // Without the begin of the visit, the zone of the site decides.
  const without = await convert(matomo, visitOf({ firstActionTimestamp: undefined }), berlin)
  expect(without.hits[0]!.timestamp).toBe(at(0))
})

test('Matomo: a user is identified once a visit', async () => {
  const { hits } = await convert(matomo, visitOf({ userId: 'ada@example.com' }))
  expect(hits.filter(({ endpoint }) => endpoint === 'identify')).toEqual([
    { endpoint: 'identify', timestamp: at(0), body: { ...sender, identifier: 'ada@example.com' } },
  ])
  expect(hits[1]!.endpoint).toBe('identify')
})

test('Matomo: a campaign becomes tags of the page that opened the visit', async () => {
  const pathsOf = async (change: object) => {
    const { hits } = await convert(matomo, visitOf(change))
    return hits.filter(hit => hit.endpoint === 'collect').map(hit => (hit.body.url as { path: string }).path)
  }
  const own = { referrerType: 'campaign', referrerName: 'Spring', referrerKeyword: 'shoes' }
  expect(await pathsOf(own)).toEqual(['/pricing?plan=a&utm_campaign=Spring&utm_term=shoes', '/thanks'])
  const plugin = { campaignSource: 'news', campaignMedium: 'email', campaignContent: 'top' }
  const named = { ...own, referrerKeyword: '', campaignName: 'Spring' }
  expect(await pathsOf({ ...named, ...plugin })).toEqual([
    '/pricing?plan=a&utm_source=news&utm_medium=email&utm_campaign=Spring&utm_content=top',
    '/thanks',
  ])
})

test('Matomo: searches and orders become events; what cannot be carried over is named', async () => {
  const timestamp = BEGAN + HOUR
  const search = { siteSearchKeyword: 'party', siteSearchCategory: 'CAT', siteSearchCount: '48' }
  const order = { type: 'ecommerceOrder', orderId: '937', revenue: 1111.11, items: '8', timestamp }
  const hits = await bodiesOf(matomo, visitWith({ type: 'search', ...search, timestamp }, order))
  expect(hits.map(({ name, properties, revenue }) => [name, properties, revenue])).toEqual([
    ['search', { keyword: 'party', category: 'CAT', results: '48', ...ofVisit }, undefined],
    ['ecommerce_order', { order: '937', items: '8', ...ofVisit }, { amount: 1111.11, currency: 'EUR' }],
  ])
  const cases: [object, string][] = [
    [{ type: 'ecommerceAbandonedCart', timestamp }, 'abandoned cart'],
    [{ type: 'goal', timestamp }, 'goal that was reached: define it as a goal of the site'],
    [{ type: 13, contentName: 'ad', timestamp }, 'content that was shown or clicked'],
    [{ type: 'media', timestamp }, 'action of a kind that is not known'],
    [{ type: 'event', eventAction: 'payment', timestamp }, 'event name that only this service may use'],
    [page(timestamp, ''), 'page without address'],
    [{ type: 'action', url: 'https://example.com/' }, 'no valid time'],
  ]
  await expectLeft(matomo, cases, visitWith)
})

test('Matomo: visits of another website, errors and broken lines are counted', async () => {
  const file = [
    jsonLines(VISIT, { ...VISIT, idSite: 2 }),
    '{"result":"error","message":"You can\'t access this resource"}',
    '{"idVisit": "cut',
    jsonLines({ ...VISIT, actionDetails: [] }, { ...VISIT, visitorId: '', fingerprint: null, idVisit: null }),
  ].join('\n')
  const { hits, left } = await convert(matomo, file, { website: '1' })
  expect([hits.length, left]).toEqual([
    6,
    [
      ...['visit of another website', 'error of Matomo in place of visits'],
      ...['the line is not a JSON object', 'visit without actions', 'no visitor'],
    ],
  ])
  await expect(convert(matomo, file)).rejects.toThrow(
    'several websites; name one of them: 1 (3 visits), 2 (1 visits)',
  )
  await expect(convert(matomo, '{"result":"error"}')).rejects.toThrow(
    /Bring answers of Live.getLastVisitsDetails/,
  )
  expect((await convert(matomo, jsonLines(VISIT, { idVisit: 'x'.repeat(10 * 1024 * 1024) }))).left).toEqual([
    'the object is longer than 4096 KiB',
  ])
})

test('Matomo: every line of any visit is one that the import takes', async () => {
  const order = { type: 'ecommerceOrder', revenue: 5, orderId: 'a', timestamp: BEGAN }
  const other = { ...VISIT, userId: 'ada', actionDetails: [order], referrerType: 'campaign' }
  const files = randomObjects(VISIT, other).map(random => jsonLines(VISIT, ...random))
  await expectTaken(matomo, files, { website: '1' })
})

test('matomo: addresses may lack their scheme', async () => {
  const urls = [
    ...['www.example.com/pricing?a=1#b', 'example.com', 'shop.example:8080/x', '/path'],
    ...['index.html', 'http://a.example/b'],
  ]
  const actions = urls.map((url, index) => page(BEGAN + HOUR + index, url))
  const outlink = { type: 'outlink', url: 'other.example/x', timestamp: BEGAN + HOUR + 100 }
  const { hits } = await convert(
    matomo,
    jsonLines({ ...VISIT, referrerType: '', referrerKeyword: '', actionDetails: [...actions, outlink] }),
  )
  const pages = hits
    .filter(({ endpoint }) => endpoint === 'collect')
    .map(({ body }) => [body.hostname, (body.url as { path: string }).path])
  expect(pages).toEqual([
    ['www.example.com', '/pricing?a=1'],
    ['example.com', '/'],
    ['shop.example', '/x'],
    ['example.com', '/path'],
    ['example.com', '/index.html'],
    ['a.example', '/b'],
  ])
  expect(hits.find(({ body }) => body.name === 'outbound')!.body.properties).toMatchObject({
    url: 'https://other.example/x',
  })
})
