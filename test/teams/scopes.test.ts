import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/http/api/routes.ts'
import { SCOPES, type Scope } from '../../src/teams/schema.ts'
import { createToken } from '../../src/teams/tokens.ts'
import { type Api, startApi } from '../support/api.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { siteOf, type Teammate, teammate } from '../support/teammates.ts'

let api: Api
let owner: Teammate
let siteId: string
const tokens = {} as Record<Scope, string>

beforeAll(async () => {
  api = await startApi()
  api.services.rollups = inProcessPool(api.services.db)
  owner = await teammate(api)
  siteId = await siteOf(api, owner.teamId)
  for (const scope of SCOPES) tokens[scope] = await tokenWith([scope])
})
afterAll(() => api.close())

async function tokenWith(scopes: Scope[]): Promise<string> {
  const { teamId, userId } = owner
  const options = { teamId, userId, name: scopes.join(), siteIds: null, expiresAt: null, scopes }
  return (await createToken(api.services.db, options, new Date())).token
}

const scoped = routes.filter(({ isScoped }) => isScoped)

describe('scopes: a token without the scope is refused, on every endpoint', () => {
  test.each(scoped.map(route => [route.method, route.path, route] as const))(
    '%s %s',
    async (method, path, { type, scope }) => {
      const allowed: Scope[] =
        type === 'query' ? ['read'] : scope === 'ingest' ? ['write', 'ingest'] : ['write']
      const url = path.replace(':siteKey', siteId).replace(/:\w+/g, '00000000-0000-4000-8000-000000000000')
      for (const each of SCOPES.filter(one => !allowed.includes(one))) {
        const body = method === 'get' ? undefined : {}
        const answer = await api.call(method.toUpperCase(), url, { token: tokens[each], body })
        expect([each, answer.status]).toEqual([each, 403])
        expect(answer.body.message).toMatch(/^The token does not have the scope (read|write)$|ingest$/)
      }
    },
  )

  test('every endpoint that is neither open nor of a person alone has a scope', () => {
    const others = routes.filter(({ isScoped, isOpen, isPersonal }) => !isScoped && !isOpen && !isPersonal)
    expect(others.map(({ procedure }) => procedure)).toEqual([])
  })
})

describe('scopes: a token never gives a wider scope than its own', () => {
  const make = (token: string, scopes: unknown) =>
    api.call('POST', '/api/tokens', { token, body: { name: 'x', scopes } })

  test.each([
    [['write'], ['read'], 422],
    [['write'], ['write', 'ingest'], 422],
    [['write'], ['write'], 201],
    [['read', 'write'], ['read'], 201],
    [['read', 'write'], ['read', 'write', 'ingest'], 422],
    [['read', 'write', 'ingest'], ['ingest'], 201],
    [['read'], ['read'], 403],
    [['ingest'], ['ingest'], 403],
  ] as [Scope[], Scope[], number][])('%j makes %j: %i', async (own, wanted, status) => {
    const made = await make(await tokenWith(own), wanted)
    expect(made.status).toBe(status)
    if (status === 201) expect(made.body.scopes).toEqual(wanted)
    if (status === 422) expect(Object.keys(made.body.errors)).toEqual(['scopes'])
  })

  test.each([undefined, null])('scopes that are %j are those of the token that makes it', async scopes => {
    const made = await make(await tokenWith(['read', 'write']), scopes)
    expect(made.body.scopes).toEqual(['read', 'write'])
    expect((await make(made.body.token, ['ingest'])).status).toBe(422)
  })

  test('a browser gives any scope', async () => {
    const made = await owner.ask('POST', '/api/tokens', { name: 'x', scopes: ['ingest', 'read', 'read'] })
    expect(made.body.scopes).toEqual(['read', 'ingest'])
  })

  test.each([[[]], ['read'], [['admin']], [[5]], [{}], [['read', 'write', 'ingest', 'read']]])(
    'scopes that are %j are refused',
    async scopes => {
      expect((await owner.ask('POST', '/api/tokens', { name: 'x', scopes })).status).toBe(422)
    },
  )

  test('a token does not rename itself into another scope, and renames need write', async () => {
    const made = (await owner.ask('POST', '/api/tokens', { name: 'x', scopes: ['read'] })).body
    const path = `/api/tokens/${made.id}`
    expect((await api.call('PATCH', path, { token: made.token, body: { name: 'y' } })).status).toBe(403)
    const renamed = await owner.ask('PATCH', path, { name: 'y', scopes: ['write'] })
    expect(renamed.body).toMatchObject({ name: 'y', scopes: ['read'] })
  })
})
