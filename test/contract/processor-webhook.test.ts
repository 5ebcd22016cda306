import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sweep } from '../support/runs.ts'
import {
  apiOfFile,
  checkout,
  deliver,
  deliverAll,
  event,
  invoice,
  item,
  type Json,
  life,
  netMovements,
  onDay,
  openShop,
  price,
  refund,
  SECRET,
  type Shop,
  type StripeEvent,
  serviceEvents,
  sign,
  subscription,
} from '../support/stripe.ts'
import { tablesWithRows } from '../support/tables-with-rows.ts'
import { openWire } from '../support/wire.ts'

/** Time of the stopped clock, Unix milliseconds, for tests that must stay within one minute. */
let frozenAt: number | undefined
const api = apiOfFile({ config: { trustProxy: 1 }, now: () => new Date(frozenAt ?? Date.now()) })

const payments = (shop: Shop): Promise<Json[]> =>
  api.services.db`
    select renewal, visitor_id as "visitorId" from payments where site_no = ${shop.siteNo} order by paid_at`

const expectNoTrace = async (shop: Shop) =>
  expect(await tablesWithRows(api.services.db, shop)).toEqual(['goals', 'processor_connections'])

async function visitors(shop: Shop) {
  const told = await api.services.db`
    select visitor_id as "visitorId" from lifecycle_events where site_no = ${shop.siteNo}`
  return new Set([...(await payments(shop)), ...told].map(row => row.visitorId))
}

const inMetadata = (visitor_id: string) => ({ metadata: { visitor_id } })
test.each<[string, (visitorId: string) => { checkout?: Json; subscription?: Json; invoice?: Json }]>(
  sweep([
    ['client_reference_id of the checkout', id => ({ checkout: { client_reference_id: id } })],
    ['metadata of the checkout', id => ({ checkout: inMetadata(id) })],
    ['metadata of the subscription', id => ({ subscription: inMetadata(id) })],
    ['metadata of the invoice', id => ({ invoice: inMetadata(id) })],
  ]),
)(
  'visitors: a visitor named by the %s is remembered for the subscription and its payments',
  async (_where, name) => {
    for (const isLate of [false, true]) {
      const shop = await openShop(api)
      const visitorId = randomUUID()
      const named = name(visitorId)
      const base = subscription(named.subscription)
      const one = { subscription: base.id, customer: base.customer }
      const first = invoice({ ...one, ...named.invoice })
      const later = invoice({ ...one, paidAt: onDay(32), billing_reason: 'subscription_cycle' })
      const paid = { mode: 'subscription', payment_intent: null, invoice: first.id, ...one }
      const events = [
        event('checkout.session.completed', checkout({ ...paid, ...named.checkout }), onDay(1)),
        event('customer.subscription.created', base, onDay(1)),
        event('invoice.paid', first, onDay(1)),
        event('invoice.paid', later, onDay(32)),
      ]
      await deliverAll(shop, isLate ? events.reverse() : events)
      expect(await visitors(shop)).toEqual(new Set([visitorId]))
    }
  },
)

test('visitors: a visitor has the movements that were recorded before it was known', async () => {
  const shop = await openShop(api)
  const { db } = api.services
  const [visitorId, seenAt] = [randomUUID(), new Date(onDay(2) * 1000)]
  const base = subscription()
  await deliverAll(shop, life(base, [[3, {}]]))
  await db`insert into visitors (visitor_no, site_no, id, first_seen_at, session_count, newest_session_at)
    values (nextval('visitor_numbers'), ${shop.siteNo}, ${visitorId}, ${seenAt}, 1, ${seenAt})`
  const of = { mode: 'subscription', payment_intent: null, subscription: base.id }
  const session = checkout({ ...of, client_reference_id: visitorId })
  await deliverAll(shop, [event('checkout.session.completed', session, onDay(3))])
  const [movement] = await db`
    select visitors.id from mrr_movements join visitors using (site_no, visitor_no) where mrr_movements.site_no = ${shop.siteNo}`
  expect(movement).toEqual({ id: visitorId })
})

test('visitors: a visitor name that is no id is ignored', async () => {
  const shop = await openShop(api)
  const session = checkout({ client_reference_id: 'cart-17' })
  await deliverAll(shop, [event('checkout.session.completed', session, onDay(1))])
  expect(await visitors(shop)).toEqual(new Set([null]))
})

