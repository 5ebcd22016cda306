import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../src/teams/schema.ts'
import { createToken } from '../../src/teams/tokens.ts'
import { createUser } from '../../src/teams/users.ts'
import { type Api, type Member, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const IN_AN_HOUR = () => new Date(Date.now() + 3_600_000)
const create = (token: string, body: unknown) => api.call('POST', '/api/tokens', { token, body })
const list = async (token: string) => (await api.call('GET', '/api/tokens', { token })).body
const namesIn = async (token: string) => (await list(token)).map((each: { name: string }) => each.name).sort()
const revoke = async (token: string, id: string) =>
  (await api.call('DELETE', `/api/tokens/${id}`, { token })).status

async function createSite(member: Member): Promise<string> {
  const body = { domain: `${randomUUID()}.example` }
  return (await api.call('POST', '/api/sites', { token: member.token, body })).body.id
}

/** Another person of the team, with a token. */
async function colleague(member: Member, role: Role, name: string = role): Promise<Member> {
  const { db } = api.services
  const userId = await createUser(db, { teamId: member.teamId, email: `${randomUUID()}@example.com`, role })
  const made = await createToken(db, { teamId: member.teamId, userId, name, siteIds: null, expiresAt: null })
  return { teamId: member.teamId, userId, token: made.token }
}

describe('making a token', () => {
  test('shows it once, and it works', async () => {
    const owner = await api.member()
    const site = await createSite(owner)
    const expiresAt = IN_AN_HOUR().toISOString()
    const made = await create(owner.token, {
      name: 'CI',
      site_ids: [site.toUpperCase(), site],
      expires_at: expiresAt,
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'CI',
      token: expect.stringMatching(/^wa_[0-9A-Za-z]{36}$/),
      site_ids: [site],
      expires_at: expiresAt,
      last_used_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })
    expect((await api.call('GET', `/api/sites/${site}`, { token: made.body.token })).status).toBe(200)
    expect(JSON.stringify(await list(owner.token))).not.toContain('wa_')
  })

  test('takes only a name: it then reaches what the caller reaches, for ever', async () => {
    const owner = await api.member()
    expect((await create(owner.token, { name: 'all' })).body).toMatchObject({
      site_ids: null,
      expires_at: null,
    })
    const nulls = { name: 'nulls', site_ids: null, expires_at: null }
    expect((await create(owner.token, nulls)).body).toMatchObject({ site_ids: null, expires_at: null })
  })

  test('gives it the role of whoever makes it', async () => {
    const owner = await api.member()
    const site = await createSite(owner)
    const member = await colleague(owner, 'member')
    const { token } = (await create(member.token, { name: 'mine' })).body
    expect((await api.call('DELETE', `/api/sites/${site}`, { token })).status).toBe(403)
  })

  test.each([
    [{}, 'name', 'is required'],
    [{ name: '' }, 'name', 'is required'],
    [{ name: 5 }, 'name', 'must be a string'],
    [{ name: '🐱'.repeat(256) }, 'name', 'must be at most 255 characters'],
    [{ name: 'x', site_ids: [] }, 'site_ids', 'must have at least 1 entries'],
    [{ name: 'x', site_ids: 'x' }, 'site_ids', 'must be an array'],
    [{ name: 'x', site_ids: ['x'] }, 'site_ids.0', 'must be a UUID'],
    [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at', 'must be an ISO 8601 date-time with its offset'],
    [
      { name: 'x', expires_at: '2099-02-30T00:00:00Z' },
      'expires_at',
      'must be an ISO 8601 date-time with its offset',
    ],
    [{ name: 'x', expires_at: 1 }, 'expires_at', 'must be a string'],
    [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'expires_at must be in the future'],
  ])('refuses %j', async (body, field, problem) => {
    const { token } = await api.member()
    const answer = await create(token, body)
    expect(answer.status).toBe(422)
    expect(answer.body.errors[field]).toContain(problem)
    expect(await list(token)).toHaveLength(1)
  })

  test('counts characters, not their bytes', async () => {
    const { token } = await api.member()
    expect((await create(token, { name: '🐱'.repeat(255) })).status).toBe(201)
  })
})

describe('a token is never wider than the one that makes it', () => {
  test('in its sites', async () => {
    const owner = await api.member()
    const [a, b, c] = [await createSite(owner), await createSite(owner), await createSite(owner)]
    const foreign = await createSite(await api.member())
    const limited = await api.token(owner, { siteIds: [a, b] })
    expect((await create(limited, { name: 'same' })).body.site_ids).toEqual([a, b])
    expect((await create(limited, { name: 'null', site_ids: null })).body.site_ids).toEqual([a, b])
    expect((await create(limited, { name: 'less', site_ids: [b] })).body.site_ids).toEqual([b])
    const answers = []
    for (const outside of [c, foreign, randomUUID()]) {
      for (const token of [limited, ...(outside === c ? [] : [owner.token])]) {
        const { status, body } = await create(token, { name: 'wider', site_ids: [a, outside] })
        answers.push({ status, ...body, request_id: '' })
      }
    }
    // One answer for a site outside, another team's and none at all.
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 404, code: 'not_found' })
    expect(await namesIn(owner.token)).not.toContain('wider')
  })

  test('also when one of its sites was deleted', async () => {
    const owner = await api.member()
    const [a, b] = [await createSite(owner), await createSite(owner)]
    const limited = await api.token(owner, { siteIds: [a, b] })
    await api.call('DELETE', `/api/sites/${a}`, { token: owner.token })
    const made = await create(limited, { name: 'rest' })
    expect(made.body.site_ids).toEqual([a, b])
    expect((await create(limited, { name: 'gone', site_ids: [a] })).status).toBe(404)
  })

  test('in its time', async () => {
    const owner = await api.member()
    const expiresAt = IN_AN_HOUR()
    const passing = await api.token(owner, { expiresAt })
    expect((await create(passing, { name: 'same' })).body.expires_at).toBe(expiresAt.toISOString())
    const sooner = new Date(expiresAt.getTime() - 1000).toISOString()
    expect((await create(passing, { name: 'sooner', expires_at: sooner })).body.expires_at).toBe(sooner)
    const later = new Date(expiresAt.getTime() + 1).toISOString()
    expect((await create(passing, { name: 'later', expires_at: later })).status).toBe(422)
  })
})

