import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Json } from '../support/stripe.ts'
import { NOW, revenueOfFile } from './revenue-shop.ts'

const revenue = revenueOfFile()

const text = (length: number, of = 'x') => of.repeat(length)

describe('payments', () => {
  test.each<[string, unknown]>([
    ['amount', 1],
    ['amount', 2 ** 53 - 1],
    ['transaction_id', 't'],
    ['transaction_id', text(255)],
    ['transaction_id', text(255, '😀')],
    ['visitor_id', '6D6F4F4E-37A5-4F5C-B8A3-4D9F5B2F0A11'],
    ['session_id', randomUUID()],
    ['email', text(255)],
    ['name', text(255, '😀')],
    ['customer_id', text(255)],
    ['customer_id', null],
    ...['renewal', 'refunded', 'is_free_trial', 'recurring'].flatMap<[string, unknown]>(flag => [
      [flag, true],
      [flag, false],
    ]),
    ['timestamp', NOW],
    ['timestamp', '2026-03-18T13:00:00+01:00'],
    ['timestamp', '2026-03-18'],
    ['timestamp', '2024-02-29'],
    ['timestamp', '1970-01-01T00:00:00Z'],
  ])('a payment with %s %j is accepted', async (field, value) => {
    const site = await revenue.site()
    const answer = await revenue.pay(site, { [field]: value })
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 })
    const [stored] = await revenue.payments(site)
    if (field === 'timestamp') expect(Date.parse(stored!.timestamp)).toBe(Date.parse(String(value)))
    else if (field === 'visitor_id') expect(stored![field]).toBe(String(value).toLowerCase())
    else expect(stored![field] || null).toEqual(value || null)
  })

  test.each<[string, unknown]>([
    ...[0, -1, 1.5, '100', 2 ** 53, 1e300, true, null, undefined, [100]].map<[string, unknown]>(value => [
      'amount',
      value,
    ]),
    ...['usd', 'EUR', 'US', 'USDX', '', 840, null, undefined].map<[string, unknown]>(value => [
      'currency',
      value,
    ]),
    ...[text(256), text(256, '😀'), '', 17, null, undefined].map<[string, unknown]>(value => [
      'transaction_id',
      value,
    ]),
    ...['visitor_id', 'session_id'].flatMap<[string, unknown]>(field => [
      [field, 'visitor-1'],
      [field, 7],
      [field, `${randomUUID()}0`],
    ]),
    ...['email', 'name', 'customer_id'].flatMap<[string, unknown]>(field => [
      [field, text(256)],
      [field, 5],
      [field, {}],
    ]),
    ...['renewal', 'refunded', 'is_free_trial', 'recurring'].flatMap<[string, unknown]>(flag => [
      [flag, 'true'],
      [flag, 1],
    ]),
    ...[
      ...['2026-03-18T12:00:01Z', '2026-03-19', '2027-01-01T00:00:00Z', '2026-03-18T13:01:00+01:00'],
      ...['yesterday', '2026-02-30', '2026-13-01', '2026-03-18T25:00:00Z', '2025-02-29T00:00:00Z'],
      ...['1969-12-31T23:59:59Z', '03/18/2026', 1_773_835_200, '1773835200', true],
    ].map<[string, unknown]>(value => ['timestamp', value]),
  ])('a payment with %s %j is answered 422 with the name of the field', async (field, value) => {
    const site = await revenue.site()
    const answer = await revenue.pay(site, { [field]: value })
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    expect(Object.keys(answer.body.errors)).toEqual([field])
    expect(await revenue.payments(site)).toEqual([])
  })

  test.each<[string, unknown]>([
    ['no object', []],
    ['a text', '"payment"'],
    ['nothing', undefined],
  ])('a body that is %s is answered 422', async (_what, body) => {
    const site = await revenue.site()
    expect((await revenue.call('POST', `${site.path}/payments`, body)).status).toBe(422)
  })

  test('a date means the first moment of that day in the zone of the site', async () => {
    const [york, auckland] = [await revenue.site('America/New_York'), await revenue.site('Pacific/Auckland')]
    await revenue.pay(york, { timestamp: '2026-03-09' })
    expect(Date.parse((await revenue.payments(york))[0]!.timestamp)).toBe(Date.parse('2026-03-09T04:00:00Z'))
    // In that zone it is 01:00 of the 19th.
    expect((await revenue.pay(auckland, { timestamp: '2026-03-19' })).status).toBe(201)
    expect((await revenue.pay(auckland, { timestamp: '2026-03-20' })).status).toBe(422)
  })

  test('a payment without a timestamp is recorded as of now', async () => {
    const site = await revenue.site()
    await revenue.pay(site)
    expect(Date.parse((await revenue.payments(site))[0]!.timestamp)).toBe(Date.parse(NOW))
  })
})

