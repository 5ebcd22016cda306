import { beforeEach, expect, test } from 'vitest'
import { SECTIONS } from '../../../src/platform/dimensions/sections.ts'
import { makeAccess, newShareSecret } from '../../../src/stats/sharing/credentials.ts'
import { useApi } from '../../access/teams/use-api.ts'
import { browser, newPlace, type Place } from '../../contract/callers.ts'

let place: Place
let owner: Record<string, string>
let path: string

const NOW = new Date('2026-03-18T12:00:00Z')
const PASSWORD = 'correct horse battery'
let now = NOW
const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000)

const api = useApi(() => ({ now: () => now }))
beforeEach(async () => {
  now = NOW
  Object.assign(api.services.config.limits, { api: 0, browser: 0 })
  await api.services.redis.flushall()
  place = await newPlace(api.services.db)
  owner = await browser(api.services.db, place)
  path = `/api/sites/${place.siteId}/shares`
})

const call = (method: string, to: string, body?: unknown, headers = owner) =>
  api.call(method, to, { headers, ...(body !== undefined && { body }) })
const make = (fields: object = {}) => call('POST', path, { name: 'Agency', sections: ['traffic'], ...fields })
const given = async (fields: object = {}) => (await make(fields)).body
const change = (id: string, body: object) => call('PATCH', `${path}/${id}`, body)
const open = (secret: string, password?: string) =>
  api.call('POST', '/api/shares/open', { body: { secret, ...(password !== undefined && { password }) } })
const read = (credential: string, siteKey = place.siteId) =>
  api.call('GET', `/api/sites/${siteKey}/overview`, { token: credential })

/** Makes shares without the API, of which `expiresAt` is the end. */
const insert = (count: number, expiresAt: Date | null = null) => api.services.db`
  insert into shares (site_no, name, hash, sections, expires_at, created_at)
  select site_no, 'x', sha256(gen_random_uuid()::text::bytea), '{traffic}', ${expiresAt}, ${NOW}
  from sites, generate_series(1, ${count}::int)
  where id = ${place.siteId}`

test('shares: a new share shows its secret once; only its SHA-256 is stored', async () => {
  const { status, body } = await make({ filters: { country: ['DE'] } })
  expect(status).toBe(201)
  expect(body).toEqual({
    ...{ id: expect.any(String), name: 'Agency', sections: ['traffic'], filters: { country: ['DE'] } },
    ...{ has_password: false, may_export: false, expires_at: null, last_used_at: null },
    ...{ created_by: expect.stringContaining('@example.com'), created_at: NOW.toISOString() },
    secret: expect.stringMatching(/^wsh_[A-Za-z0-9_-]{43}$/),
    url: `${api.services.config.baseUrl}/share/${place.siteId}#${body.secret}`,
  })
  const { secret, url: _, ...listed } = body
  expect((await call('GET', path)).body).toEqual([listed])
  const rows = await api.services.db`select shares::text as text from shares where id = ${body.id}`
  expect(rows[0]!.text).not.toContain(secret.slice(4))
  // Every section can be granted.
  expect((await make({ sections: [...SECTIONS] })).body.sections).toEqual(SECTIONS)
})

test('shares: what is no name, section, filter, password, end or choice is refused, in a change too', async () => {
  const { body: share } = await make()
  const many = (value: string) => Array(21).fill(value)
  for (const [fields, field] of [
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ sections: [] }, 'sections'],
    [{ sections: ['everything'] }, 'sections.0'],
    [{ sections: 'traffic' }, 'sections'],
    [{ filters: { goal: ['x'] } }, 'filters'],
    [{ filters: { prop_key: 'plan' } }, 'filters'],
    [{ filters: { __proto__: null, colour: 'red' } }, 'filters'],
    [{ filters: { country: { like: 'D' } } }, 'filters.country'],
    [{ filters: { country: [] } }, 'filters.country'],
    [{ filters: { path: { matches_regex: '(' } } }, 'filters.path.matches_regex'],
    [{ filters: { path: { contains: many('a') } } }, 'filters.path.contains'],
    [{ filters: { path: { matches_pattern: many('a*') } } }, 'filters.path.matches_pattern'],
    [{ password: 'short' }, 'password'],
    [{ password: 7 }, 'password'],
    [{ expires_at: '2026-03-18' }, 'expires_at'],
    [{ expires_at: '2026-03-18T12:00:00Z' }, 'expires_at'],
    [{ may_export: 'yes' }, 'may_export'],
  ] as const) {
    for (const answer of [await make(fields), await change(share.id, fields)]) {
      const problem = Object.keys(answer.body.errors ?? {})[0]
      expect([fields, answer.status, problem]).toEqual([fields, 422, field])
    }
  }
})

