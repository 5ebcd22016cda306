import { afterAll, beforeAll, expect, test } from 'vitest'
import { rollUpAll } from '../support/roll-up.ts'
import { ADA, BEN, DAY, hit, type Stats, type StatsSite, startStats, THAT_DAY } from './stats-site.ts'

const MOST = Number.MAX_SAFE_INTEGER
const TWICE_MOST = String(2n * BigInt(MOST))
const MOST_OF_64_BITS = String(2n ** 63n - 1n)
const at = (time: string) => `${DAY}T${time}Z`

let stats: Stats

beforeAll(async () => {
  stats = await startStats()
})
afterAll(() => stats.close())

const buy = (amountMinor: string, visitorId = ADA) =>
  ({ type: 'event', name: 'buy', visitorId, revenue: { amountMinor, currency: 'USD' } }) as const

async function pay(site: StatsSite, amounts: number[], timestamp: string, visitorId?: string) {
  for (const [index, amount] of amounts.entries()) {
    const body = {
      ...{ amount, currency: 'USD', transaction_id: `${timestamp}/${index}`, timestamp },
      ...(visitorId && { visitor_id: visitorId }),
    }
    const made = await stats.api.call('POST', `${site.path}/payments`, { token: stats.owner.token, body })
    expect(made.status).toBe(201)
  }
}

test('goal report: a sum beyond 2^53 is null with all digits in another field; other goals keep their numbers', async () => {
  const site = await stats.site()
  const currency = { match_type: 'event', currency: 'USD' }
  await stats.goal(site, { ...currency, match_value: 'huge' })
  await stats.goal(site, { ...currency, match_value: 'buy', display_name: 'large' })
  await stats.goal(site, { ...currency, match_value: 'sell', display_name: 'small' })
  await stats.store([
    hit(site, at('09:00:00'), buy(String(MOST))),
    hit(site, at('09:00:01'), buy(String(MOST), BEN)),
    hit(site, at('09:00:02'), { ...buy('700'), name: 'sell' }),
    hit(site, at('09:00:03'), { ...buy(MOST_OF_64_BITS), name: 'huge' }),
    hit(site, at('09:00:04'), { ...buy(MOST_OF_64_BITS), name: 'huge' }),
  ])
  const [huge, large, small] = await stats.read(site, `/stats/goals?${THAT_DAY}`)
  expect(huge).toMatchObject({ revenue: null, revenue_exact: String(2n * BigInt(MOST_OF_64_BITS)) })
  expect(large).toMatchObject({ conversions: 2, visitors: 2, revenue: null, revenue_exact: TWICE_MOST })
  expect(small).toMatchObject({ conversions: 1, revenue: 700 })
  expect(small).not.toHaveProperty('revenue_exact')
})

test('breakdown: revenue beyond 2^53 is null with all digits in another field; other values keep their numbers', async () => {
  const site = await stats.site()
  await stats.store([
    hit(site, at('09:00:00'), { visitorId: ADA, url: '/large' }, { source: 'Large' }),
    hit(site, at('09:00:00'), { visitorId: BEN, url: '/small' }, { source: 'Small' }),
  ])
  await pay(site, [MOST, MOST], at('09:01:00'), ADA)
  await pay(site, [500], at('09:02:00'), BEN)
  for (const [dimension, large, small] of [
    ['source', 'Large', 'Small'],
    ['path', '/large', '/small'],
  ]) {
    for (const filter of ['', '&hostname=example.com']) {
      const { data } = await stats.read(site, `/stats/breakdown?dimension=${dimension}&${THAT_DAY}${filter}`)
      const of = (value: string) => data.find((row: { value: string }) => row.value === value)
      expect(of(large!)).toMatchObject({ visitors: 1, revenue: null, revenue_exact: TWICE_MOST })
      expect(of(small!)).toMatchObject({ visitors: 1, revenue: 500 })
      expect(of(small!)).not.toHaveProperty('revenue_exact')
    }
  }
})