test('events: an event id is applied once, also when 20 deliveries arrive together, and only to its site', async () => {
  const [shop, other] = [await openShop(api), await openShop(api)]
  const paid = event('invoice.paid', invoice({ paidAt: onDay(5) }), onDay(5))
  const [created] = life(subscription(), [[3, {}]])
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => deliver(shop, index % 2 ? paid : created!)),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(await netMovements(shop)).toEqual({ '2026-01-03 start USD': 1000 })
  expect(await serviceEvents(shop)).toEqual(['2026-01-03 subscription_started', '2026-01-05 payment'])
  await expectNoTrace(other)
})

test('events: a late event is inserted in order by movements of the kind that they correct', async () => {
  const shop = await openShop(api)
  const costs = (amount: number) => ({ items: { data: [item(price(amount))] } })
  const steps = life(subscription(), [
    [1, {}],
    [2, costs(4000)],
    [3, costs(6000)],
  ])
  const movements = () => api.services.db<{ id: string; kind: string; amount: number }[]>`
    select id, kind, amount_minor as amount from mrr_movements where site_no = ${shop.siteNo}`
  await deliverAll(shop, [steps[2]!, steps[0]!])
  const before = await movements()
  await deliverAll(shop, [steps[1]!])
  expect(await netMovements(shop)).toEqual({
    '2026-01-01 start USD': 1000,
    '2026-01-02 upgrade USD': 3000,
    '2026-01-03 upgrade USD': 2000,
  })
  const rows = await movements()
  expect(rows).toEqual(expect.arrayContaining([...before]))
  const starts = rows.filter(({ kind }) => kind === 'start').map(({ amount }) => amount)
  expect(starts.sort()).toEqual([-6000, 1000, 6000])
})

test('events: an event of an unused type is answered 200, and nothing is stored', async () => {
  const shop = await openShop(api)
  for (const type of ['payout.paid', 'invoice.voided', 'invoice.payment_failed', 'a.new.type']) {
    const answer = await deliver(shop, event(type, { id: 'x_1', object: 'other' }, onDay(1)))
    expect(answer, type).toMatchObject({ status: 200, body: { received: true } })
  }
  await expectNoTrace(shop)
})

test('events: a signed event that cannot be read is answered 422, and nothing is stored', async () => {
  const shop = await openShop(api)
  const dear = [item(price(9e14), { quantity: 9 })]
  const broken: [string, StripeEvent][] = [
    ['no status', event('customer.subscription.updated', { id: 'sub_1' }, onDay(1))],
    ['no amount', event('invoice.paid', { id: 'in_1', currency: 'usd' }, onDay(1))],
    ['an amount that is no number', event('refund.created', { ...refund(), amount: 'all' }, onDay(1))],
    ['too large an amount', event('invoice.paid', invoice({ amount_paid: 10 ** 12 + 1 }), onDay(1))],
    ['an object that is none', { ...event('invoice.paid', {}, onDay(1)), data: { object: 7 as never } }],
    ['a time that is none', event('invoice.paid', invoice(), Number.NaN)],
    ['a long id', event('invoice.paid', invoice({ id: `in_${'x'.repeat(300)}` }), onDay(1))],
    ['a price beyond numbers', life(subscription({ items: dear }), [[1, {}]])[0]!],
  ]
  for (const [what, each] of broken) {
    const answer = await deliver(shop, each)
    expect(answer, what).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
  }
  for (const text of ['[]', 'null', '7', '"evt"', '{}', '{"id":"evt_1","type":"invoice.paid"}'])
    expect([200, 422], text).toContain((await deliver(shop, text)).status)
  expect(await deliver(shop, '{"id":')).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
  await expectNoTrace(shop)
})

test('events: an event with NUL characters and lone surrogates is accepted', async () => {
  const shop = await openShop(api)
  const bill = JSON.stringify(event('invoice.paid', invoice({ customer_name: 'A\0nn' }), onDay(1)))
  expect((await deliver(shop, bill.replace('ann@', '\\ud800@'))).status).toBe(200)
  expect(await payments(shop)).toHaveLength(1)
})

test('events: an event that failed in the database is applied when it is sent again', async () => {
  const shop = await openShop(api)
  const { db } = api.services
  const [created] = life(subscription(), [[1, {}]])
  await db`alter table lifecycle_events add constraint broken check (name <> 'subscription_started')
    not valid`
  expect((await deliver(shop, created!)).status).toBeGreaterThanOrEqual(500)
  await expectNoTrace(shop)
  await db`alter table lifecycle_events drop constraint broken`
  await deliverAll(shop, [created!])
  expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1000 })
})