test('shares: a change names what changes, and holds for those who have the link', async () => {
  const { body: share } = await make({ sections: ['pages'] })
  expect((await read(share.secret)).status).toBe(403)
  const expires_at = '2026-03-19T00:00:00.000Z'
  const changed = await change(share.id, { sections: ['traffic'], expires_at })
  expect(changed.body).toMatchObject({ name: 'Agency', sections: ['traffic'], expires_at })
  expect((await read(share.secret)).status).toBe(200)
  expect((await change(share.id, {})).body).toMatchObject({ expires_at })
  const kept = await change(share.id, { expires_at: null, may_export: true })
  expect(kept.body).toMatchObject({ expires_at: null, may_export: true })
})

test('shares are those of their site; a revoked one is refused at once, and gone', async () => {
  const { body: share } = await make()
  const other = `/api/sites/${place.otherSiteId}/shares`
  expect((await call('GET', other)).body).toEqual([])
  expect((await read(share.secret)).status).toBe(200)
  expect((await call('DELETE', `${path}/${share.id}`)).status).toBe(204)
  expect((await read(share.secret)).status).toBe(401)
  expect((await call('GET', path)).body).toEqual([])
  for (const method of ['DELETE', 'PATCH'])
    expect((await call(method, `${path}/${share.id}`, {})).status).toBe(404)
})

test('at most 50 shares of a site work; expired ones do not count, and 50 of them are kept', async () => {
  await insert(60, new Date('2026-03-18T11:00:00Z'))
  await insert(48)
  const answers = await Promise.all(Array.from({ length: 6 }, () => make()))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403, 403])
  const last = answers.find(({ status }) => status === 201)!.body
  expect(await make()).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  const { body: listed } = await call('GET', path)
  expect(listed).toHaveLength(100)
  const expired = listed.find(({ expires_at }: { expires_at: string | null }) => expires_at !== null)
  expect((await change(expired.id, { expires_at: null })).status).toBe(403)
  expect((await change(last.id, { name: 'still' })).status).toBe(200)
})

test('shares: all changes are in the audit log, without secrets and passwords', async () => {
  const { body: share } = await make({ password: PASSWORD })
  await change(share.id, { name: 'Press', sections: ['pages'] })
  await call('DELETE', `${path}/${share.id}`)
  const { body } = await call('GET', '/api/audit-log')
  const entries = body.data.filter(({ object_id }: { object_id: string }) => object_id === share.id)
  const domain = expect.any(String)
  const made = { sections: ['traffic'], filters: [], has_password: true, expires_at: null }
  expect(entries.map(({ action, details }: never) => [action, details])).toEqual([
    ['share.revoke', { name: 'Press', domain }],
    ['share.change', { name: 'Press', domain, sections: ['pages'], changed: ['name', 'sections'] }],
    ['share.create', { name: 'Agency', domain, ...made }],
  ])
  expect(JSON.stringify(body)).not.toContain(share.secret)
  expect(JSON.stringify(body)).not.toContain(PASSWORD)
})

test('shares: a share of a deleted site ends with it', async () => {
  const { body: share } = await make()
  expect((await call('DELETE', `/api/sites/${place.siteId}`)).status).toBe(204)
  expect((await read(share.secret)).status).toBe(401)
  const opened = await api.call('POST', '/api/shares/open', { body: { secret: share.secret } })
  expect(opened.status).toBe(401)
})

test('credentials of shares: the secret of a share without a password is a bearer token, for its own site alone', async () => {
  const { secret } = await given()
  expect((await read(secret)).status).toBe(200)
  const [site] = await api.services.db`select domain from sites where id = ${place.siteId}`
  expect((await read(secret, site!.domain)).status).toBe(200)
  expect((await read(secret, place.siteId.toUpperCase())).status).toBe(200)
  for (const siteKey of [place.otherSiteId, 'unknown.example'])
    expect((await read(secret, siteKey)).body).toMatchObject({ code: 'not_found', message: 'No such site' })
})

test('credentials of shares: the access that a share gives changes nothing and reads nothing else', async () => {
  const { secret, id } = await given()
  const { access } = (await open(secret)).body
  const site = `/api/sites/${place.siteId}`
  const asked = ['GET /api/sites', `GET ${site}`, `GET ${path}`, `DELETE ${path}/${id}`, `POST ${site}/goals`]
  for (const [method, to] of asked.map(each => each.split(' ') as [string, string]))
    expect((await api.call(method, to, { token: access })).status, to).toBe(401)
})

