import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Json } from '../support/stripe.ts'
import { NOW, revenueOfFile } from './revenue-shop.ts'

const revenue = revenueOfFile()

const text = (length: number, of = 'x') => of.repeat(length)
const FLAGS = ['renewal', 'refunded', 'is_free_trial', 'recurring']
const TEXTS = ['email', 'name', 'customer_id']
const idsOf = (rows: Json[]) => rows.map(row => row.transaction_id)

test('payments: a payment is accepted with each valid value', async () => {
  const site = await revenue.site()
  const accepted: Record<string, unknown[]> = {
    amount: [1, 10 ** 12],
    transaction_id: ['t', text(255), text(255, '😀')],
    visitor_id: ['6D6F4F4E-37A5-4F5C-B8A3-4D9F5B2F0A11', null],
    session_id: [randomUUID(), null],
    ...Object.fromEntries(TEXTS.map(field => [field, [text(255), text(255, '😀'), '', null]])),
    ...Object.fromEntries(FLAGS.map(flag => [flag, [true, false]])),
    timestamp: [
      ...[NOW, '2026-03-18T13:00:00.000+01:00', '2026-03-18', '2024-02-29'],
      ...['1970-01-01', '1970-01-01T00:00:00Z'],
    ],
  }
  for (const [field, values] of Object.entries(accepted)) {
    for (const value of values) {
      const payment = { transaction_id: randomUUID(), [field]: value }
      expect((await revenue.pay(site, payment)).status, `${field} ${value}`).toBe(201)
      const stored = (await revenue.payments(site)).find(
        row => row.transaction_id === payment.transaction_id,
      )!
      if (field === 'timestamp') expect(Date.parse(stored.timestamp)).toBe(Date.parse(String(value)))
      else if (field === 'visitor_id') expect(stored[field]).toBe(value && String(value).toLowerCase())
      else expect(stored[field] || null, field).toEqual(value || null)
      await revenue.call('DELETE', `${site.path}/payments`, { transaction_id: payment.transaction_id })
    }
  }
})

test('the payments of one customer are listed by its id, paged, the newest first', async () => {
  const site = await revenue.site()
  for (const [id, customer] of [
    ['a', 'c-1'],
    ['b', 'c-2'],
    ['c', 'c-1'],
    ['d', 'c-1'],
  ]) {
    const timestamp = `2026-03-1${'abcd'.indexOf(id!)}T00:00:00Z`
    expect((await revenue.pay(site, { transaction_id: id, customer_id: customer, timestamp })).status).toBe(
      201,
    )
  }
  const first = await revenue.read(site, '/payments?customer=c:c-1&per_page=2')
  expect([idsOf(first.data), first.meta.total]).toEqual([['d', 'c'], 3])
  const second = await revenue.read(site, '/payments?customer=c:c-1&per_page=2&page=2')
  expect(idsOf(second.data)).toEqual(['a'])
  expect((await revenue.read(site, '/payments?customer=c:nobody')).data).toEqual([])
})

test('payments: a payment with a wrong value is answered 422 with the name of the field', async () => {
  const site = await revenue.site()
  const refused: Record<string, unknown[]> = {
    amount: [0, -1, 1.5, '100', 10 ** 12 + 1, 1e300, true, null, undefined, [100]],
    currency: ['usd', 'EUR', 'US', 'USDX', '', 840, null, undefined],
    transaction_id: [text(256), text(256, '😀'), '', '\0', 17, null, undefined],
    visitor_id: ['visitor-1', '', 7, `${randomUUID()}0`],
    session_id: ['session-1', 7, `${randomUUID()}0`],
    ...Object.fromEntries(TEXTS.map(field => [field, [text(256), text(256, '😀'), 5, {}, ['x']]])),
    ...Object.fromEntries(FLAGS.map(flag => [flag, ['true', 0, 1, null]])),
    timestamp: [
      ...['2026-03-18T12:00:00.001Z', '2026-03-19', '2027-01-01T00:00:00Z', '2026-03-18T13:01:00+01:00'],
      ...['yesterday', '2026-02-30', '2026-13-01', '2026-03-18T25:00:00Z', '2025-02-29T00:00:00Z'],
      ...['1969-12-31', '1969-12-31T23:59:59Z', '03/18/2026', '18.03.2026', '2026-03-18T12:00:00'],
      ...['', 1_773_835_200, '1773835200', true],
    ],
  }
  for (const [field, values] of Object.entries(refused)) {
    for (const value of values) {
      const answer = await revenue.pay(site, { [field]: value })
      const what = `${field} ${JSON.stringify(value)}`
      expect(answer, what).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
      expect(Object.keys(answer.body.errors), what).toEqual([field])
    }
  }
  for (const body of [[], '"payment"', undefined])
    expect((await revenue.call('POST', `${site.path}/payments`, body)).status).toBe(422)
  expect(await revenue.payments(site)).toEqual([])
})

