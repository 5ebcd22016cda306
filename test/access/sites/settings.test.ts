import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { findSiteByKey } from '../../../src/access/sites/find-site.ts'
import type { Queryable, Transaction } from '../../../src/platform/db/connect.ts'
import { ofFile } from '../../support/of-file.ts'
import { race } from '../../support/race.ts'
import { hearSiteChanges } from '../../support/site-changes.ts'
import { useApi } from '../teams/use-api.ts'

const api = useApi()
const owner = ofFile(() => api.member())

async function createSite(member = owner, domain = `${randomUUID()}.example`) {
  const made = await api.call('POST', '/api/sites', { token: member.token, body: { domain } })
  expect(made.status).toBe(201)
  return made.body
}
const change = (id: string, setting: string, body?: unknown, member = owner) =>
  api.call('PATCH', `/api/sites/${id}/${setting}`, { token: member.token, body })

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

test('site options: a change of an option changes it alone, answers the site, and is announced with the tracking key', async () => {
  const { services } = api
  const heard = await hearSiteChanges(services)
  for (const [setting, body, changed] of SETTINGS) {
    const member = await api.member({ role: setting === 'retention' ? 'admin' : 'member' })
    const site = await createSite(member)
    const answer = await change(site.domain, setting, body, member)
    const favicon_url = site.favicon_url.replace(site.domain, changed.domain ?? site.domain)
    expect([setting, answer.status, answer.body]).toEqual([
      setting,
      200,
      { ...site, ...changed, favicon_url },
    ])
    const now = await api.call('GET', `/api/sites/${site.id}`, { token: member.token })
    expect(now.body).toEqual(answer.body)
    // Of its creation and of its change.
    const notices = () => heard.filter(key => key === site.tracking_key)
    await expect.poll(notices).toEqual([site.tracking_key, site.tracking_key])
  }
})

test('site options: ingestion uses a changed option for the next hit', async () => {
  const site = await createSite()
  await change(site.id, 'timezone', { timezone: 'Europe/Paris' })
  await change(site.id, 'tracking-mode', { tracking_mode: 'cookie' })
  await change(site.id, 'currency', { currency: 'JPY' })
  const now = { timezone: 'Europe/Paris', trackingMode: 'cookie', currency: 'JPY' }
  expect(await findSiteByKey(api.services.db, site.tracking_key)).toMatchObject(now)
})

const CHOICES = 'is not supported: GET /api/currencies lists those that are'
const TOGETHER = 'must be at most 2000 characters together'
const PATH = 'must be a path that begins with /, without a query, fragment or comma'
/** Values of the fields of an option, undefined for none, with what is said of them. */
const REFUSED: [setting: string, field: string, problem: string, ...values: unknown[]][] = [
  ['domain', 'domain', 'is required', undefined],
  ['domain', 'domain', 'must be a host name, such as example.com', 'not a domain'],
  ['domain', 'domain', 'must be at most 255 characters', `${'a'.repeat(63)}.`.repeat(4)],
  ['timezone', 'timezone', 'is required', undefined],
  ['timezone', 'timezone', 'must be an IANA time zone, such as Europe/Berlin', 'FOO+3'],
  ['currency', 'currency', 'is required', undefined],
  ['currency', 'currency', 'must be exactly 3 characters', 'EURO', ''],
  ['currency', 'currency', CHOICES, 'XXX', 'eur'],
  ['currency', 'currency', 'must be a string', null],
  ['tracking-mode', 'tracking_mode', 'must be one of cookieless, cookie', undefined, 'Cookie'],
  ['sharing', 'is_public', 'is required', undefined],
  ['sharing', 'is_public', 'must be true or false', 'true', 1],
  ['features', 'track_errors', 'must be true or false', null],
  ['features', 'track_web_vitals', 'must be true or false', 'no'],
  ['features', 'replay_sample_percent', 'must be at least 1', 0],
  ['features', 'replay_sample_percent', 'must be at most 100', 101],
  ['features', 'replay_days', 'must be at most 90', 91],
  ['features', 'replay_days', 'must be an integer', 1.5],
  ['features', 'replay_excluded_paths.0', PATH, ['account'], [''], ['/a,b'], ['/a?b'], ['/a#b'], ['/a\nb']],
  ['features', 'replay_excluded_paths.1', PATH, ['/ok', 'account']],
  ['features', 'replay_excluded_paths.0', 'must be at most 200 characters', ['/'.repeat(201)]],
  ['features', 'replay_excluded_paths', 'must be at most 50 patterns', Array(51).fill('/')],
  ['features', 'replay_excluded_paths', TOGETHER, Array(11).fill('/'.repeat(200))],
  ['features', 'replay_excluded_paths', 'must be an array', null],
  ['retention', 'retention_months', 'is required', undefined],
  ['retention', 'retention_months', 'must be at least 1', 0],
  ['retention', 'retention_months', 'must be at most 120', 121],
  ['retention', 'retention_months', 'must be an integer', 1.5],
  ['retention', 'retention_months', 'must be a number', '3'],
]

