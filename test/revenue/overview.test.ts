import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { beforeAll, describe, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { setRefunded } from '../../src/revenue/ledger/change-payment.ts'
import { recordPayment } from '../../src/revenue/ledger/record-payment.ts'
import { refreshAggregate } from '../../src/rollups/aggregates.ts'
import { compressSettledChunks } from '../../src/rollups/columnstore.ts'
import type { Api, Member } from '../support/api.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { recordLargePayment } from '../support/large-payment.ts'
import { sweep } from '../support/runs.ts'
import type { TestSite } from '../support/sites.ts'
import { apiOfFile } from '../support/stripe.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 3, 8, 9, 7)
const SPAN = 12 * DAY

const api: Api = apiOfFile({
  now: () => new Date(NOW),
  config: { sitesPerTeam: 1_000 },
  pool: { run: (task, input) => inProcessPool(api.services.db).run(task, input), close: async () => {} },
})
let owner: Member
beforeAll(async () => {
  owner = await api.member()
})

async function createSite(timezone = 'UTC'): Promise<TestSite> {
  const body = { domain: `${randomUUID()}.example`, timezone }
  const { id } = (await api.call('POST', '/api/sites', { token: owner.token, body })).body
  const [site] = await api.services.db<TestSite[]>`
    select site_no as "siteNo", id, tracking_key as key from sites where id = ${id}`
  return site!
}

const ask = async (path: string, method = 'GET', body?: unknown) =>
  api.call(method, path, { token: owner.token, body })
const overview = async (site: TestSite, query: string) =>
  (await ask(`/api/sites/${site.id}/overview?${query}`)).body
const connect = (site: TestSite) =>
  ask(`/api/sites/${site.id}/processor`, 'PUT', { provider: 'stripe', webhook_secret: 'x' })
const refresh = async () => {
  for (const aggregate of ['hits', 'revenue'] as const) {
    await refreshAggregate(api.services.db, aggregate, new Date(NOW))
  }
}

/** A payment that the test sent. */
interface Sent {
  id: string
  at: number
  amount: number
  refunded: number
  currency: string
  isRecurring: boolean
  customer: string
}

/** Returns the revenue of the sent payments as the specification defines it, by local days. */
function recount(sent: Sent[], zone: string, from: string, to: string) {
  const days = DateTime.fromISO(to).diff(DateTime.fromISO(from), 'days').days + 1
  const before = (date: string, count: number) => DateTime.fromISO(date).minus({ days: count }).toISODate()!
  const dayOf = (at: number) => DateTime.fromMillis(at, { zone }).toISODate()!
  const inside = (first: string, last: string) => (payment: Sent) =>
    first <= dayOf(payment.at) && dayOf(payment.at) <= last
  const periods = [inside(from, to), inside(before(from, days), before(from, 1))]
  const own = sent.filter(payment => payment.currency === 'USD')
  const isFirst = (payment: Sent) =>
    own.every(other => other.customer !== payment.customer || other.at >= payment.at)
  const hasPayments = sent.some(payment => periods.some(isInside => isInside(payment)))
  return periods.map(isInside => {
    const kept = own.filter(payment => isInside(payment) && payment.refunded < payment.amount)
    const sum = (payments: Sent[]) =>
      payments.reduce((total, { amount, refunded }) => total + amount - refunded, 0)
    const recurring = kept.filter(payment => payment.isRecurring)
    const money = { revenue: sum(kept), recurring_revenue: sum(recurring), payments: kept.length }
    const newOnes = own.filter(payment => isInside(payment) && isFirst(payment))
    return {
      money: hasPayments ? money : {},
      newCustomers: new Set(newOnes.map(payment => payment.customer)).size,
    }
  })
}

const MONEY = ['revenue', 'recurring_revenue', 'payments', 'new_customers'] as const
const moneyOf = (metrics: Record<string, unknown>) =>
  Object.fromEntries(MONEY.filter(name => name in metrics).map(name => [name, metrics[name]]))

async function expectRecount(site: TestSite, zone: string, sent: Sent[], isConnected: boolean) {
  const date = (days: number) => DateTime.fromMillis(NOW, { zone }).plus({ days }).toISODate()!
  for (const [from, to] of [
    [date(0), date(0)],
    [date(-3), date(-3)],
    [date(-10), date(-4)],
    [date(-12), date(0)],
    [date(-60), date(-40)],
  ] as const) {
    const answer = await overview(site, `from=${from}&to=${to}`)
    const expected = recount(sent, zone, from, to).map(({ money, newCustomers }) => ({
      ...money,
      ...(isConnected && { new_customers: newCustomers }),
    }))
    expect([from, to, moneyOf(answer), moneyOf(answer.previous)]).toEqual([from, to, ...expected])
  }
}

const Payments = fc.array(
  fc.record({
    ago: fc.integer({ min: 0, max: SPAN / 60_000 }),
    amount: fc.integer({ min: 1, max: 100_000 }),
    isRefunded: fc.integer({ min: 0, max: 5 }).map(die => die === 0),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    recurring: fc.boolean(),
    renewal: fc.boolean(),
    customer: fc.integer({ min: 1, max: 8 }),
    way: fc.constantFrom('api', 'processor', 'euro', 'partial'),
  }),
  { minLength: 10, maxLength: 25 },
)
type Given = Parameters<Parameters<typeof Payments.map>[0]>[0][number]

let serial = 0

/** Sends a payment in one of several ways. Its time is unique, so that a customer has exactly one first payment. */
async function send(site: TestSite, given: Given): Promise<Sent> {
  const { amount, recurring, renewal, way } = given
  serial += 1
  const id = `tx-${serial}`
  const at = NOW - given.ago * 60_000 - serial
  const refunded = way === 'partial' ? Math.floor(amount * given.part) : given.isRefunded ? amount : 0
  const customerId = `c${given.customer}`
  const currency = way === 'euro' ? 'EUR' : 'USD'
  if (way === 'api') {
    const payment = {
      transaction_id: id,
      amount,
      currency: 'USD',
      customer_id: customerId,
      recurring,
      renewal,
    }
    const told = { refunded: given.isRefunded, timestamp: new Date(at).toISOString() }
    const answer = await ask(`/api/sites/${site.id}/payments`, 'POST', { ...payment, ...told })
    expect(answer.status).toBe(201)
  } else {
    await api.services.db.begin(async tx => {
      await recordPayment(tx, site, {
        ...{ transactionId: id, amountMinor: amount, currency, customerId, renewal, recurring },
        ...{ refunded: false, isFreeTrial: false, paidAt: new Date(at), source: 'processor' },
      })
      await setRefunded(tx, site, id, refunded)
    })
  }
  return { id, at, amount, refunded, currency, isRecurring: recurring || renewal, customer: customerId }
}

describe('overview revenue', () => {
  test.each(sweep(['Europe/Berlin', 'UTC', 'America/Santiago', 'Australia/Lord_Howe', 'Asia/Kathmandu']))(
    'revenue equals the payments sent, in %s, before and after refreshes',
    { tags: ['full'] },
    async zone => {
      const [first, second] = fc.sample(Payments, { numRuns: 2, seed: zone.length })
      const site = await createSite(zone)
      const sent: Sent[] = []
      for (const given of first!) sent.push(await send(site, given))
      await expectRecount(site, zone, sent, false)
      await connect(site)
      await expectRecount(site, zone, sent, true)
      await refresh()
      await compressSettledChunks(api.services.db, new Date(NOW))
      await expectRecount(site, zone, sent, true)

      // All of these are below the watermark.
      for (const given of second!) sent.push(await send(site, given))
      const gone = sent.filter((_, index) => index % 4 === 0)
      for (const { id } of gone) {
        const answer = await ask(`/api/sites/${site.id}/payments`, 'DELETE', { transaction_id: id })
        const index = sent.findIndex(payment => payment.id === id)
        if (answer.status === 200) sent.splice(index, 1)
      }
      await api.services.db.begin(async tx => {
        for (const payment of sent.filter(({ amount, refunded }) => refunded < amount).slice(0, 5)) {
          payment.refunded = Math.ceil(payment.amount / 2)
          await setRefunded(tx, site, payment.id, payment.refunded)
        }
      })
      await expectRecount(site, zone, sent, true)
      await refresh()
      await expectRecount(site, zone, sent, true)
      const [marks] = await api.services.db`
        select count(*)::int as count from dirty_buckets where site_no = ${site.siteNo}`
      expect(marks!.count).toBe(0)
    },
  )

  test('revenue is exact, and the largest exact number when JSON cannot represent it', async () => {
    const site = await createSite()
    for (const [index, amountMinor] of [Number.MAX_SAFE_INTEGER - 1, 2].entries()) {
      const paidAt = new Date(`2026-04-0${3 + index}T00:00:00Z`)
      await recordLargePayment(api.services.db, site, { amountMinor, paidAt })
    }
    for (const [to, revenue] of [
      ['2026-04-03', 9_007_199_254_740_990],
      ['2026-04-04', 9_007_199_254_740_991],
    ] as const)
      expect((await overview(site, `from=2026-04-03&to=${to}`)).revenue).toBe(revenue)
    await ask(`/api/sites/${site.id}`, 'DELETE')
  })
})

describe('overview MRR', () => {
  test('mrr is the sum of movements in the range; mrr_per_visitor is the total at its end divided by the visitors', async () => {
    const site = await createSite('Europe/Berlin')
    await connect(site)
    const { db } = api.services
    const move = (at: string, amount: number, currency = 'USD') => db`
      insert into mrr_movements (site_no, at, subscription_id, kind, currency, amount_minor)
      values (${site.siteNo}, ${at}, 'sub', 'start', ${currency}, ${amount})`
    await move('2026-01-01T00:00:00Z', 10_000)
    // Still the previous day in UTC; the clocks changed that night.
    await move('2026-03-28T23:00:00Z', 500)
    await move('2026-03-29T21:59:59.999Z', -800)
    await move('2026-03-29T22:00:00Z', 5_000)
    await move('2026-03-29T10:00:00Z', 70_000, 'EUR')
    const at = Date.UTC(2026, 2, 29, 10)
    const hits = Array.from({ length: 3 }, () => enrichedHit(site, at, { visitorId: randomUUID() }))
    await storeHits(db, 0, hits)
    const answer = await overview(site, 'from=2026-03-29&to=2026-03-29')
    expect(answer).toMatchObject({ mrr: -300, mrr_per_visitor: 3_233, conversion_rate: 0, new_customers: 0 })
    expect(answer.previous).toMatchObject({ mrr: 0, mrr_per_visitor: 0 })
    expect('revenue' in answer).toBe(false)
    const all = await overview(site, 'from=2026-01-01&to=2026-03-30')
    expect(all).toMatchObject({ mrr: 14_700, mrr_per_visitor: 4_900 })
    await ask(`/api/sites/${site.id}/processor`, 'DELETE')
    expect('mrr' in (await overview(site, 'from=2026-03-29&to=2026-03-29'))).toBe(false)
  })
})

describe('site list', () => {
  test('revenue of the period is shown by bucket, in the time zone and currency of each site', async () => {
    const member = await api.member()
    const call = (method: string, path: string, body?: unknown) =>
      api.call(method, path, { token: member.token, body })
    const paid = await call('POST', '/api/sites', { domain: 'paid.example', timezone: 'Asia/Kathmandu' })
    await call('POST', '/api/sites', { domain: 'unpaid.example' })
    await call('PATCH', `/api/sites/${paid.body.id}/currency`, { currency: 'JPY' })
    const pay = (amount: number, timestamp: string, refunded = false) =>
      call('POST', `/api/sites/${paid.body.id}/payments`, {
        ...{ amount, currency: 'JPY', transaction_id: randomUUID(), timestamp, refunded },
      })
    // In Kathmandu it is 14:52 on 8 April; the hour began at 08:15 UTC.
    await pay(1, '2026-04-08T08:15:00Z')
    await pay(20, '2026-04-08T08:14:59.999Z')
    await pay(300, '2026-04-07T18:14:59Z')
    await pay(4_000, '2026-04-07T18:15:00Z')
    await pay(50_000, '2026-04-08T09:00:00Z', true)
    await pay(600_000, '2026-03-09T18:15:00Z')
    await pay(7_000_000, '2026-03-09T18:14:59Z')

    const item = async (period: string, domain = 'paid.example') =>
      (await call('GET', `/api/sites?period=${period}`)).body.find(
        (site: { domain: string }) => site.domain === domain,
      )
    const zeros = (count: number) => Array(count).fill(0)
    const hours = await item('24h')
    expect(hours.revenue_sparkline).toEqual([...zeros(8), 300, 4_000, ...zeros(12), 20, 1])
    expect(hours.revenue).toBe(4_321)
    const days = await item('7d')
    expect([days.revenue, days.revenue_sparkline]).toEqual([4_321, [...zeros(5), 300, 4_021]])
    const month = await item('30d')
    expect(month.revenue).toBe(604_321)
    expect(month.revenue_sparkline).toHaveLength(month.sparkline.length)
    expect(month).toMatchObject({ currency: 'JPY', has_revenue: true })
    const unpaid = { revenue: 0, revenue_sparkline: zeros(24), currency: 'USD', has_revenue: false }
    expect(await item('24h', 'unpaid.example')).toMatchObject(unpaid)
  })
})
