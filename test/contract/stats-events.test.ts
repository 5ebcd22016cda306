import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ADA,
  BEN,
  CAI,
  DAY,
  dayOfHits,
  type Stats,
  type StatsSite,
  startStats,
  THAT_DAY,
} from './stats-site.ts'

let stats: Stats
let site: StatsSite
let fingerprint: string
/** Where the service shows the picture of an identified visitor. */
const pictureOf = (visitorId: string) =>
  new RegExp(`^${stats.api.services.config.baseUrl}/avatars/${visitorId}/[A-Za-z0-9_-]+$`)
const read = (path: string) => stats.read(site, path)

const HOURS = Array.from({ length: 24 }, (_, hour) => `${DAY}T${String(hour).padStart(2, '0')}:00:00+00:00`)
/** Zeros for the hours of the day, but for these. */
const hourly = (counts: Record<number, number>) => HOURS.map((_, hour) => counts[hour] ?? 0)

beforeAll(async () => {
  stats = await startStats()
  site = await stats.site()
  await stats.store(dayOfHits(site))
  fingerprint = (await read(`/stats/errors?${THAT_DAY}`)).data[0].id
})
afterAll(() => stats.close())

describe('event log', () => {
  test('items have exactly these fields, newest first, without engagement and identify', async () => {
    const { data, meta } = await read(`/stats/events?${THAT_DAY}`)
    expect(meta).toEqual({ current_page: 1, per_page: 50, total: 9, last_page: 1 })
    expect(data.map((item: { timestamp: string }) => item.timestamp)).toEqual(
      ['12:02:00', '12:01:00', '12:00:00', '11:01:00', '11:00:00', '10:00:00']
        .concat(['09:02:00.123', '09:01:00', '09:00:00'])
        .map(time => new Date(`${DAY}T${time}Z`).toISOString()),
    )
    expect(data[6]).toEqual({
      event_type: 'event',
      event_name: 'signup',
      timestamp: `${DAY}T09:02:00.123Z`,
      path: '/pricing',
      url: 'https://example.com/pricing',
      title: 'Pricing',
      hostname: 'example.com',
      user_id: 'user-1',
      visitor_id: ADA,
      session_id: expect.stringMatching(/^[0-9a-z]+-[0-9a-z]+$/),
      display_name: 'Ada L.',
      avatar_url: expect.stringMatching(pictureOf(ADA)),
      country: 'DE',
      device: 'desktop',
      browser: 'Chrome',
      os: 'macOS',
      properties: { plan: 'pro', tier: 'a' },
      error_id: null,
    })
    expect(data[8]).toMatchObject({
      event_type: 'pageview',
      event_name: '',
      path: '/home',
      url: 'https://example.com/home?a=1',
      properties: { plan: 'pro' },
    })
  })

  test('an anonymous visitor has a nickname, and an error its fingerprint', async () => {
    const { data } = await read(`/stats/events?${THAT_DAY}`)
    expect(data[5]).toMatchObject({
      user_id: '',
      visitor_id: BEN,
      display_name: expect.stringMatching(/./),
      avatar_url: `${stats.api.services.config.baseUrl}/avatars/${BEN}.svg`,
      country: '',
      browser: '',
    })
    expect(data[5].display_name).toBe(data[2].display_name)
    expect(data[3]).toMatchObject({ event_type: 'error', event_name: 'TypeError', error_id: fingerprint })
    expect(data[1].error_id).toBe(fingerprint)
    expect(data[0]).toMatchObject({ event_name: 'Error', error_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(data[4]).toMatchObject({ event_type: 'outbound', event_name: 'outbound', visitor_id: CAI })
    const before = await read('/stats/events?from=2026-03-09&to=2026-03-09')
    expect(before.data[0]).toMatchObject({ visitor_id: ADA, user_id: '' })
  })

  test.each([
    ['types=error', ['error', 'error', 'error']],
    ['types=outbound,event', ['outbound', 'event']],
    ['types=event,nonsense,engagement', ['event']],
    ['types=form', []],
  ])('%s selects %j', async (query, types) => {
    const { data, meta } = await read(`/stats/events?${THAT_DAY}&${query}`)
    expect(data.map((item: { event_type: string }) => item.event_type)).toEqual(types)
    expect(meta.total).toBe(types.length)
  })

  test.each(['types=', 'types=nonsense', 'types=,', 'types=engagement', 'types=PAGEVIEW'])(
    '%s selects every type',
    async query => {
      expect((await read(`/stats/events?${THAT_DAY}&${query}`)).meta.total).toBe(9)
    },
  )

  test('the timeseries has the types that occur', async () => {
    expect(await read(`/stats/events/timeseries?${THAT_DAY}`)).toEqual({
      labels: HOURS,
      types: ['pageview', 'event', 'outbound', 'error'],
      series: {
        pageview: hourly({ 9: 2, 10: 1, 12: 1 }),
        event: hourly({ 9: 1 }),
        outbound: hourly({ 11: 1 }),
        error: hourly({ 11: 1, 12: 2 }),
      },
      group: 'hour',
    })
    expect(await read(`/stats/events/timeseries?${THAT_DAY}&types=event,copy,x`)).toEqual({
      labels: HOURS,
      types: ['event'],
      series: { event: hourly({ 9: 1 }) },
      group: 'hour',
    })
  })
})

test('property breakdown: values are sorted by visitors', async () => {
  const of = (query: string) => read(`/stats/events/property-breakdown?${THAT_DAY}&${query}`)
  expect(await of('event_type=event&event_name=signup')).toEqual({
    rows: [
      { key: 'plan', value: 'pro', visitors: 1 },
      { key: 'tier', value: 'a', visitors: 1 },
    ],
  })
  expect(await of('event_type=outbound&event_name=outbound')).toEqual({
    rows: [{ key: 'selector', value: '#buy', visitors: 1 }],
  })
  expect(await of('event_type=event&event_name=nothing')).toEqual({ rows: [] })
  expect(await of('event_type=form&event_name=signup')).toEqual({ rows: [] })
})

test.each([
  'event_name=signup',
  'event_type=event',
  'event_type=pageview&event_name=x',
  'event_type=engagement&event_name=x',
  `event_type=event&event_name=${'x'.repeat(256)}`,
])('property breakdown: %s gives 422', async query => {
  const answer = await stats.ask(`${site.path}/stats/events/property-breakdown?${THAT_DAY}&${query}`)
  expect(answer.status).toBe(422)
})
