import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectPatientRedis, whenReady } from '../../src/redis/connect.ts'
import { SITE_CHANGES } from '../../src/sites/change-site.ts'
import { findSiteByKey } from '../../src/sites/find-site.ts'
import { type Api, type Member, startApi } from '../support/api.ts'

let api: Api
let owner: Member

beforeAll(async () => {
  api = await startApi()
  owner = await api.member()
})
afterAll(() => api.close())

async function createSite(member = owner, domain = `${randomUUID()}.example`) {
  const made = await api.call('POST', '/api/sites', { token: member.token, body: { domain } })
  expect(made.status).toBe(201)
  return made.body
}
const change = (id: string, setting: string, body?: unknown, member = owner) =>
  api.call('PATCH', `/api/sites/${id}/${setting}`, { token: member.token, body })

async function siteNoOf(id: string): Promise<number> {
  const [row] = await api.services.db<{ siteNo: number }[]>`
    select site_no as "siteNo" from sites where id = ${id}`
  return row!.siteNo
}

describe('site options', () => {
  const REPLAY = {
    ...{ track_web_vitals: true, track_session_replay: true, replay_sample_percent: 25 },
    ...{ replay_excluded_paths: ['/account/**', '/a b/*'], replay_days: 90 },
  }
  const SETTINGS: [string, unknown, Record<string, unknown>][] = [
    ['domain', { domain: 'HTTPS://Moved.Example/path' }, { domain: 'moved.example' }],
    ['timezone', { timezone: 'asia/kolkata' }, { timezone: 'Asia/Kolkata' }],
    ['currency', { currency: 'EUR' }, { currency: 'EUR' }],
    ['tracking-mode', { tracking_mode: 'cookie' }, { tracking_mode: 'cookie' }],
    ['sharing', { is_public: true }, { is_public: true }],
    ['features', { track_errors: true }, { track_errors: true }],
    ['features', REPLAY, REPLAY],
    ['features', {}, {}],
    ['retention', { retention_months: 25 }, { retention_months: 25 }],
    ['retention', { retention_months: null }, {}],
    ['pin', undefined, { is_pinned: true }],
    ['pin', {}, { is_pinned: true }],
  ]

  test.each(SETTINGS)(
    'PATCH %s with %j changes this option alone and answers the site',
    async (setting, body, changed) => {
      const member = await api.member({ role: setting === 'retention' ? 'admin' : 'member' })
      const site = await createSite(member)
      const answer = await change(site.domain, setting, body, member)
      expect(answer.status).toBe(200)
      const favicon = changed.domain
        ? { favicon_url: site.favicon_url.replace(site.domain, changed.domain) }
        : {}
      expect(answer.body).toEqual({ ...site, ...changed, ...favicon })
      const now = await api.call('GET', `/api/sites/${site.id}`, { token: member.token })
      expect(now.body).toEqual(answer.body)
    },
  )

  test('a change is announced with the tracking key', async () => {
    const { services } = api
    const subscriber = connectPatientRedis(services.config.redisUrl!, services.log)
    await whenReady(subscriber, 30_000)
    const heard: string[] = []
    await subscriber.subscribe(SITE_CHANGES)
    const site = await createSite()
    subscriber.on('message', (_, key) => key === site.tracking_key && heard.push(key))
    for (const [index, [setting, body]] of SETTINGS.entries()) {
      const own = setting === 'domain' ? { domain: `${randomUUID()}.example` } : body
      await change(site.id, setting, own)
      await expect.poll(() => heard.length).toBe(index + 1)
    }
    subscriber.disconnect()
  })

  test('ingestion uses a changed option for the next hit', async () => {
    const site = await createSite()
    await change(site.id, 'timezone', { timezone: 'Europe/Paris' })
    await change(site.id, 'tracking-mode', { tracking_mode: 'cookie' })
    await change(site.id, 'currency', { currency: 'JPY' })
    expect(await findSiteByKey(api.services.db, site.tracking_key)).toMatchObject({
      timezone: 'Europe/Paris',
      trackingMode: 'cookie',
      currency: 'JPY',
    })
  })

  test('a request is checked in this order: token, site, body', async () => {
    const stranger = await api.member()
    const site = await createSite()
    for (const [setting] of SETTINGS) {
      const wrong = {
        domain: 1,
        timezone: 1,
        currency: 1,
        tracking_mode: 1,
        is_public: 1,
        track_errors: 1,
        retention_months: 0,
      }
      const path = `/api/sites/${site.id}/${setting}`
      expect((await api.call('PATCH', path, { body: wrong })).status).toBe(401)
      expect((await api.call('PATCH', path, { body: wrong, token: stranger.token })).status).toBe(404)
      const status = setting === 'pin' ? 200 : 422
      expect((await api.call('PATCH', path, { body: wrong, token: owner.token })).status).toBe(status)
    }
  })

  test('a site that is deleted during the change gives 404', async () => {
    const site = await createSite()
    await api.call('DELETE', `/api/sites/${site.id}`, { token: owner.token })
    for (const [setting, body] of SETTINGS) expect((await change(site.id, setting, body)).status).toBe(404)
  })
})

