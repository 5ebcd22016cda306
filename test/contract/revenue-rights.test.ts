import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { event, type Json, onDay, SECRET } from '../support/stripe.ts'
import { revenueOfFile, SERVICE_EVENTS } from './revenue-shop.ts'

const revenue = revenueOfFile()

test('payments access: an admin may record payments, also during a trial, but not after it', async () => {
  const site = await revenue.site()
  expect((await revenue.pay(site, {}, await revenue.colleague('admin'))).status).toBe(201)
  const trialEndsAt = new Date('2026-03-18T12:00:00.001Z')
  const trying = await revenue.api.member({ plan: 'trial', trialEndsAt })
  const tried = await revenue.site('UTC', trying)
  expect((await revenue.pay(tried, {}, trying.token)).status).toBe(201)
  const { db } = revenue.api.services
  await db`update teams set trial_ends_at = '2026-03-18T11:59:59.999Z' where id = ${trying.teamId}`
  expect((await revenue.pay(tried, {}, trying.token)).status).toBe(402)
  await db`update teams set plan = 'none', trial_ends_at = null where id = ${trying.teamId}`
  expect((await revenue.pay(tried, {}, trying.token)).status).toBe(402)
  const { json } = await revenue.ask(`${tried.path}/overview?range=today`, trying.token)
  expect(json).toMatchObject({ payments: 1 })
})

const processor = (method: string, path: string, body?: unknown, token?: string) =>
  revenue.call(method, `${path}/processor`, body, token)

test('a processor connection can be created, read and deleted', async () => {
  const site = await revenue.site()
  const hasProcessor = async () => {
    const read = await revenue.call('GET', site.path)
    const changed = await revenue.call('PATCH', `${site.path}/sharing`, { is_public: false })
    return [read.body.has_processor, changed.body.has_processor]
  }
  expect(await hasProcessor()).toEqual([false, false])
  expect((await processor('GET', site.path)).status).toBe(404)
  expect((await processor('DELETE', site.path)).status).toBe(404)
  const made = await revenue.connect(site)
  expect(made).toMatchObject({ status: 200 })
  expect(made.body).toEqual({
    provider: 'stripe',
    webhook_url: `${revenue.api.services.config.baseUrl}/api/processor/webhook/${site.id}`,
    connected_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    import_started_at: null,
  })
  expect(await processor('GET', site.path)).toMatchObject({ status: 200, body: made.body })
  expect(await hasProcessor()).toEqual([true, true])
  const gone = await processor('DELETE', site.path)
  expect([gone.status, gone.body]).toEqual([204, undefined])
  expect(await hasProcessor()).toEqual([false, false])
  expect((await processor('GET', site.path)).status).toBe(404)
  expect((await processor('DELETE', site.path)).status).toBe(404)
})

test('processor connection: a wrong connection is answered 422 with the name of the field', async () => {
  const site = await revenue.site()
  for (const body of [
    ...[{ provider: 'paddle' }, { provider: undefined }, { api_key: 17 }],
    ...[undefined, '', 17, 'x'.repeat(256)].map(webhook_secret => ({ webhook_secret })),
  ]) {
    const answer = await revenue.connect(site, body)
    expect(answer.status, JSON.stringify(body)).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual(Object.keys(body))
    expect(JSON.stringify(answer.body)).not.toContain(SECRET)
  }
  expect((await processor('GET', site.path)).status).toBe(404)
})

test('processor connection: no secret is shown, neither in the database nor in an answer', async () => {
  const site = await revenue.site()
  const secrets = { webhook_secret: `whsec_${randomUUID()}`, api_key: `rk_live_${randomUUID()}` }
  const answers = [
    await revenue.connect(site, secrets),
    await revenue.connect(site, { ...secrets, provider: 'none' }),
    await processor('GET', site.path),
    await revenue.call('GET', site.path),
    await revenue.call('GET', '/api/sites'),
    await revenue.call('GET', `${site.path}/goals?per_page=100`),
    await revenue.deliver(site, '{}', { header: 't=1,v1=00' }),
  ]
  const { db } = revenue.api.services
  const kept = await db`select connection::text as text from processor_connections connection`
  const texts = [...answers.map(({ body }) => JSON.stringify(body)), ...kept.map(row => row.text)]
  expect(kept.length).toBeGreaterThan(0)
  for (const text of texts)
    for (const secret of Object.values(secrets)) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString('hex'))
      expect(text).not.toContain(Buffer.from(secret).toString('base64').replace(/=+$/, ''))
    }
})

test('processor connection: a new secret replaces the old one at once', async () => {
  const site = await revenue.shop()
  const paidOut = event('payout.paid', {}, onDay(1))
  await revenue.connect(site, { webhook_secret: 'whsec_new' })
  expect((await revenue.deliver(site, paidOut)).status).toBe(400)
  expect((await revenue.deliver(site, paidOut, { secret: 'whsec_new' })).status).toBe(200)
  await processor('DELETE', site.path)
  expect((await revenue.deliver(site, paidOut, { secret: 'whsec_new' })).status).toBe(404)
})

test('processor connection: has_revenue of the site list is true while there is revenue', async () => {
  const site = await revenue.site()
  const hasRevenue = async () =>
    (await revenue.call('GET', '/api/sites')).body.find((row: Json) => row.id === site.id).has_revenue
  expect(await hasRevenue()).toBe(false)
  await revenue.connect(site)
  expect(await hasRevenue()).toBe(true)
  await processor('DELETE', site.path)
  expect(await hasRevenue()).toBe(false)
  await revenue.pay(site)
  expect(await hasRevenue()).toBe(true)
})

const goals = async (path: string): Promise<Json[]> =>
  (await revenue.call('GET', `${path}/goals?per_page=100`)).body.data
const names = async (path: string) => (await goals(path)).map(goal => goal.match_value).sort()

test('lifecycle goals: connecting a processor creates a goal for every lifecycle event, once, even when it was deleted', async () => {
  const site = await revenue.shop()
  expect(await names(site.path)).toEqual([...SERVICE_EVENTS].sort())
  const made = await goals(site.path)
  for (const goal of made)
    expect(goal).toMatchObject({ type: 'event', display_name: goal.match_value, currency: null })
  const payment = made.find(goal => goal.match_value === 'payment')!
  const renamed = await revenue.call('PATCH', `${site.path}/goals/${payment.id}`, {
    ...{ match_type: 'event', match_value: 'payment', display_name: 'Sale' },
  })
  expect(renamed).toMatchObject({ status: 200, body: { display_name: 'Sale', match_value: 'payment' } })
  const trial = made.find(goal => goal.match_value === 'free_trial')!
  expect((await revenue.call('DELETE', `${site.path}/goals/${trial.id}`)).status).toBe(204)
  const kept = SERVICE_EVENTS.filter(name => name !== 'free_trial').sort()
  await revenue.connect(site, { webhook_secret: 'whsec_new' })
  expect(await names(site.path)).toEqual(kept)
  await revenue.call('DELETE', `${site.path}/processor`)
  await revenue.connect(site)
  expect(await names(site.path)).toEqual(kept)
})
