import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, type Member, startApi } from '../support/api.ts'

const NOW = new Date('2026-03-29T12:00:00Z')

let api: Api
let owner: Member

beforeAll(async () => {
  api = await startApi({ now: () => NOW, config: { sitesPerTeam: 1_000 } })
  owner = await api.member()
})
afterAll(() => api.close())

async function createSite(options: { timezone?: string; member?: Member } = {}): Promise<string> {
  const { timezone = 'UTC', member = owner } = options
  const body = { domain: `${randomUUID()}.example`, timezone }
  const answer = await api.call('POST', '/api/sites', { token: member.token, body })
  return answer.body.id
}

const pay = (siteId: string, body: unknown, token = owner.token) =>
  api.call('POST', `/api/sites/${siteId}/payments`, { token, body })
const list = (siteId: string, query = '', token = owner.token) =>
  api.call('GET', `/api/sites/${siteId}/payments${query}`, { token })
const remove = (siteId: string, body: unknown, token = owner.token) =>
  api.call('DELETE', `/api/sites/${siteId}/payments`, { token, body })

const payment = (fields: object = {}) => ({
  amount: 4999,
  currency: 'USD',
  transaction_id: randomUUID(),
  ...fields,
})

describe('payments API', () => {
  test('a payment is returned with all its fields', async () => {
    const site = await createSite()
    const full = {
      transaction_id: 'order-1',
      amount: 4999,
      currency: 'USD',
      visitor_id: randomUUID(),
      session_id: randomUUID(),
      email: 'Jane@Example.com',
      name: 'Jane',
      customer_id: 'cus_1',
      renewal: true,
      refunded: true,
      is_free_trial: true,
      recurring: true,
      timestamp: '2026-03-01T10:00:00+02:00',
    }
    const answer = await pay(site, full)
    expect([answer.status, answer.body]).toEqual([
      201,
      { message: 'Payment recorded', transaction_id: 'order-1' },
    ])
    const page = await list(site)
    expect(page.status).toBe(200)
    expect(page.body.data).toEqual([
      {
        ...full,
        timestamp: '2026-03-01T08:00:00.000Z',
        source: 'api',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    ])
  })

  test('three fields are required; the others default to null or false, and the time to now', async () => {
    const site = await createSite()
    const { status } = await pay(site, {
      ...payment({ transaction_id: 'minimal' }),
      visitor_id: null,
      session_id: null,
      email: '',
      name: null,
      customer_id: null,
      timestamp: null,
    })
    expect(status).toBe(201)
    expect((await list(site)).body.data).toEqual([
      {
        transaction_id: 'minimal',
        amount: 4999,
        currency: 'USD',
        visitor_id: null,
        session_id: null,
        email: null,
        name: null,
        customer_id: null,
        renewal: false,
        refunded: false,
        is_free_trial: false,
        recurring: false,
        timestamp: NOW.toISOString(),
        source: 'api',
        created_at: expect.any(String),
      },
    ])
  })

  test('a repeated payment is answered 200 and keeps its values', async () => {
    const site = await createSite()
    const first = payment({ transaction_id: 'twice' })
    expect((await pay(site, first)).status).toBe(201)
    const again = await pay(site, { ...first, amount: 1, email: 'other@example.com' })
    expect([again.status, again.body.transaction_id]).toEqual([200, 'twice'])
    expect(Object.keys(again.body).sort()).toEqual(['message', 'transaction_id'])
    expect((await list(site)).body.data).toMatchObject([{ amount: 4999, email: null }])
  })

  test('50 concurrent requests for one payment create it once', async () => {
    const site = await createSite()
    const body = payment({ visitor_id: randomUUID() })
    const answers = await Promise.all(Array.from({ length: 50 }, () => pay(site, body)))
    expect(answers.map(answer => answer.status).sort()).toEqual([...Array(49).fill(200), 201])
    expect((await list(site)).body.meta.total).toBe(1)
  })

  test.each([
    ['amount', 1],
    ['amount', 9_007_199_254_740_991],
    ['transaction_id', '𝄞'.repeat(255)],
    ['email', '𝄞'.repeat(255)],
    ['name', 'x'.repeat(255)],
    ['customer_id', 'x'.repeat(255)],
    ['visitor_id', randomUUID().toUpperCase()],
    ['timestamp', '2026-03-29T12:00:00Z'],
    ['timestamp', '2026-03-29T14:00:00.000+02:00'],
    ['timestamp', '2026-03-29'],
    ['timestamp', '1970-01-01'],
    ['timestamp', '1970-01-01T00:00:00Z'],
  ])('a payment is accepted with %s %j', async (field, value) => {
    const site = await createSite()
    expect((await pay(site, payment({ [field]: value }))).status).toBe(201)
  })

  const missing = undefined
  test.each([
    ['amount', missing],
    ['amount', null],
    ['amount', 0],
    ['amount', -1],
    ['amount', 1.5],
    ['amount', '100'],
    ['amount', true],
    ['amount', 9_007_199_254_740_992],
    ['amount', 1e300],
    ['currency', missing],
    ['currency', 'EUR'],
    ['currency', 'usd'],
    ['currency', 'US'],
    ['currency', 'USDX'],
    ['currency', 840],
    ['transaction_id', missing],
    ['transaction_id', null],
    ['transaction_id', ''],
    ['transaction_id', '\0'],
    ['transaction_id', 1],
    ['transaction_id', '𝄞'.repeat(256)],
    ['visitor_id', 'nobody'],
    ['visitor_id', ''],
    ['visitor_id', 1],
    ['session_id', `${randomUUID()}0`],
    ['email', 'x'.repeat(256)],
    ['email', 1],
    ['name', '𝄞'.repeat(256)],
    ['name', ['x']],
    ['customer_id', 'x'.repeat(256)],
    ['customer_id', 5],
    ['renewal', 'true'],
    ['renewal', 1],
    ['refunded', 'yes'],
    ['refunded', null],
    ['is_free_trial', 0],
    ['recurring', 'false'],
    ['timestamp', '2026-03-29T12:00:00.001Z'],
    ['timestamp', '2026-03-29T12:00:00'],
    ['timestamp', '2026-03-30'],
    ['timestamp', '2026-02-30'],
    ['timestamp', '2026-02-30T00:00:00Z'],
    ['timestamp', '1969-12-31'],
    ['timestamp', '1969-12-31T23:59:59Z'],
    ['timestamp', '29.03.2026'],
    ['timestamp', ''],
    ['timestamp', 1_774_785_600],
  ])('a payment is refused with %s %j', async (field, value) => {
    const site = await createSite()
    const answer = await pay(site, payment({ [field]: value }))
    expect([answer.status, answer.body.code, Object.keys(answer.body.errors ?? {})]).toEqual([
      422,
      'validation_failed',
      [field],
    ])
    expect((await list(site)).body.meta.total).toBe(0)
  })

  test.each([
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['Asia/Kathmandu', '2026-03-29', '2026-03-28T18:15:00.000Z'],
    // Clocks skip midnight on this day.
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z'],
  ])('a date in %s means the start of that day', async (timezone, timestamp, at) => {
    const site = await createSite({ timezone })
    expect((await pay(site, payment({ timestamp }))).status).toBe(201)
    expect((await list(site)).body.data[0].timestamp).toBe(at)
  })

  test('the currency must be the current one of the site', async () => {
    const site = await createSite()
    const change = (currency: string) =>
      api.call('PATCH', `/api/sites/${site}/currency`, { token: owner.token, body: { currency } })
    expect((await change('EUR')).status).toBe(200)
    expect((await pay(site, payment())).status).toBe(422)
    expect((await pay(site, payment({ currency: 'EUR' }))).status).toBe(201)
    expect((await change('USD')).status).toBe(422)
  })
})

describe('payments list', () => {
  test('pages have the newest payment first', async () => {
    const site = await createSite()
    for (const day of [3, 1, 2]) {
      const at = { transaction_id: `${day}`, timestamp: `2026-03-0${day}` }
      await pay(site, payment(at))
    }
    const { body } = await list(site, '?per_page=2')
    expect(body.data.map((item: { transaction_id: string }) => item.transaction_id)).toEqual(['3', '2'])
    expect(body.meta).toEqual({ current_page: 1, per_page: 2, total: 3, last_page: 2 })
    const next = body.links.next.replace(/^.*(?=\/api\/)/, '')
    const second = await api.call('GET', next, { token: owner.token })
    expect(second.body.data.map((item: { transaction_id: string }) => item.transaction_id)).toEqual(['1'])
  })

  test.each(['per_page=0', 'per_page=101', 'page=0', 'per_page=x'])('%s is refused', async query => {
    expect((await list(await createSite(), `?${query}`)).status).toBe(422)
  })
})

describe('payment deletion', () => {
  test('a deleted payment is gone and can be recorded again', async () => {
    const site = await createSite()
    await pay(site, payment({ transaction_id: 'gone' }))
    await pay(site, payment({ transaction_id: 'stays' }))
    const answer = await remove(site, { transaction_id: 'gone' })
    expect([answer.status, answer.body]).toEqual([200, { message: 'Payment deleted' }])
    expect((await list(site)).body.data).toMatchObject([{ transaction_id: 'stays' }])
    expect((await remove(site, { transaction_id: 'gone' })).status).toBe(404)
    expect((await pay(site, payment({ transaction_id: 'gone' }))).status).toBe(201)
  })

  test('a payment of another site or of the processor is not deleted', async () => {
    const [site, other] = [await createSite(), await createSite()]
    await pay(other, payment({ transaction_id: 'theirs' }))
    await api.services.db`
      insert into payments (site_no, transaction_id, amount_minor, currency, paid_at, source)
      select site_no, 'pi_1', 1, 'USD', now(), 'processor' from sites where id = ${site}`
    for (const transaction_id of ['theirs', 'pi_1', 'unknown']) {
      const answer = await remove(site, { transaction_id })
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    }
  })

  test.each([{}, { transaction_id: '' }, { transaction_id: 1 }, { transaction_id: 'x'.repeat(256) }])(
    'a body without a valid transaction_id is refused: %j',
    async body => {
      expect((await remove(await createSite(), body)).status).toBe(422)
    },
  )
})

describe('payments access', () => {
  const calls = {
    POST: pay,
    DELETE: remove,
    GET: (site: string, _: unknown, token: string) => list(site, '', token),
  }

  test.each(['POST', 'DELETE', 'GET'] as const)(
    '%s is checked in this order: token, site, role, plan, then the rest',
    async method => {
      const call = calls[method]
      const broken = { amount: 0 }
      const site = await createSite()
      const statusOf = async (token: string, given = site) => {
        const answer = await call(given, broken, token)
        return answer.status
      }
      const member = await api.member({ role: 'member', plan: 'lapsed' })
      const invalid = method === 'GET' ? 200 : 422
      expect(await statusOf('nonsense')).toBe(401)
      expect(await statusOf(member.token)).toBe(404)
      expect(await statusOf(owner.token, randomUUID())).toBe(404)

      for (const [options, status] of [
        [{ role: 'member', plan: 'lapsed' }, 403],
        [{ role: 'member', plan: 'active' }, 403],
        [{ role: 'admin', plan: 'lapsed' }, 402],
        [{ role: 'owner', plan: 'none' }, 402],
        [{ role: 'owner', plan: 'trial', trialEndsAt: new Date(NOW.getTime() - 1) }, 402],
        [{ role: 'owner', plan: 'trial', trialEndsAt: new Date(NOW.getTime() + 1) }, invalid],
        [{ role: 'admin', plan: 'active' }, invalid],
        [{ role: 'owner', plan: 'active' }, invalid],
      ] as const) {
        const somebody = await api.member(options)
        const [own] = await api.services.db`
        insert into sites (team_id, domain) values (${somebody.teamId}, ${`${randomUUID()}.example`}) returning id`
        expect([options, await statusOf(somebody.token, own!.id)]).toEqual([options, status])
      }
    },
  )
})