const CHOICES = 'is not supported: GET /api/currencies lists those that are'
const PATH = 'must be a path that begins with /, without a query, fragment or comma'
const REFUSED: [setting: string, body: object, field: string, problem: string][] = [
  ['domain', {}, 'domain', 'is required'],
  ['domain', { domain: 'not a domain' }, 'domain', 'must be a host name, such as example.com'],
  ['domain', { domain: `${'a'.repeat(63)}.`.repeat(4) }, 'domain', 'must be at most 255 characters'],
  ['timezone', {}, 'timezone', 'is required'],
  ['timezone', { timezone: 'FOO+3' }, 'timezone', 'must be an IANA time zone, such as Europe/Berlin'],
  ['currency', {}, 'currency', 'is required'],
  ['currency', { currency: 'EURO' }, 'currency', 'must be exactly 3 characters'],
  ['currency', { currency: '' }, 'currency', 'must be exactly 3 characters'],
  ['currency', { currency: 'XXX' }, 'currency', CHOICES],
  ['currency', { currency: 'eur' }, 'currency', CHOICES],
  ['currency', { currency: null }, 'currency', 'must be a string'],
  ['tracking-mode', {}, 'tracking_mode', 'must be one of cookieless, cookie'],
  ['tracking-mode', { tracking_mode: 'Cookie' }, 'tracking_mode', 'must be one of cookieless, cookie'],
  ['sharing', {}, 'is_public', 'is required'],
  ['sharing', { is_public: 'true' }, 'is_public', 'must be true or false'],
  ['sharing', { is_public: 1 }, 'is_public', 'must be true or false'],
  ['features', { track_errors: null }, 'track_errors', 'must be true or false'],
  ['features', { track_web_vitals: 'no' }, 'track_web_vitals', 'must be true or false'],
  ['features', { replay_sample_percent: 0 }, 'replay_sample_percent', 'must be at least 1'],
  ['features', { replay_sample_percent: 101 }, 'replay_sample_percent', 'must be at most 100'],
  ['features', { replay_days: 91 }, 'replay_days', 'must be at most 90'],
  ['features', { replay_days: 1.5 }, 'replay_days', 'must be an integer'],
  ['retention', {}, 'retention_months', 'is required'],
  ['retention', { retention_months: 0 }, 'retention_months', 'must be at least 1'],
  ['retention', { retention_months: 121 }, 'retention_months', 'must be at most 120'],
  ['retention', { retention_months: 1.5 }, 'retention_months', 'must be an integer'],
  ['retention', { retention_months: '3' }, 'retention_months', 'must be a number'],
]
const REFUSED_PATHS: [paths: unknown, index: string, problem: string][] = [
  [['/ok', 'account'], '.1', PATH],
  [['/ok', ''], '.1', PATH],
  [['/ok', '/a,b'], '.1', PATH],
  [['/ok', '/a?b'], '.1', PATH],
  [['/ok', '/a#b'], '.1', PATH],
  [['/ok', '/a\nb'], '.1', PATH],
  [['/'.repeat(201)], '.0', 'must be at most 200 characters'],
  [Array(51).fill('/'), '', 'must be at most 50 patterns'],
  [Array(11).fill('/'.repeat(200)), '', 'must be at most 2000 characters together'],
  [null, '', 'must be an array'],
]

test('site options: what is no value of an option is refused', async () => {
  const site = await createSite()
  for (const [replay_excluded_paths, index, problem] of REFUSED_PATHS)
    REFUSED.push(['features', { replay_excluded_paths }, `replay_excluded_paths${index}`, problem])
  for (const [setting, body, field, problem] of REFUSED) {
    const { status, body: answer } = await change(site.id, setting, body)
    expect([setting, body, status, answer.code]).toEqual([setting, body, 422, 'validation_failed'])
    expect(answer.errors[field]).toContain(problem)
  }
})

describe('site options: the domain', () => {
  test('the domain of another site of the team is refused with the same message as on creation; the present one is accepted', async () => {
    const member = await api.member()
    const site = await createSite(member, 'own.example')
    await createSite(member, 'taken.example')
    const refused = await change(site.id, 'domain', { domain: 'http://TAKEN.example.' }, member)
    expect([refused.status, refused.body.message]).toEqual([
      422,
      'The team already has a site for that domain',
    ])
    expect(refused.body.errors.domain).toEqual(['The team already has a site for that domain'])
    expect((await change(site.id, 'domain', { domain: 'OWN.example' }, member)).body).toEqual(site)
  })

  test('the domain of another team or of a deleted site is free', async () => {
    const [one, other] = [await api.member(), await api.member()]
    await createSite(one, 'theirs.example')
    const gone = await createSite(other, 'gone.example')
    await api.call('DELETE', `/api/sites/${gone.id}`, { token: other.token })
    const site = await createSite(other)
    for (const domain of ['theirs.example', 'gone.example']) {
      expect((await change(site.id, 'domain', { domain }, other)).status).toBe(200)
    }
  })

  test('one of ten concurrent changes to the same domain succeeds', async () => {
    const member = await api.member()
    const sites = []
    for (let index = 0; index < 10; index++) sites.push(await createSite(member))
    const answers = await Promise.all(
      sites.map(site => change(site.id, 'domain', { domain: 'wanted.example' }, member)),
    )
    expect(answers.map(answer => answer.status).sort()).toEqual([200, ...Array(9).fill(422)])
  })
})

