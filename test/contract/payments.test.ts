import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, sharedService, type TestService } from '../support/service.ts'

let service: TestService
let key: string

beforeAll(async () => {
  service = await sharedService()
  const created = await call('POST', '', { domain: 'paid.example' })
  key = created.body.tracking_key
})
afterAll(() => service.close())

/** Below `/api/sites`. */
async function call(method: string, path: string, body?: object) {
  const response = await fetch(`${service.url}/api/sites${path}`, {
    method,
    headers: { Authorization: `Bearer ${service.token}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as any }
}

const pay = (fields: object) =>
  call('POST', '/paid.example/payments', { amount: 4_999, currency: 'USD', ...fields })
const overview = async (query = 'range=last_7_days') =>
  (await call('GET', `/paid.example/overview?${query}`)).body

const collect = async (visitorId: string, path: string) => {
  const answer = await fetch(`${service.url}/api/collect`, {
    method: 'POST',
    body: JSON.stringify({ key, hostname: 'paid.example', url: { path }, visitor_id: visitorId }),
  })
  expect(answer.status).toBe(202)
}

test('payments: a payment counts at once, and belongs to its visitor as soon as that one appears', async () => {
  expect('revenue' in (await overview())).toBe(false)
  const visitorId = randomUUID()
  expect((await pay({ transaction_id: 'early', visitor_id: visitorId, recurring: true })).status).toBe(201)
  expect((await pay({ transaction_id: 'early', visitor_id: visitorId })).status).toBe(200)
  expect((await pay({ transaction_id: 'other', amount: 100 })).status).toBe(201)
  const both = { revenue: 5_099, recurring_revenue: 4_999, payments: 2, visitors: 0 }
  expect(await overview()).toMatchObject(both)
  expect(await overview('utm_source=letter')).toMatchObject({ revenue: 0, payments: 0 })

  await collect(visitorId, '/offer?utm_source=letter')
  await eventually(async () => (await overview('utm_source=letter')).revenue === 4_999)
  expect(await overview()).toMatchObject({ visitors: 1, sessions: 1, custom_events: 0, revenue: 5_099 })
  const sources = await call('GET', '/paid.example/stats/breakdown?dimension=utm_source')
  expect(sources.body.data).toMatchObject([{ value: 'letter', visitors: 1, revenue: 4_999 }])
  const log = await call('GET', '/paid.example/stats/events?types=event')
  expect(log.body.data).toMatchObject([
    { event_name: 'payment', visitor_id: '', properties: { amount: '100', currency: 'USD' } },
    { event_name: 'payment', visitor_id: visitorId, properties: { amount: '4999', currency: 'USD' } },
  ])
})

test('payments: a payment of a known visitor belongs to their latest session', async () => {
  const visitorId = randomUUID()
  await collect(visitorId, '/?utm_source=before')
  await eventually(async () => (await overview('utm_source=before')).visitors === 1)
  await pay({ transaction_id: 'later', visitor_id: visitorId, amount: 7 })
  expect(await overview('utm_source=before')).toMatchObject({ revenue: 7, payments: 1 })
})

test('payments: the site list shows revenue, and a connected processor adds its metrics', async () => {
  const list = await call('GET', '')
  expect(list.body[0]).toMatchObject({ revenue: 5_106, has_revenue: true })
  expect(list.body[0].revenue_sparkline.at(-1) + list.body[0].revenue_sparkline.at(-2)).toBe(5_106)
  expect('mrr' in (await overview())).toBe(false)
  const secrets = { webhook_secret: 'whsec_hidden', api_key: 'sk_hidden' }
  await call('PUT', '/paid.example/processor', { provider: 'stripe', ...secrets })
  const metrics = { mrr: 0, mrr_per_visitor: 0, new_customers: 3, conversion_rate: 150 }
  expect(await overview()).toMatchObject(metrics)
  expect(service.output()).not.toMatch(/whsec_hidden|sk_hidden/)
})

test('payments: a deleted payment is gone from every number', async () => {
  for (const transaction_id of ['early', 'later', 'other']) {
    expect((await call('DELETE', '/paid.example/payments', { transaction_id })).status).toBe(200)
  }
  expect('revenue' in (await overview())).toBe(false)
  expect((await call('GET', '/paid.example/stats/events?types=event')).body.data).toEqual([])
  expect((await call('GET', '')).body[0].revenue).toBe(0)
})
