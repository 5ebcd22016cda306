import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Role } from '../../../src/access/teams/caller.ts'
import type { Member } from '../../support/api.ts'
import { useApi } from './use-api.ts'

const api = useApi()

const IN_AN_HOUR = () => new Date(Date.now() + 3_600_000)
const create = (token: string, body: unknown) => api.call('POST', '/api/tokens', { token, body })
type Listed = { id: string; name: string; created_by: string | null; last_used_at: string | null }
const list = async (token: string): Promise<Listed[]> =>
  (await api.call('GET', '/api/tokens', { token })).body
const idsIn = async (token: string): Promise<Record<string, string>> =>
  Object.fromEntries((await list(token)).map(({ name, id }) => [name, id]))
const namesIn = async (token: string) => (await list(token)).map(({ name }) => name).sort()
const revoke = async (token: string, id: string) =>
  (await api.call('DELETE', `/api/tokens/${id}`, { token })).status

const createSite = async (member: Member) => (await api.site(member)).id
/** Another person of the team, with a token. */
const colleague = ({ teamId }: Member, role: Role, name: string = role) => api.member({ teamId, role, name })

test('tokens, creation: the token is shown once, and it works', async () => {
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
    scopes: ['read', 'write', 'ingest'],
    expires_at: expiresAt,
    last_used_at: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  })
  expect((await api.call('GET', `/api/sites/${site}`, { token: made.body.token })).status).toBe(200)
  expect(JSON.stringify(await list(owner.token))).not.toContain('wa_')
})

test('tokens, creation: with a name alone, the token has the access and the role of its maker, and never expires', async () => {
  const owner = await api.member()
  const unlimited = { site_ids: null, expires_at: null }
  for (const fields of [{}, unlimited])
    expect((await create(owner.token, { name: 'all', ...fields })).body).toMatchObject(unlimited)
  const site = await createSite(owner)
  const { token } = await make((await colleague(owner, 'member')).token, 'mine')
  expect((await api.call('DELETE', `/api/sites/${site}`, { token })).status).toBe(403)
})