describe('site options: the currency', () => {
  const addGoal = async (siteNo: number, currency: string | null) => api.services.db`
    insert into goals (site_no, display_name, type, match_operator, currency)
    values (${siteNo}, ${randomUUID()}, 'event', 'is', ${currency})`
  const addPayment = async (siteNo: number, currency: string) => api.services.db`
    insert into payments (site_no, transaction_id, amount_minor, currency, paid_at, source)
    values (${siteNo}, ${randomUUID()}, 1, ${currency}, now(), 'api')`

  test('a change is refused while a goal has a currency; goals without one do not matter', async () => {
    const site = await createSite()
    const siteNo = await siteNoOf(site.id)
    await addGoal(siteNo, null)
    expect((await change(site.id, 'currency', { currency: 'EUR' })).status).toBe(200)
    await addGoal(siteNo, 'EUR')
    const refused = await change(site.id, 'currency', { currency: 'USD' })
    expect(refused.status).toBe(422)
    expect(refused.body.message).toMatch(/delete revenue goals first/)
    expect(refused.body.errors.currency).toEqual([refused.body.message])
    expect((await change(site.id, 'currency', { currency: 'EUR' })).body.currency).toBe('EUR')
  })

  test('a change is refused while a payment has another currency than the new one', async () => {
    const site = await createSite()
    const siteNo = await siteNoOf(site.id)
    await addPayment(siteNo, 'EUR')
    expect((await change(site.id, 'currency', { currency: 'EUR' })).status).toBe(200)
    const refused = await change(site.id, 'currency', { currency: 'GBP' })
    expect(refused.status).toBe(422)
    expect(refused.body.message).toMatch(/reconcile or remove them first/)
    await addPayment(siteNo, 'USD')
    // The present one: nothing changes, so nothing stands in the way.
    expect((await change(site.id, 'currency', { currency: 'EUR' })).status).toBe(200)
  })

  // The embedded database has one session, which takes transactions one after the other.
  test('a change waits for a transaction that records a payment in the present currency', {
    tags: ['native'],
  }, async () => {
    const site = await createSite()
    const siteNo = await siteNoOf(site.id)
    let changing: ReturnType<typeof change> | undefined
    await api.services.db.begin(async transaction => {
      await transaction`select currency from sites where site_no = ${siteNo} for share`
      changing = change(site.id, 'currency', { currency: 'EUR' })
      await new Promise(resolve => setTimeout(resolve, 200))
      await transaction`
        insert into payments (site_no, transaction_id, amount_minor, currency, paid_at, source)
        values (${siteNo}, 'late', 1, 'USD', now(), 'api')`
    })
    expect((await changing!).status).toBe(422)
  })
})

describe('site options: the pin', () => {
  test('each call turns the pin over, also when many come at the same time', async () => {
    for (const times of [1, 2, 6, 7]) {
      const site = await createSite()
      const answers = await Promise.all(Array.from({ length: times }, () => change(site.id, 'pin')))
      expect(answers.filter(answer => answer.body.is_pinned)).toHaveLength(Math.ceil(times / 2))
      const now = await api.call('GET', `/api/sites/${site.id}`, { token: owner.token })
      expect(now.body.is_pinned).toBe(times % 2 === 1)
    }
  })
})

describe('choices of forms', () => {
  const options = async (path: string) => (await api.call('GET', path, { token: owner.token })).body

  test('currencies: the list has exactly the codes that the currency can be changed to, with their names', async () => {
    const currencies = await options('/api/currencies')
    expect(currencies.map(({ value }: { value: string }) => value).join(' ')).toBe(
      'USD EUR GBP BRL JPY CAD AUD CHF CNY INR MXN ZAR SEK NOK DKK PLN CZK HUF RUB TRY KRW SGD HKD NZD THB IDR MYR PHP ' +
        'VND AED',
    )
    expect(currencies[0]).toEqual({ value: 'USD', label: 'USD – US Dollar' })
    for (const { value, label } of currencies) expect(label).toMatch(new RegExp(`^${value} – \\S`))
    const site = await createSite()
    for (const { value } of currencies) {
      expect((await change(site.id, 'currency', { currency: value })).body.currency).toBe(value)
    }
  })

  test('time zones: the list has every IANA name, and a site accepts each of them', async () => {
    const zones = await options('/api/timezones')
    expect(zones.length).toBeGreaterThan(400)
    for (const [value, label] of Object.entries({ 'America/New_York': 'America/New York', UTC: 'UTC' }))
      expect(zones).toContainEqual({ value, label })
    const site = await createSite()
    for (const { value } of zones.filter((_: unknown, index: number) => index % 25 === 0)) {
      expect((await change(site.id, 'timezone', { timezone: value })).body.timezone).toBe(value)
    }
  })
})