describe('calls of others', () => {
  const NOW = 1_772_366_400
  beforeEach(() => {
    frozenAt = NOW * 1000 + 999
  })
  afterEach(() => {
    frozenAt = undefined
  })
  const paid = () => event('invoice.paid', invoice(), onDay(1))
  const signed = (text: string, ahead = 0, secret?: string) =>
    sign(text, { signedAt: NOW + ahead, ...(secret && { secret }) })

  test('a call without a valid signature is answered 400, and nothing is stored', async () => {
    const shop = await openShop(api)
    const headers: [string, (text: string) => string | null][] = [
      ['missing', () => null],
      ['empty', () => ''],
      ['made with another secret', text => signed(text, 0, 'whsec_other')],
      ['made 301 s ago', text => signed(text, -301)],
      ['made 301 s in the future', text => signed(text, 301)],
      [
        'that of the body as it is written otherwise',
        text => signed(JSON.stringify(JSON.parse(text), null, 2)),
      ],
      ['that of the body without its last byte', text => signed(text.slice(0, -1))],
      ['of the old scheme', text => signed(text).replace('v1=', 'v0=')],
      ['without a time', text => signed(text).replace(/^t=\d+,/, '')],
      ['moved to another time', text => signed(text).replace(/^t=\d+/, `t=${NOW + 1}`)],
      ['cut', text => signed(text).slice(0, -2)],
      ['no hex', text => signed(text).replace(/v1=.*/, 'v1=zz')],
    ]
    for (const form of ['t=', `t=${NOW}`, 'v1=00', `t=${NOW},v1=`, `t=${NOW},v1=yes`, 't=x,v1=00'])
      headers.push([form, () => form])
    for (const [what, header] of headers) {
      const text = JSON.stringify(paid())
      const answer = await deliver(shop, text, { header: header(text) })
      const body = { code: 'bad_signature', message: expect.any(String) }
      expect(answer, what).toMatchObject({ status: 400, body })
    }
    expect(await deliver(shop, '', { header: signed('{}') })).toMatchObject({ status: 400 })
    await expectNoTrace(shop)
  })

  test('a signature up to 300 s from now is accepted, also as one of several', async () => {
    const shop = await openShop(api)
    for (const ahead of [-300, 0, 300])
      expect((await deliver(shop, paid(), { signedAt: NOW + ahead })).status, `${ahead}`).toBe(200)
    const text = JSON.stringify(paid())
    const other = signed(text, 0, 'whsec_old').split(',')[1]
    const [time, good] = signed(text).split(',')
    expect((await deliver(shop, text, { header: `${time},${other},${good}` })).status).toBe(200)
    expect(await payments(shop)).toHaveLength(4)
  })

  test('the bytes of a body are what is signed: a byte order mark is left out after that', async () => {
    const shop = await openShop(api)
    for (const [mark, isGood] of [
      ['\ufeff', true],
      ['\ufeff', false],
    ] as const) {
      const text = JSON.stringify(paid())
      const signature = signed(isGood ? `${mark}${text}` : text)
      const answer = await deliver(shop, `${mark}${text}`, { header: signature })
      expect(answer.status).toBe(isGood ? 200 : 400)
    }
    expect(await payments(shop)).toHaveLength(1)
  })

  test('spaces and line breaks around pasted secrets are left out', async () => {
    const shop = await openShop(api)
    const put = (webhook_secret: string) =>
      api.call('PUT', `/api/sites/${shop.siteId}/processor`, {
        ...shop.member,
        body: { provider: 'stripe', webhook_secret, api_key: ' \n' },
      })
    expect((await put(` \ufeff${SECRET}\r\n`)).status).toBe(200)
    expect((await deliver(shop, paid(), { signedAt: NOW })).status).toBe(200)
    expect(await put(' \t ')).toMatchObject({
      status: 422,
      body: { errors: { webhook_secret: expect.any(Array) } },
    })
  })

  test('thin events and other events of unknown types are answered 200, whatever else they have', async () => {
    const shop = await openShop(api)
    const thin = {
      ...{ id: 'evt_65R9Ijk8dKEYZcXeRWn16R9A7j1FSQ3w3TGDPLLGSM4CW0', object: 'v2.core.event' },
      ...{ type: 'v1.billing.meter.error_report_triggered', created: '2026-01-01T06:20:52.246Z' },
      ...{ livemode: true, context: null },
      related_object: { id: 'mtr_1', type: 'billing.meter', url: '/v1/billing/meters/mtr_1' },
    }
    for (const each of [thin, { ...thin, data: null, created: null }, { type: 'v2.core.account.updated' }]) {
      expect((await deliver(shop, JSON.stringify(each), { signedAt: NOW })).status).toBe(200)
    }
    await expectNoTrace(shop)
  })

  test('a site that is unknown, deleted or without a processor is answered 404, signed or not', async () => {
    const shop = await openShop(api)
    const { token } = shop.member
    const domain = `${randomUUID()}.example`
    const { body } = await api.call('POST', '/api/sites', { token, body: { domain } })
    await api.call('DELETE', `/api/sites/${shop.siteId}`, { token })
    for (const siteId of [body.id, randomUUID(), 'example.com', domain, `${body.id}0`, '%00', shop.siteId])
      for (const options of [{ signedAt: NOW }, { header: null }]) {
        const answer = await deliver({ api, siteId }, paid(), options)
        expect(answer, siteId).toMatchObject({ status: 404, body: { code: 'not_found' } })
      }
  })

  test('a body over 1 MiB is answered 413, another method 405; 1 MiB is accepted', async () => {
    const shop = await openShop(api)
    const most = JSON.stringify(paid()).padEnd(1024 * 1024)
    expect(await deliver(shop, `${most} `, { signedAt: NOW })).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    })
    await expectNoTrace(shop)
    expect((await deliver(shop, most, { signedAt: NOW })).status).toBe(200)
    expect(await payments(shop)).toHaveLength(1)
    const answer = await api.call('GET', `/api/processor/webhook/${shop.siteId}`)
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS')
  })
})