test('tokens, creation: what is no name, site or time to come is refused; a name counts in characters', async () => {
  const { token } = await api.member()
  const noTime = 'must be an ISO 8601 date-time with its offset'
  for (const [body, field, problem] of [
    [{}, 'name', 'is required'],
    [{ name: '' }, 'name', 'must not be empty'],
    [{ name: 5 }, 'name', 'must be a string'],
    [{ name: '🐱'.repeat(256) }, 'name', 'must be at most 255 characters'],
    [{ name: 'x', site_ids: [] }, 'site_ids', 'must have at least 1 entries'],
    [{ name: 'x', site_ids: 'x' }, 'site_ids', 'must be an array'],
    [{ name: 'x', site_ids: ['x'] }, 'site_ids.0', 'must be a UUID'],
    [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at', noTime],
    [{ name: 'x', expires_at: '2099-02-30T00:00:00Z' }, 'expires_at', noTime],
    [{ name: 'x', expires_at: 1 }, 'expires_at', 'must be a string'],
    [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'expires_at must be in the future'],
  ] as const) {
    const { status, body: answer } = await create(token, body)
    expect([body, status, answer.errors[field]]).toEqual([body, 422, expect.arrayContaining([problem])])
  }
  expect(await list(token)).toHaveLength(1)
  expect((await create(token, { name: '🐱'.repeat(255) })).status).toBe(201)
})

test('tokens, a token has no more access than its maker: the sites of a token are among those of the token that makes it', async () => {
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
  // Also when one was deleted.
  await api.call('DELETE', `/api/sites/${a}`, { token: owner.token })
  expect((await create(limited, { name: 'rest' })).body.site_ids).toEqual([a, b])
  expect((await create(limited, { name: 'gone', site_ids: [a] })).status).toBe(404)
})

test('tokens, a token has no more access than its maker: a token expires no later than the token that makes it', async () => {
  const owner = await api.member()
  const expiresAt = IN_AN_HOUR()
  const passing = await api.token(owner, { expiresAt })
  const ask = (expires_at?: string) => create(passing, { name: 'x', expires_at })
  const later = (ms: number) => new Date(expiresAt.getTime() + ms).toISOString()
  expect((await ask()).body.expires_at).toBe(later(0))
  expect((await ask(later(-1000))).body.expires_at).toBe(later(-1000))
  expect((await ask(later(1))).status).toBe(422)
})

test('tokens, listing and revocation: owners and admins see, rename and revoke the tokens of the team, members their own; other teams none of them', async () => {
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

  const ids = await idsIn(owner.token)
  for (const [token, id] of [
    [member.token, ids.other!],
    [member.token, ids.test!],
    [stranger.token, ids.other!],
  ] as const)
    expect([(await rename(token, id, 'x')).status, await revoke(token, id)]).toEqual([404, 404])
  for (const { token } of [owner, admin, member]) {
    const name = `by ${token.slice(-4)}`
    const { status, body } = await rename(token, ids.member!, name)
    expect([status, body]).toMatchObject([200, { id: ids.member, name, user_id: member.userId }])
    expect(body).not.toHaveProperty('token')
  }
  expect((await api.call('GET', '/api/sites', { token: member.token })).status).toBe(200)
  expect(await revoke(admin.token, ids.other!)).toBe(204)
  expect((await api.call('GET', '/api/sites', { token: other.token })).status).toBe(401)
  for (const id of [ids.other!, 'nonsense', '%00', randomUUID(), '1'])
    expect(await revoke(admin.token, id)).toBe(404)
  expect(await revoke(member.token, ids.member!)).toBe(204)
  expect((await api.call('GET', '/api/tokens', { token: member.token })).status).toBe(401)
})

test('tokens, listing and revocation: a limited token sees, renames and revokes only tokens within its sites', async () => {
  const owner = await api.member()
  const [a, b] = [await createSite(owner), await createSite(owner)]
  for (const [name, site_ids] of Object.entries({ within: [a], across: [a, b], beside: [b] }))
    await make(owner.token, name, { site_ids })
  const limited = (await make(owner.token, 'limited', { site_ids: [a] })).token
  expect(await namesIn(limited)).toEqual(['limited', 'within'])
  const { within, ...others } = await idsIn(owner.token)
  for (const name of ['across', 'beside', 'test']) {
    expect((await rename(limited, others[name]!, 'x')).status).toBe(404)
    expect(await revoke(limited, others[name]!)).toBe(404)
  }
  expect((await rename(limited, within!, 'x')).status).toBe(200)
  expect(await revoke(limited, within!)).toBe(204)
})

/** A token that the given one makes. */
async function make(token: string, name: string, more: object = {}): Promise<{ id: string; token: string }> {
  const { status, body } = await create(token, { name, ...more })
  expect([name, status]).toEqual([name, 201])
  return body
}

const rename = (token: string, id: string, name: unknown) =>
  api.call('PATCH', `/api/tokens/${id}`, { token, body: { name } })

const revokeAll = (token: string, id: string, how: { query?: string; body?: unknown }) =>
  api.call('DELETE', `/api/tokens/${id}${how.query ?? ''}`, { token, body: how.body })

test('tokens, makers and cascades: the list is sorted newest first, with the last use and the maker, also after that one is revoked', async () => {
  const owner = await api.member()
  const maker = await make(owner.token, 'maker')
  await make(maker.token, 'made')
  const tokens = await list(owner.token)
  const times = ['expires_at', 'last_used_at', 'created_at']
  const makers = ['created_by', 'user_id', 'user_email']
  expect(Object.keys(tokens[0]!)).toEqual(['id', 'name', 'site_ids', 'scopes', ...times, ...makers])
  const { test: ofCommandLine } = await idsIn(owner.token)
  const shown = tokens.map(each => [each.name, each.created_by, each.last_used_at !== null])
  expect(shown).toEqual([
    ['made', maker.id, false],
    ['maker', ofCommandLine, true],
    ['test', null, true],
  ])
  expect(await revoke(owner.token, maker.id)).toBe(204)
  expect((await list(owner.token))[0]).toMatchObject({ name: 'made', created_by: maker.id })
})

test('tokens, makers and cascades: a cascade revokes the whole tree, also below a token that was revoked before', async () => {
  const owner = await api.member()
  const root = await make(owner.token, 'root')
  const [left, right] = [await make(root.token, 'left'), await make(root.token, 'right')]
  const leaf = await make(left.token, 'leaf')
  await make(leaf.token, 'leaf of leaf')
  await make(right.token, 'leaf of right')
  // A thief who covers the tracks: what the tokens between have made stays in the tree.
  expect(await revoke(left.token, left.id)).toBe(204)
  expect(await revoke(leaf.token, leaf.id)).toBe(204)
  expect((await revokeAll(owner.token, root.id, { body: { cascade: true } })).status).toBe(204)
  expect(await namesIn(owner.token)).toEqual(['test'])
  expect((await api.call('GET', '/api/sites', { token: right.token })).status).toBe(401)
})

test('tokens, makers and cascades: a cascade needs the right to revoke the token, and can include the token of the request', async () => {
  const owner = await api.member()
  const member = await colleague(owner, 'member')
  const stranger = await api.member()
  const mine = await make(member.token, 'mine')
  const [site] = [await createSite(owner)]
  const limited = await make(owner.token, 'limited', { site_ids: [site] })
  await make(limited.token, 'below limited')
  const all = { query: '?cascade=true' }
  const { test: ownersToken } = await idsIn(owner.token)
  for (const [token, id] of [
    [stranger.token, mine.id],
    [member.token, limited.id],
    [limited.token, ownersToken!],
    [limited.token, mine.id],
  ] as const) {
    expect((await revokeAll(token, id, all)).status).toBe(404)
  }
  expect((await revokeAll(limited.token, limited.id, all)).status).toBe(204)
  expect(await namesIn(owner.token)).toEqual(['member', 'mine', 'test'])
})

test('tokens, makers and cascades: revoking a token keeps the tokens that it made, unless it cascades, which is true or false', async () => {
  const owner = await api.member()
  const leaked = await make(owner.token, 'leaked')
  const child = await make(leaked.token, 'child')
  await make(child.token, 'grandchild')
  await make(owner.token, 'sibling')
  expect(await revoke(owner.token, leaked.id)).toBe(204)
  for (const how of [
    { query: '?cascade=yes' },
    { query: '?cascade=true&cascade=true' },
    { body: { cascade: 1 } },
    { body: { cascade: null } },
  ]) {
    const { status, body } = await revokeAll(owner.token, child.id, how)
    expect([how, status, body.errors]).toEqual([how, 422, { cascade: ['must be true or false'] }])
  }
  expect(await namesIn(owner.token)).toEqual(['child', 'grandchild', 'sibling', 'test'])
  expect((await revokeAll(owner.token, child.id, { query: '?cascade=true' })).status).toBe(204)
  expect(await namesIn(owner.token)).toEqual(['sibling', 'test'])
})

test('tokens, makers and cascades: a token that is made during the cascade of its maker is revoked or refused', async () => {
  const owner = await api.member()
  const leaked = await make(owner.token, 'leaked')
  const made = Array.from({ length: 8 }, (_, index) => create(leaked.token, { name: `made ${index}` }))
  const revoking = revokeAll(owner.token, leaked.id, { query: '?cascade=true' })
  const [revoked, ...answers] = await Promise.all([revoking, ...made])
  expect(revoked.status).toBe(204)
  for (const { status } of answers) expect([201, 401]).toContain(status)
  expect(await namesIn(owner.token)).toEqual(['test'])
})

const message = 'The user has 50 tokens that work, as many as one may have: revoke one that is not needed'

test('tokens, a user has at most 50 valid tokens: concurrent requests with different tokens do not exceed the maximum', async () => {
  const owner = await api.member()
  const tokens = [owner.token, await api.token(owner, {}), await api.token(owner, {})]
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => create(tokens[index % 3]!, { name: `made ${index}` })),
  )
  const refused = answers.filter(answer => answer.status !== 201)
  expect(answers.length - refused.length).toBe(50 - tokens.length)
  for (const answer of refused)
    expect([answer.status, answer.body]).toMatchObject([403, { code: 'forbidden', message }])
  expect(await list(owner.token)).toHaveLength(50)
  // Nobody else is held up, and a token that is revoked makes room.
  expect((await create((await colleague(owner, 'admin')).token, { name: 'of another' })).status).toBe(201)
  const newest = (await list(owner.token)).find(({ name }) => name.startsWith('made'))!
  expect(await revoke(owner.token, newest.id)).toBe(204)
  expect((await create(owner.token, { name: 'again' })).status).toBe(201)
  // The ceiling is looked at before the body.
  expect((await create(owner.token, {})).status).toBe(403)
})

test('tokens, a user has at most 50 valid tokens: expired tokens do not count; the 50 that expired last are kept', async () => {
  const owner = await api.member()
  const { db } = api.services
  await db`
    insert into tokens (team_id, user_id, name, hash, expires_at)
    select ${owner.teamId}, ${owner.userId}, 'expired ' || number, sha256(('x' || number || ${owner.userId})::bytea),
      now() - number * interval '1 hour'
    from generate_series(1, 70) as number`
  expect(await list(owner.token)).toHaveLength(71)
  expect((await create(owner.token, { name: 'new' })).status).toBe(201)
  const names = await namesIn(owner.token)
  expect(names).toHaveLength(52)
  expect(names).toContain('expired 50')
  expect(names).not.toContain('expired 51')
})

test('tokens, renaming: what is no name is refused', async () => {
  const owner = await api.member()
  const made = await make(owner.token, 'before')
  for (const name of [undefined, null, '', 5, [], 'x'.repeat(256)])
    expect((await rename(owner.token, made.id, name)).status).toBe(422)
  expect(await namesIn(owner.token)).toEqual(['before', 'test'])
})