test('overview and timeseries: revenue beyond 2^53 is refused, with and without filters', async () => {
  const site = await stats.site()
  await stats.store([hit(site, at('09:00:00'), { visitorId: ADA })])
  await pay(site, [MOST, MOST], at('09:01:00'), ADA)
  for (const path of ['/overview?', '/stats/timeseries?metric=revenue&']) {
    for (const filter of ['', '&hostname=example.com']) {
      const answer = await stats.ask(`${site.path}${path}${THAT_DAY}${filter}`)
      expect([answer.status, answer.json.code]).toEqual([422, 'validation_failed'])
      expect(answer.json.errors.range[0]).toMatch(/2\^53/)
    }
  }
})

test('list of sites: revenue beyond 2^53 is capped and marked; other sites are not affected', async () => {
  const [large, small] = [await stats.site(), await stats.site()]
  await pay(large, [MOST, MOST], '2026-03-18T10:00:00Z')
  await pay(large, [100], '2026-03-18T11:00:00Z')
  await pay(small, [500], '2026-03-18T10:00:00Z')
  for (const period of ['24h', '7d', '30d']) {
    const answer = await stats.ask(`/api/sites?period=${period}`)
    expect(answer.status).toBe(200)
    const of = ({ id }: StatsSite) => answer.json.find((site: { id: string }) => site.id === id)
    expect(of(large)).toMatchObject({ revenue: MOST, revenue_exact: String(2n * BigInt(MOST) + 100n) })
    expect(Math.max(...of(large).revenue_sparkline)).toBe(MOST)
    expect(of(small)).toMatchObject({ revenue: 500 })
    expect(of(small)).not.toHaveProperty('revenue_exact')
  }
})

test('engaged time: sums beyond 2^53 are averaged from rows, from rollups and with filters', async () => {
  const site = await stats.site()
  const page = { url: '/long', title: 'Long', visitorId: ADA }
  const ping = (time: string) =>
    hit(site, at(time), { ...page, type: 'engagement', scroll: 1, engagedMs: MOST })
  await stats.store([hit(site, at('09:00:00'), page), ping('09:00:01'), ping('09:00:02'), ping('09:00:03')])
  const seconds = async (filter = '') =>
    (await stats.read(site, `/stats/page-titles?${THAT_DAY}${filter}`)).data[0].time_on_page_seconds
  const filters = ['', '&hostname=example.com', '&path=/long']
  const expected = (3 * MOST) / 1000
  for (const filter of filters) expect(await seconds(filter)).toBeCloseTo(expected, -3)
  await rollUpAll(stats.api.services.db, new Date('2026-03-12T00:00:00Z'))
  for (const filter of filters) expect(await seconds(filter)).toBeCloseTo(expected, -3)
})

test('session length: sums beyond 2^53 are averaged from rows, from rollups and with filters', async () => {
  const { db } = stats.api.services
  const site = await stats.site()
  await stats.store([
    hit(site, at('09:00:00'), { visitorId: ADA }),
    hit(site, at('09:30:00'), { visitorId: BEN }),
    hit(site, '2026-03-11T10:00:00Z', { visitorId: BEN }),
  ])
  await db`update sessions set duration_ms = ${MOST} where site_no = ${site.siteNo}`
  const range = 'from=2026-03-10&to=2026-03-11'
  const length = async (filter = '') =>
    (await stats.read(site, `/overview?${range}${filter}`)).avg_session_seconds
  const expectMost = async () => {
    const metric = `/stats/timeseries?metric=avg_session_seconds&${range}`
    for (const filter of ['', '&hostname=example.com']) {
      expect(await length(filter)).toBeCloseTo(MOST / 1000, -3)
      expect(Math.max(...(await stats.read(site, metric + filter)).values)).toBeCloseTo(MOST / 1000, -3)
    }
  }
  await expectMost()
  await rollUpAll(db, new Date('2026-03-13T00:00:00Z'))
  await expectMost()
})