describe('webhook limits', () => {
  const LIMIT = 3
  const anything = event('payout.paid', {}, onDay(1))
  let before: number

  beforeEach(() => {
    const { limits } = api.services.config
    before = limits.webhook
    limits.webhook = LIMIT
    frozenAt = Date.now()
  })
  afterEach(() => {
    api.services.config.limits.webhook = before
    frozenAt = undefined
  })

  async function times<Result>(count: number, call: () => Promise<Result>): Promise<Result[]> {
    const results: Result[] = []
    while (results.length < count) results.push(await call())
    return results
  }
  const left = ({ headers }: { headers: Headers }) => headers.get('x-ratelimit-remaining')

  test('signed calls are counted by site', async () => {
    const [shop, other] = [await openShop(api), await openShop(api)]
    const answers = await times(LIMIT + 1, () => deliver(shop, anything))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(answers.map(left)).toEqual(['2', '1', '0', '0'])
    expect(answers[0]!.headers.get('x-ratelimit-limit')).toBe('3')
    expect(Number(answers[3]!.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(left(await deliver(other, anything))).toBe('2')
  })

  test('calls without a valid signature are charged to their sender, never to the site', async () => {
    const shop = await openShop(api)
    const from = { address: '203.0.113.1' }
    const bad = await times(LIMIT + 2, () => deliver(shop, anything, { header: null, ...from }))
    expect(bad.map(({ status }) => status)).toEqual([400, 400, 400, 429, 429])
    expect(bad.map(left)).toEqual(['2', '1', '0', '0', '0'])
    expect(bad[4]!.body.code).toBe('rate_limited')
    expect(Number(bad[4]!.headers.get('retry-after'))).toBeGreaterThan(0)
    const good = await deliver(shop, anything, { address: '203.0.113.2' })
    expect([good.status, left(good)]).toEqual([200, '2'])
  })

  test('calls for unknown sites and bodies that are too large are charged to their sender', async () => {
    const shop = await openShop(api)
    const from = { address: '203.0.113.3' }
    const answers = [
      await deliver({ api, siteId: randomUUID() }, anything, from),
      await deliver({ api, siteId: 'none' }, anything, from),
      await deliver(shop, 'x'.repeat(1024 * 1024 + 1), from),
      await deliver(shop, anything, from),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 413, 429])
    expect(answers.map(left)).toEqual(['2', '1', '0', '0'])
  })

  test('a sender over its limit is refused before its body is read', async () => {
    const shop = await openShop(api)
    const address = '203.0.113.4'
    await times(LIMIT, () => deliver(shop, anything, { header: null, address }))
    const wire = openWire(api.url)
    wire.send(
      `POST /api/processor/webhook/${shop.siteId} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n` +
        'Content-Length: 1000\r\n\r\n',
    )
    expect(await wire.answer()).toMatchObject({ status: 429, headers: { 'x-ratelimit-remaining': '0' } })
    wire.socket.destroy()
  })
})
