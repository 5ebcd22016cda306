import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeAccess, newShareSecret } from '../../src/sharing/credentials.ts'
import { newPlace, type Place, token } from '../contract/callers.ts'
import { type Api, startApi } from '../support/api.ts'
import { inProcessPool } from '../support/in-process-pool.ts'

let api: Api
let place: Place
let owner: Record<string, string>

const NOW = new Date('2026-03-18T12:00:00Z')
const PASSWORD = 'correct horse battery'
let now = NOW
const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000)

beforeAll(async () => {
  api = await startApi({ now: () => now })
  api.services.rollups = inProcessPool(api.services.db)
})
afterAll(() => api.close())
beforeEach(async () => {
  now = NOW
  Object.assign(api.services.config.limits, { api: 0, browser: 0 })
  await api.services.redis.flushall()
  place = await newPlace(api.services.db)
  owner = await token(api.services.db, place, {})
})

async function make(fields: object = {}) {
  const body = { name: 'Agency', sections: ['traffic'], ...fields }
  return (await api.call('POST', `/api/sites/${place.siteId}/shares`, { headers: owner, body })).body
}
const change = (id: string, body: object) =>
  api.call('PATCH', `/api/sites/${place.siteId}/shares/${id}`, { headers: owner, body })
const open = (secret: string, password?: string) =>
  api.call('POST', '/api/shares/open', { body: { secret, ...(password !== undefined && { password }) } })
const read = (credential: string, siteKey = place.siteId) =>
  api.call('GET', `/api/sites/${siteKey}/overview`, { token: credential })

describe('credentials of shares', () => {
  test('the secret of a share without a password is a bearer token, for its own site alone', async () => {
    const { secret } = await make()
    expect((await read(secret)).status).toBe(200)
    const [site] = await api.services.db`select domain from sites where id = ${place.siteId}`
    expect((await read(secret, site!.domain)).status).toBe(200)
    expect((await read(secret, place.siteId.toUpperCase())).status).toBe(200)
    for (const siteKey of [place.otherSiteId, 'unknown.example']) {
      expect((await read(secret, siteKey)).body).toMatchObject({ code: 'not_found', message: 'No such site' })
    }
  })

  test('a share changes nothing and reads nothing else', async () => {
    const { secret, id } = await make()
    const { access } = (await open(secret)).body
    const site = `/api/sites/${place.siteId}`
    for (const token of [secret, access]) {
      for (const path of ['/api/sites', '/api/tokens', site, `${site}/shares`])
        expect((await api.call('GET', path, { token })).status, path).toBe(401)
      for (const [method, path] of [
        ['DELETE', `${site}/shares/${id}`],
        ['PATCH', `${site}/sharing`],
        ['POST', `${site}/goals`],
      ] as const)
        expect((await api.call(method, path, { token, body: {} })).status, path).toBe(401)
    }
  })

  test('opening a share gives access for twelve hours', async () => {
    const { secret, name } = await make()
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
        id: place.siteId,
        domain: expect.any(String),
        timezone: 'UTC',
        currency: 'USD',
        favicon_url: expect.any(String),
        has_data: false,
        first_event_at: null,
      },
    })
    expect((await read(body.access)).status).toBe(200)
    const listed = await api.call('GET', `/api/sites/${place.siteId}/shares`, { headers: owner })
    expect(listed.body[0].last_used_at).toBe(now.toISOString())
    now = later(12)
    expect((await read(body.access)).status).toBe(401)
    expect((await read(secret)).status).toBe(200)
  })

  test('access ends with the share', async () => {
    const expires_at = later(1).toISOString()
    const { secret } = await make({ expires_at })
    const { body } = await open(secret)
    expect(body.expires_at).toBe(expires_at)
    now = later(1)
    for (const credential of [secret, body.access]) expect((await read(credential)).status).toBe(401)
    expect((await open(secret)).status).toBe(401)
  })

  test('a share with a password needs both', async () => {
    const { secret } = await make({ password: PASSWORD })
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

  test('only a change of the password ends access that was given before', async () => {
    for (const [fields, ofAccess, ofSecret] of [
      [{ password: 'another password' }, 401, 401],
      [{ password: null }, 401, 200],
      [{ name: 'Press' }, 200, 401],
    ] as const) {
      const { secret, id } = await make({ password: PASSWORD })
      const { access } = (await open(secret, PASSWORD)).body
      expect((await change(id, fields)).status).toBe(200)
      const statuses = [(await read(access)).status, (await read(secret)).status]
      expect([fields, ...statuses]).toEqual([fields, ofAccess, ofSecret])
    }
  })

  test('narrowing a share narrows access that was given before, and revoking it ends it', async () => {
    const { secret, id } = await make()
    const { access } = (await open(secret)).body
    await change(id, { sections: ['pages'] })
    for (const credential of [secret, access]) expect((await read(credential)).status).toBe(403)
    await api.call('DELETE', `/api/sites/${place.siteId}/shares/${id}`, { headers: owner })
    for (const credential of [secret, access]) expect((await read(credential)).status).toBe(401)
  })

  test('ten wrong passwords in 15 minutes are refused for the share, right ones do not count', async () => {
    const { secret } = await make({ password: PASSWORD })
    for (let count = 0; count < 12; count++) expect((await open(secret, PASSWORD)).status).toBe(200)
    for (let count = 0; count < 10; count++) expect((await open(secret, 'wrong password')).status).toBe(401)
    const refused = await open(secret, PASSWORD)
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    now = new Date(NOW.getTime() + 15 * 60_000)
    expect((await open(secret, PASSWORD)).status).toBe(200)
  })

  test('access that was made up, changed or cut is refused', async () => {
    const { secret, id } = await make()
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

  test('invalid ones count as invalid tokens do, valid ones do not', async () => {
    const { secret } = await make()
    api.services.config.limits.api = 1
    expect((await read(secret)).status).toBe(200)
    const statuses: number[] = []
    for (let count = 0; count < 12; count++) statuses.push((await read(newShareSecret())).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    expect((await read(secret)).status).toBe(200)
  })
})
