import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SECTIONS } from '../../src/dimensions/sections.ts'
import { newPlace, type Place, token } from '../contract/callers.ts'
import { type Api, startApi } from '../support/api.ts'
import { inProcessPool } from '../support/in-process-pool.ts'

let api: Api
let place: Place
let owner: Record<string, string>
let path: string

const NOW = new Date('2026-03-18T12:00:00Z')
let now = NOW

beforeAll(async () => {
  api = await startApi({ now: () => now })
  api.services.config.limits.browser = 0
  api.services.rollups = inProcessPool(api.services.db)
})
afterAll(() => api.close())
beforeEach(async () => {
  now = NOW
  place = await newPlace(api.services.db)
  owner = await token(api.services.db, place, {})
  path = `/api/sites/${place.siteId}/shares`
})

const call = (method: string, to: string, body?: unknown, headers = owner) =>
  api.call(method, to, { headers, ...(body !== undefined && { body }) })
const make = (fields: object = {}) => call('POST', path, { name: 'Agency', sections: ['traffic'], ...fields })
const read = (secret: string) => api.call('GET', `/api/sites/${place.siteId}/overview`, { token: secret })

/** Makes shares without the API, of which `expiresAt` is the end. */
const insert = (count: number, expiresAt: Date | null = null) => api.services.db`
  insert into shares (site_no, name, hash, sections, expires_at, created_at)
  select site_no, 'x', sha256(gen_random_uuid()::text::bytea), '{traffic}', ${expiresAt}, ${NOW}
  from sites, generate_series(1, ${count}::int)
  where id = ${place.siteId}`

describe('shares', () => {
  test('a new share shows its secret once; only its SHA-256 is stored', async () => {
    const { status, body } = await make({ filters: { country: ['DE'] } })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Agency',
      sections: ['traffic'],
      filters: { country: ['DE'] },
      has_password: false,
      may_export: false,
      expires_at: null,
      last_used_at: null,
      created_by: expect.stringContaining('@example.com'),
      created_at: NOW.toISOString(),
      secret: expect.stringMatching(/^wsh_[A-Za-z0-9_-]{43}$/),
      url: `${api.services.config.baseUrl}/share/${place.siteId}#${body.secret}`,
    })
    const { secret, url: _, ...listed } = body
    expect((await call('GET', path)).body).toEqual([listed])
    const rows = await api.services.db`select shares::text as text from shares where id = ${body.id}`
    expect(rows[0]!.text).not.toContain(secret.slice(4))
    // Sections are kept once each, in their order; every one can be granted.
    const sections = [...SECTIONS, ...SECTIONS].reverse()
    expect((await make({ sections })).body.sections).toEqual(SECTIONS)
  })

  test('what is no name, section, filter, password, end or choice is refused, in a change too', async () => {
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
      for (const answer of [await make(fields), await call('PATCH', `${path}/${share.id}`, fields)]) {
        const problem = Object.keys(answer.body.errors ?? {})[0]
        expect([fields, answer.status, problem]).toEqual([fields, 422, field])
      }
    }
  })

  test('a change names what changes, and holds for those who have the link', async () => {
    const { body: share } = await make({ sections: ['pages'] })
    expect((await read(share.secret)).status).toBe(403)
    const expires_at = '2026-03-19T00:00:00.000Z'
    const changed = await call('PATCH', `${path}/${share.id}`, { sections: ['traffic'], expires_at })
    expect(changed.body).toMatchObject({ name: 'Agency', sections: ['traffic'], expires_at })
    expect((await read(share.secret)).status).toBe(200)
    expect((await call('PATCH', `${path}/${share.id}`, {})).body).toMatchObject({ expires_at })
    const kept = await call('PATCH', `${path}/${share.id}`, { expires_at: null, may_export: true })
    expect(kept.body).toMatchObject({ expires_at: null, may_export: true })
  })

  test('shares of another site are unknown; a revoked one is refused at once, and gone', async () => {
    const { body: share } = await make()
    const other = `/api/sites/${place.otherSiteId}/shares`
    const expectUnknown = async (to: string) => {
      for (const method of ['DELETE', 'PATCH']) expect((await call(method, to, {})).status).toBe(404)
    }
    for (const id of [share.id, 'nonsense']) await expectUnknown(`${other}/${id}`)
    expect((await call('GET', other)).body).toEqual([])
    expect((await read(share.secret)).status).toBe(200)
    expect((await call('DELETE', `${path}/${share.id}`)).status).toBe(204)
    expect((await read(share.secret)).status).toBe(401)
    expect((await call('GET', path)).body).toEqual([])
    await expectUnknown(`${path}/${share.id}`)
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
    expect((await call('PATCH', `${path}/${expired.id}`, { expires_at: null })).status).toBe(403)
    expect((await call('PATCH', `${path}/${last.id}`, { name: 'still' })).status).toBe(200)
  })

  test('all changes are in the audit log, without secrets and passwords', async () => {
    const password = 'correct horse battery'
    const { body: share } = await make({ password })
    await call('PATCH', `${path}/${share.id}`, { name: 'Press', sections: ['pages'] })
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
    expect(JSON.stringify(body)).not.toContain(password)
  })

  test('a share of a deleted site ends with it', async () => {
    const { body: share } = await make()
    expect((await call('DELETE', `/api/sites/${place.siteId}`)).status).toBe(204)
    expect((await read(share.secret)).status).toBe(401)
    const opened = await api.call('POST', '/api/shares/open', { body: { secret: share.secret } })
    expect(opened.status).toBe(401)
  })
})
