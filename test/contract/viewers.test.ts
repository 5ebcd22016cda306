import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/http/api/routes.ts'
import { createUser } from '../../src/teams/accounts.ts'
import type { Role } from '../../src/teams/schema.ts'
import { createToken } from '../../src/teams/tokens.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
let siteId: string
let tokens: Record<'member' | 'viewer', string>

beforeAll(async () => {
  api = await startApi()
  api.services.config.limits.api = 0
  const owner = await api.member()
  const made = await api.call('POST', '/api/sites', { token: owner.token, body: { domain: 'example.com' } })
  siteId = made.body.id
  tokens = {
    member: await tokenOf(owner.teamId, 'member'),
    viewer: await tokenOf(owner.teamId, 'viewer'),
  }
})
afterAll(() => api.close())

async function tokenOf(teamId: string, role: Role): Promise<string> {
  const userId = await createUser(api.services.db, { teamId, email: `${role}@example.com`, role })
  const options = { teamId, userId, name: role, siteIds: null, expiresAt: null }
  return (await createToken(api.services.db, options, new Date())).token
}

const call = (method: string, path: string, role: 'member' | 'viewer') =>
  api.call(method.toUpperCase(), path.replace(':siteKey', siteId).replace(/:\w+/g, ABSENT), {
    token: tokens[role],
    ...(method !== 'get' && { body: {} }),
  })

const ABSENT = randomUUID()

describe('viewers', () => {
  test.each(
    routes
      .filter(({ type, isOpen }) => type === 'mutation' && !isOpen)
      .map(({ method, path }) => [method, path]),
  )('%s %s is refused to a viewer', async (method, path) => {
    expect((await call(method, path, 'viewer')).status).toBe(403)
  })

  test.each(
    routes
      .filter(({ procedure, type }) => type === 'query' && procedure !== 'shares.list')
      .map(({ path }) => [path]),
  )('get %s answers a viewer as it answers a member', async path => {
    const [viewer, member] = [await call('get', path, 'viewer'), await call('get', path, 'member')]
    expect(viewer.status).toBe(member.status)
    expect(viewer.body?.code).toBe(member.body?.code)
  })

  test('a goal that exists is neither replaced nor deleted by a viewer', async () => {
    const body = { match_type: 'event', match_value: 'signup' }
    const made = await api.call('POST', `/api/sites/${siteId}/goals`, { token: tokens.member, body })
    expect(made.status).toBe(201)
    const path = `/api/sites/${siteId}/goals/${made.body.id}`
    for (const method of ['PATCH', 'DELETE']) {
      expect((await api.call(method, path, { token: tokens.viewer, body })).status).toBe(403)
    }
    const listed = await api.call('GET', `/api/sites/${siteId}/goals`, { token: tokens.viewer })
    expect(listed.body.data).toEqual([made.body])
  })

  test('a viewer does not see the shares of a site', async () => {
    const path = '/api/sites/:siteKey/shares'
    expect((await call('get', path, 'member')).status).toBe(200)
    expect((await call('get', path, 'viewer')).status).toBe(403)
  })

  test('a viewer sees only their own tokens', async () => {
    const { body } = await api.call('GET', '/api/tokens', { token: tokens.viewer })
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['viewer'])
  })
})