test('site options: what is no value of an option is refused', async () => {
  const site = await createSite()
  for (const [setting, field, problem, ...values] of REFUSED) {
    for (const value of values) {
      const body = { [field.split('.')[0]!]: value }
      const { status, body: answer } = await change(site.id, setting, body)
      expect([setting, body, status, answer.code]).toEqual([setting, body, 422, 'validation_failed'])
      expect(answer.errors[field]).toContain(problem)
    }
  }
})

test('the domain: the domain of another site of the team is refused as on creation; the present one is accepted', async () => {
  const member = await api.member()
  const site = await createSite(member, 'own.example')
  await createSite(member, 'taken.example')
  const { status, body } = await change(site.id, 'domain', { domain: 'http://TAKEN.example.' }, member)
  const message = 'The team already has a site for that domain'
  expect([status, body.message, body.errors.domain]).toEqual([422, message, [message]])
  expect((await change(site.id, 'domain', { domain: 'OWN.example' }, member)).body).toEqual(site)
})

test('the domain: the domain of another team or of a deleted site is free, for one of ten concurrent changes', async () => {
  const [one, other] = [await api.member(), await api.member()]
  await createSite(one, 'theirs.example')
  const gone = await createSite(other, 'gone.example')
  await api.call('DELETE', `/api/sites/${gone.id}`, { token: other.token })
  const sites = []
  for (let index = 0; index < 10; index++) sites.push(await createSite(other))
  for (const domain of ['theirs.example', 'gone.example']) {
    const answers = await Promise.all(sites.map(({ id }) => change(id, 'domain', { domain }, other)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(422)])
  }
})

const addGoal = async (siteNo: number, currency: string | null) => api.services.db`
  insert into goals (site_no, display_name, type, match_operator, currency)
  values (${siteNo}, ${randomUUID()}, 'event', 'is', ${currency})`
const addPayment = async (siteNo: number, currency: string, db: Queryable = api.services.db) => db`
  insert into payments (site_no, transaction_id, amount_minor, currency, paid_at, source)
  values (${siteNo}, ${randomUUID()}, 1, ${currency}, now(), 'api')`

test('the currency: a change is refused while a goal or a payment has another currency', async () => {
  const site = await api.site(owner)
  const expectRefused = async (currency: string, problem: RegExp) => {
    const { status, body } = await change(site.id, 'currency', { currency })
    expect([status, body.message]).toEqual([422, expect.stringMatching(problem)])
    expect(body.errors.currency).toEqual([body.message])
    // The present one: nothing changes, so nothing stands in the way.
    expect((await change(site.id, 'currency', { currency: 'EUR' })).body.currency).toBe('EUR')
  }
  await addGoal(site.siteNo, null)
  await addPayment(site.siteNo, 'EUR')
  expect((await change(site.id, 'currency', { currency: 'EUR' })).status).toBe(200)
  await expectRefused('GBP', /reconcile or remove them first/)
  await addPayment(site.siteNo, 'USD')
  await addGoal(site.siteNo, 'EUR')
  await expectRefused('USD', /delete revenue goals first/)
})

// The embedded database has one session, which takes transactions one after the other.
test('the currency: a change waits for a transaction that records a payment in the present currency', {
  tags: ['native'],
}, async () => {
  const { id, siteNo } = await api.site(owner)
  const pay = async (tx: Transaction) => {
    await tx`select currency from sites where site_no = ${siteNo} for share`
    await addPayment(siteNo, 'USD', tx)
  }
  const changed = await race(api.services.db, pay, () => change(id, 'currency', { currency: 'EUR' }))
  expect(changed.status).toBe(422)
})

test('the pin: each call turns the pin over, also when many come at the same time', async () => {
  for (const times of [1, 2, 6, 7]) {
    const site = await createSite()
    const answers = await Promise.all(Array.from({ length: times }, () => change(site.id, 'pin')))
    expect(answers.filter(answer => answer.body.is_pinned)).toHaveLength(Math.ceil(times / 2))
    const now = await api.call('GET', `/api/sites/${site.id}`, { token: owner.token })
    expect(now.body.is_pinned).toBe(times % 2 === 1)
  }
})

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
  for (const { value } of currencies)
    expect((await change(site.id, 'currency', { currency: value })).body.currency).toBe(value)
})

test('time zones: the list has every IANA name, and a site accepts each of them', async () => {
  const zones = await options('/api/timezones')
  expect(zones.length).toBeGreaterThan(400)
  for (const [value, label] of Object.entries({ 'America/New_York': 'America/New York', UTC: 'UTC' }))
    expect(zones).toContainEqual({ value, label })
  const site = await createSite()
  for (const { value } of zones.filter((_: unknown, index: number) => index % 25 === 0))
    expect((await change(site.id, 'timezone', { timezone: value })).body.timezone).toBe(value)
})
