import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { event, invoice, onDay, type StripeEvent, subscription } from '../support/stripe.ts'
import { type Revenue, sign, startRevenue } from './revenue-shop.ts'
import type { StatsSite } from './stats-site.ts'

let revenue: Revenue
beforeAll(async () => {
  revenue = await startRevenue()
})
afterAll(() => revenue.close())

const paid = () => event('invoice.paid', invoice({ paidAt: onDay(5) }), onDay(5), `evt_${randomUUID()}`)

async function expectNothing(site: StatsSite) {
  expect(await revenue.payments(site)).toEqual([])
  expect(await revenue.log(site)).toEqual([])
  expect(await revenue.movements(site)).toEqual({})
}

describe('webhook signature', () => {
  test.each<[string, (text: string) => string | null]>([
    ['missing', () => null],
    ['empty', () => ''],
    ['made with another secret', text => sign(text, { secret: 'whsec_other' })],
    ['made 301 s ago', text => sign(text, { ahead: -301 })],
    ['made 301 s in the future', text => sign(text, { ahead: 301 })],
    ['that of the body as it is written otherwise', text => sign(JSON.stringify(JSON.parse(text), null, 2))],
    ['that of the body without its last byte', text => sign(text.slice(0, -1))],
    ['of the old scheme', text => sign(text).replace('v1=', 'v0=')],
    ['without a time', text => sign(text).replace(/^t=\d+,/, '')],
    ['moved to another time', text => sign(text).replace(/^t=(\d+)/, (_, at) => `t=${Number(at) + 1}`)],
    ['cut', text => sign(text).slice(0, -2)],
    ['no hex', text => sign(text).replace(/v1=.*/, 'v1=zz')],
  ])('a signature that is %s is answered 400, and nothing is recorded', async (_what, header) => {
    const site = await revenue.shop()
    const text = JSON.stringify(paid())
    expect(await revenue.deliver(site, text, { header: header(text) })).toMatchObject({
      status: 400,
      body: { code: 'bad_signature', message: expect.any(String) },
    })
    await expectNothing(site)
  })

  test.each([-300, 0, 300])('a signature of %i s from now is accepted', async ahead => {
    const site = await revenue.shop()
    expect((await revenue.deliver(site, paid(), { ahead })).status).toBe(200)
    expect(await revenue.payments(site)).toHaveLength(1)
  })

  test('one valid signature among several is accepted, as during a change of the secret', async () => {
    const site = await revenue.shop()
    const text = JSON.stringify(paid())
    const other = sign(text, { secret: 'whsec_old' }).split(',')[1]!
    const [time, good] = sign(text).split(',')
    expect((await revenue.deliver(site, text, { header: `${time},${other},${good}` })).status).toBe(200)
  })
})

describe('webhook address', () => {
  test.each<[string, (site: StatsSite & { domain: string }) => string]>([
    ['an unknown site', () => randomUUID()],
    ['no UUID', () => 'shop.example'],
    ['the domain of the site', ({ domain }) => domain],
    ['a UUID with more', site => `${site.id}0`],
    ['a site without a connection', site => site.id],
  ])('%s is answered 404, signed or not', async (_what, id) => {
    const made = await revenue.site()
    const { domain } = (await revenue.call('GET', made.path)).body
    const target = { id: id({ ...made, domain }) }
    for (const header of [undefined, null])
      expect(await revenue.deliver(target, paid(), header === null ? { header } : {})).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
  })

  test('a deleted site is answered 404', async () => {
    const site = await revenue.shop()
    await revenue.call('DELETE', site.path)
    expect((await revenue.deliver(site, paid())).status).toBe(404)
  })

  test('an event of one site changes no other site', async () => {
    const [site, other] = [await revenue.shop(), await revenue.shop()]
    await revenue.deliverAll(site, [paid(), event('customer.subscription.created', subscription(), onDay(3))])
    await expectNothing(other)
  })
})

describe('webhook body', () => {
  const padded = (each: StripeEvent, bytes: number) => JSON.stringify(each).padEnd(bytes)

  test('1 MiB is accepted; one byte more is answered 413', async () => {
    const site = await revenue.shop()
    expect(await revenue.deliver(site, padded(paid(), 2 ** 20 + 1))).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    })
    await expectNothing(site)
    expect((await revenue.deliver(site, padded(paid(), 2 ** 20))).status).toBe(200)
    expect(await revenue.payments(site)).toHaveLength(1)
  })

  test('a body that is no JSON is answered 400', async () => {
    const site = await revenue.shop()
    expect(await revenue.deliver(site, '{"id": "evt_1",')).toMatchObject({
      status: 400,
      body: { code: 'malformed_json' },
    })
  })

  test.each(['[]', 'null', '7', '"evt"', '{}', '{"id":"evt_1","type":"invoice.paid"}'])(
    '%s is never answered 500',
    async text => {
      const site = await revenue.shop()
      expect([200, 422]).toContain((await revenue.deliver(site, text)).status)
      await expectNothing(site)
    },
  )

  test.each(['payout.paid', 'invoice.voided', 'invoice.payment_failed', 'product.created', 'a.new.type'])(
    'an event of type %s is answered 200, and nothing is recorded',
    async type => {
      const site = await revenue.shop()
      const told = event(type, { id: 'x_1', object: 'other' }, onDay(5))
      expect((await revenue.deliver(site, told)).status).toBe(200)
      await expectNothing(site)
    },
  )
})

test('webhook: an event id is applied once, also when 20 deliveries arrive together', async () => {
  const site = await revenue.shop()
  const one = paid()
  const created = event('customer.subscription.created', subscription(), onDay(3))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => revenue.deliver(site, index % 2 ? one : created)),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(await revenue.movements(site)).toEqual({ '2026-01-03': 1000 })
  expect(await revenue.log(site)).toEqual(['2026-01-03 subscription_started', '2026-01-05 payment'])
})