test('credentials of shares: opening a share gives access for twelve hours', async () => {
  const { secret, name } = await given()
  const { status, body } = await open(secret)
  expect(status).toBe(200)
  expect(body).toEqual({
    access: expect.stringMatching(/^wsa_[A-Za-z0-9_-]{72}$/),
    expires_at: later(12).toISOString(),
    name,
    sections: ['traffic'],
    filters: {},
    may_export: false,
    site: {
      ...{ id: place.siteId, domain: expect.any(String), timezone: 'UTC', currency: 'USD' },
      ...{ favicon_url: expect.any(String), has_data: false, first_event_at: null },
    },
  })
  expect((await read(body.access)).status).toBe(200)
  const listed = await call('GET', path)
  expect(listed.body[0].last_used_at).toBe(now.toISOString())
  now = later(12)
  expect((await read(body.access)).status).toBe(401)
  expect((await read(secret)).status).toBe(200)
})

test('credentials of shares: access ends with the share', async () => {
  const expires_at = later(1).toISOString()
  const { secret } = await given({ expires_at })
  const { body } = await open(secret)
  expect(body.expires_at).toBe(expires_at)
  now = later(1)
  for (const credential of [secret, body.access]) expect((await read(credential)).status).toBe(401)
  expect((await open(secret)).status).toBe(401)
})

test('credentials of shares: a share with a password needs both', async () => {
  const { secret } = await given({ password: PASSWORD })
  expect((await read(secret)).status).toBe(401)
  expect((await open(secret)).body).toMatchObject({
    code: 'password_required',
    message: 'The share needs its password',
  })
  expect((await open(secret, 'wrong password')).status).toBe(401)
  expect((await open(newShareSecret(), PASSWORD)).status).toBe(401)
  const { body } = await open(secret, PASSWORD)
  expect((await read(body.access)).status).toBe(200)
})

test('credentials of shares: only a change of the password ends access that was given before', async () => {
  for (const [fields, ofAccess, ofSecret] of [
    [{ password: 'another password' }, 401, 401],
    [{ password: null }, 401, 200],
    [{ name: 'Press' }, 200, 401],
  ] as const) {
    const { secret, id } = await given({ password: PASSWORD })
    const { access } = (await open(secret, PASSWORD)).body
    expect((await change(id, fields)).status).toBe(200)
    const statuses = [(await read(access)).status, (await read(secret)).status]
    expect([fields, ...statuses]).toEqual([fields, ofAccess, ofSecret])
  }
})

test('credentials of shares: narrowing a share narrows access that was given before, and revoking it ends it', async () => {
  const { secret, id } = await given()
  const { access } = (await open(secret)).body
  await change(id, { sections: ['pages'] })
  for (const credential of [secret, access]) expect((await read(credential)).status).toBe(403)
  await call('DELETE', `${path}/${id}`)
  for (const credential of [secret, access]) expect((await read(credential)).status).toBe(401)
})

test('credentials of shares: ten wrong passwords in 15 minutes are refused for the share, right ones do not count', async () => {
  const { secret } = await given({ password: PASSWORD })
  for (let count = 0; count < 12; count++) expect((await open(secret, PASSWORD)).status).toBe(200)
  for (let count = 0; count < 10; count++) expect((await open(secret, 'wrong password')).status).toBe(401)
  const refused = await open(secret, PASSWORD)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  now = new Date(NOW.getTime() + 15 * 60_000)
  expect((await open(secret, PASSWORD)).status).toBe(200)
})

test('credentials of shares: access that was made up, changed or cut is refused', async () => {
  const { secret, id } = await given()
  const { access } = (await open(secret)).body
  const expiresAt = Math.floor(later(100).getTime() / 1000)
  const changed = [
    makeAccess('1'.repeat(64), { shareId: id, expiresAt }, null),
    makeAccess(api.services.config.secretKey, { shareId: id, expiresAt }, 'another hash'),
    `${access.slice(0, -2)}${access.endsWith('AA') ? 'BB' : 'AA'}`,
    `wsa_${'A'.repeat(72)}`,
    access.slice(0, -1),
    'wsa_',
    'wsh_',
    `${secret}x`,
  ]
  for (const credential of changed) expect((await read(credential)).status, credential).toBe(401)
})

test('credentials of shares: invalid ones count as invalid tokens do, valid ones do not', async () => {
  const { secret } = await given()
  api.services.config.limits.api = 1
  expect((await read(secret)).status).toBe(200)
  const statuses: number[] = []
  for (let count = 0; count < 12; count++) statuses.push((await read(newShareSecret())).status)
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
  expect((await read(secret)).status).toBe(200)
})