describe('repeated payments', () => {
  test('50 concurrent requests give one record and one 201', async () => {
    const site = await revenue.site()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        revenue.pay(site, { transaction_id: 'same', amount: index + 1, is_free_trial: true }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201])
    for (const { body } of answers)
      expect(body).toEqual({ message: expect.any(String), transaction_id: 'same' })
    const stored = await revenue.payments(site)
    expect(stored).toHaveLength(1)
    expect(stored[0]!.amount).toBe(answers.findIndex(({ status }) => status === 201) + 1)
    expect(await revenue.log(site)).toEqual(['2026-03-18 free_trial', '2026-03-18 payment'])
    expect(await revenue.overview(site, 'range=today')).toMatchObject({ payments: 1 })
  })

  test('the first record stays, and another site has its own', async () => {
    const [site, other] = [await revenue.site(), await revenue.site()]
    const first = { transaction_id: 'again', amount: 700, email: 'a@example.com' }
    expect(await revenue.pay(site, first)).toMatchObject({
      status: 201,
      body: { message: expect.any(String), transaction_id: 'again' },
    })
    const [before] = await revenue.payments(site)
    const changed = { ...first, amount: 900, email: 'b@example.com', refunded: true, timestamp: '2026-03-01' }
    expect((await revenue.pay(site, changed)).status).toBe(200)
    expect(await revenue.payments(site)).toEqual([before])
    expect((await revenue.pay(site, { transaction_id: 'again', amount: 0 })).status).toBe(422)
    expect((await revenue.pay(site, { transaction_id: 'AGAIN' })).status).toBe(201)
    expect((await revenue.pay(other, first)).status).toBe(201)
  })
})

describe('payment deletion', () => {
  const remove = (path: string, body?: unknown, token?: string) =>
    revenue.call('DELETE', `${path}/payments`, body, token)

  test('a deleted payment is gone, and can be sent again', async () => {
    const [site, other] = [await revenue.site(), await revenue.site()]
    const payment = { transaction_id: 'gone', is_free_trial: true }
    await revenue.pay(site, payment)
    await revenue.pay(other, payment)
    expect((await remove(site.path, {})).body.errors).toHaveProperty('transaction_id')
    expect((await remove(site.path, { transaction_id: 5 })).status).toBe(422)
    expect((await remove(site.path, { transaction_id: 'GONE' })).status).toBe(404)
    const deleted = await remove(site.path, { transaction_id: 'gone' })
    expect(deleted).toMatchObject({ status: 200, body: { message: expect.stringMatching(/delet/i) } })
    expect((await remove(site.path, { transaction_id: 'gone' })).status).toBe(404)
    expect(await revenue.payments(site)).toEqual([])
    expect(await revenue.log(site)).toEqual([])
    expect(await revenue.overview(site)).not.toHaveProperty('payments')
    expect(await revenue.payments(other)).toHaveLength(1)
    expect((await revenue.pay(site, payment)).status).toBe(201)
  })

  test('50 concurrent deletions give one 200', async () => {
    const site = await revenue.site()
    await revenue.pay(site, { transaction_id: 'race' })
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => remove(site.path, { transaction_id: 'race' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(404)])
  })
})

describe('payments list', () => {
  test('all fields are listed as sent, the newest payment first', async () => {
    const site = await revenue.site()
    const sent: Json = {
      ...{ amount: 4999, currency: 'USD', transaction_id: 'all', visitor_id: randomUUID() },
      ...{ session_id: randomUUID(), email: 'Ann@Example.com', name: 'Ann', customer_id: 'c-1' },
      ...{ renewal: true, refunded: true, is_free_trial: true, recurring: true },
      timestamp: '2026-03-02T10:00:00Z',
    }
    await revenue.pay(site, sent)
    await revenue.pay(site, { transaction_id: 'older', timestamp: '2026-03-01T10:00:00Z' })
    await revenue.pay(site, { transaction_id: 'newer', timestamp: '2026-03-03T10:00:00Z' })
    const page = await revenue.read(site, '/payments')
    expect(page.data.map((row: Json) => row.transaction_id)).toEqual(['newer', 'all', 'older'])
    const { timestamp, created_at, ...rest } = page.data[1]
    expect({ ...rest, timestamp: Date.parse(timestamp) }).toEqual({
      ...sent,
      timestamp: Date.parse(sent.timestamp),
      source: 'api',
    })
    expect(Date.parse(created_at)).toBeGreaterThan(0)
    expect(page.meta).toEqual({ current_page: 1, per_page: 25, total: 3, last_page: 1 })
    const second = await revenue.read(site, '/payments?per_page=2&page=2')
    expect(second.data.map((row: Json) => row.transaction_id)).toEqual(['older'])
    expect(second.links).toMatchObject({ next: null, prev: expect.stringContaining('page=1') })
    expect((await revenue.read(site, '/payments?page=9')).data).toEqual([])
    for (const query of ['per_page=0', 'per_page=101', 'page=0', 'page=x'])
      expect((await revenue.ask(`${site.path}/payments?${query}`)).status, query).toBe(422)
  })
})