test.each([
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z'],
  ['Asia/Kathmandu', '2026-03-17', '2026-03-16T18:15:00.000Z'],
  // Clocks skip midnight on this day.
  ['Asia/Beirut', '2025-03-30', '2025-03-29T22:00:00.000Z'],
  // In that zone it is 01:00 of the 19th.
  ['Pacific/Auckland', '2026-03-19', '2026-03-18T11:00:00.000Z'],
])('payments: a date in %s means the first moment of that day', async (zone, timestamp, at) => {
  const site = await revenue.site(zone)
  await revenue.pay(site, { timestamp })
  expect((await revenue.payments(site))[0]!.timestamp).toBe(at)
  expect((await revenue.pay(site, { timestamp: '2026-03-20' })).status).toBe(422)
})

test('payments: three fields are required; the others default to null or false, and the time to now', async () => {
  const site = await revenue.site()
  const sent = { transaction_id: 'minimal', amount: 4999, currency: 'USD' }
  expect(await revenue.pay(site, sent)).toMatchObject({
    status: 201,
    body: { message: 'Payment recorded', transaction_id: 'minimal' },
  })
  expect(await revenue.payments(site)).toEqual([
    {
      ...sent,
      ...{ visitor_id: null, session_id: null, email: null, name: null, customer_id: null },
      ...{ renewal: false, refunded: false, refunded_amount: 0, is_free_trial: false, recurring: false },
      ...{ timestamp: new Date(NOW).toISOString(), source: 'api', created_at: expect.any(String) },
    },
  ])
})

test('repeated payments: the first record stays, and another site has its own', async () => {
  const [site, other] = [await revenue.site(), await revenue.site()]
  const first = { transaction_id: 'again', amount: 700, email: 'a@example.com' }
  expect((await revenue.pay(site, first)).status).toBe(201)
  const [before] = await revenue.payments(site)
  const changed = { ...first, amount: 900, email: 'b@example.com', refunded: true, timestamp: '2026-03-01' }
  expect((await revenue.pay(site, changed)).status).toBe(200)
  expect(await revenue.payments(site)).toEqual([before])
  expect((await revenue.pay(site, { transaction_id: 'again', amount: 0 })).status).toBe(422)
  expect((await revenue.pay(site, { transaction_id: 'AGAIN' })).status).toBe(201)
  expect((await revenue.pay(other, first)).status).toBe(201)
})

const remove = (path: string, body?: unknown, token?: string) =>
  revenue.call('DELETE', `${path}/payments`, body, token)

test('payment deletion: a deleted payment is gone, and can be sent again', async () => {
  const [site, other] = [await revenue.site(), await revenue.site()]
  const payment = { transaction_id: 'gone', is_free_trial: true }
  await revenue.pay(site, payment)
  await revenue.pay(other, payment)
  expect((await remove(site.path, {})).body.errors).toHaveProperty('transaction_id')
  for (const transaction_id of [5, '', text(256)])
    expect((await remove(site.path, { transaction_id })).status).toBe(422)
  expect((await remove(site.path, { transaction_id: 'GONE' })).status).toBe(404)
  const deleted = await remove(site.path, { transaction_id: 'gone' })
  expect(deleted).toMatchObject({ status: 200, body: { message: 'Payment deleted' } })
  expect((await remove(site.path, { transaction_id: 'gone' })).status).toBe(404)
  expect(await revenue.payments(site)).toEqual([])
  expect(await revenue.log(site)).toEqual([])
  expect(await revenue.overview(site)).not.toHaveProperty('payments')
  expect(await revenue.payments(other)).toHaveLength(1)
  expect((await revenue.pay(site, payment)).status).toBe(201)
})

test('payment deletion: 50 concurrent deletions give one 200', async () => {
  const site = await revenue.site()
  await revenue.pay(site, { transaction_id: 'race' })
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => remove(site.path, { transaction_id: 'race' })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(404)])
})

test('payments list: all fields are listed as sent, the newest payment first', async () => {
  const site = await revenue.site()
  const sent: Json = {
    ...{ amount: 4999, currency: 'USD', transaction_id: 'all', visitor_id: randomUUID() },
    ...{ session_id: randomUUID(), email: 'Ann@Example.com', name: 'Ann', customer_id: 'c-1' },
    ...{ renewal: true, refunded: true, is_free_trial: true, recurring: true },
    timestamp: '2026-03-02T10:00:00Z',
  }
  for (const [index, transaction_id] of ['older', 'newer'].entries())
    await revenue.pay(site, { transaction_id, timestamp: `2026-03-0${1 + 2 * index}T10:00:00Z` })
  await revenue.pay(site, sent)
  const page = await revenue.read(site, '/payments')
  expect(idsOf(page.data)).toEqual(['newer', 'all', 'older'])
  const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
  expect(page.data[1]).toEqual({
    ...sent,
    refunded_amount: 4999,
    timestamp: '2026-03-02T10:00:00.000Z',
    source: 'api',
    created_at,
  })
  expect(page.meta).toEqual({ current_page: 1, per_page: 25, total: 3, last_page: 1 })
  const second = await revenue.read(site, '/payments?per_page=2&page=2')
  expect(idsOf(second.data)).toEqual(['older'])
  expect(second.links).toMatchObject({ next: null, prev: expect.stringContaining('page=1') })
  expect((await revenue.read(site, '/payments?page=9')).data).toEqual([])
  for (const query of ['per_page=0', 'per_page=101', 'page=0', 'page=x'])
    expect((await revenue.ask(`${site.path}/payments?${query}`)).status, query).toBe(422)
})