describe('who sees and revokes which tokens', () => {
  test('owners and admins the team’s, members their own, nobody another team’s', async () => {
    const owner = await api.member()
    const admin = await colleague(owner, 'admin')
    const member = await colleague(owner, 'member')
    const other = await colleague(owner, 'member', 'other')
    const stranger = await api.member()
    const all = ['admin', 'member', 'other', 'test']
    expect(await namesIn(owner.token)).toEqual(all)
    expect(await namesIn(admin.token)).toEqual(all)
    expect(await namesIn(member.token)).toEqual(['member'])
    expect(await namesIn(stranger.token)).toEqual(['test'])

    const ids = new Map(
      (await list(owner.token)).map((each: { id: string; name: string }) => [each.name, each.id]),
    )
    const idOf = (name: string) => ids.get(name) as string
    expect(await revoke(member.token, idOf('other'))).toBe(404)
    expect(await revoke(member.token, idOf('test'))).toBe(404)
    expect(await revoke(stranger.token, idOf('other'))).toBe(404)
    expect(await revoke(admin.token, idOf('other'))).toBe(204)
    expect((await api.call('GET', '/api/sites', { token: other.token })).status).toBe(401)
    expect(await revoke(admin.token, idOf('other'))).toBe(404)
    expect(await revoke(member.token, idOf('member'))).toBe(204)
    expect((await api.call('GET', '/api/tokens', { token: member.token })).status).toBe(401)
  })

  test('a token that is limited to sites: those within its sites', async () => {
    const owner = await api.member()
    const [a, b] = [await createSite(owner), await createSite(owner)]
    const within = await create(owner.token, { name: 'within', site_ids: [a] })
    const across = await create(owner.token, { name: 'across', site_ids: [a, b] })
    const beside = await create(owner.token, { name: 'beside', site_ids: [b] })
    const limited = (await create(owner.token, { name: 'limited', site_ids: [a] })).body.token
    expect(await namesIn(limited)).toEqual(['limited', 'within'])
    const [unlimited] = (await list(owner.token)).filter((each: { name: string }) => each.name === 'test')
    for (const id of [across.body.id, beside.body.id, unlimited.id])
      expect(await revoke(limited, id)).toBe(404)
    expect(await revoke(limited, within.body.id)).toBe(204)
  })

  test.each(['nonsense', '%00', randomUUID(), '1'])('there is no token %s', async id => {
    const { token } = await api.member()
    expect(await revoke(token, id)).toBe(404)
  })

  test('the newest come first, with when they were used', async () => {
    const owner = await api.member()
    for (const name of ['first', 'second']) await create(owner.token, { name })
    const tokens = await list(owner.token)
    expect(tokens.map((each: { name: string }) => each.name)).toEqual(['second', 'first', 'test'])
    expect(tokens.map((each: { last_used_at: string | null }) => each.last_used_at !== null)).toEqual([
      false,
      false,
      true,
    ])
    expect(Object.keys(tokens[0])).toEqual([
      'id',
      'name',
      'site_ids',
      'expires_at',
      'last_used_at',
      'created_at',
    ])
  })
})
