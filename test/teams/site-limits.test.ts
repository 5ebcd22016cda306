import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/http/api/routes.ts'
import { type Answer, type Api, startApi } from '../support/api.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { siteOf, type Teammate, teammate, tokenOf } from '../support/teammates.ts'

let api: Api
let owner: Teammate
let own: string
let other: string
/** A member who is limited to `own`, with a token that has no limit of its own. */
let limited: Teammate
let token: string

beforeAll(async () => {
  api = await startApi()
  api.services.rollups = inProcessPool(api.services.db)
  owner = await teammate(api)
  own = await siteOf(api, owner.teamId)
  other = await siteOf(api, owner.teamId)
  limited = await teammate(api, { teamId: owner.teamId, role: 'member', siteIds: [own] })
  token = await tokenOf(api, limited)
})
afterAll(() => api.close())

const ways: Record<string, (method: string, path: string, body?: unknown) => Promise<Answer>> = {
  browser: (method, path, body) => limited.ask(method, path, body),
  token: (method, path, body) => api.call(method, path, { token, body }),
}
const onSites = routes.filter(({ path }) => path.startsWith('/api/sites/:siteKey'))

describe.each(Object.keys(ways))('a user who is limited to sites, with a %s', way => {
  const ask = ways[way]!

  test.each(onSites.map(({ method, path }) => [method, path]))(
    '%s %s knows no other site of the team',
    async (method, path) => {
      const url = path.replace(':siteKey', other).replace(/:\w+/g, '00000000-0000-4000-8000-000000000000')
      const answer = await ask(method.toUpperCase(), url, method === 'get' ? undefined : {})
      expect(answer.status).toBe(404)
      expect(answer.body.message).toBe('No such site')
    },
  )

  test('lists and reads only their sites, by id and by domain', async () => {
    const { body } = await ask('GET', '/api/sites')
    expect(body.map(({ id }: { id: string }) => id)).toEqual([own])
    expect((await ask('GET', `/api/sites/${own}/overview`)).status).toBe(200)
    const all = await owner.ask('GET', '/api/sites')
    const { domain } = all.body.find(({ id }: { id: string }) => id === other)
    expect((await ask('GET', `/api/sites/${domain}`)).status).toBe(404)
  })

  test('creates no site', async () => {
    expect((await ask('POST', '/api/sites', { domain: 'new.example' })).status).toBe(403)
  })

  test('makes tokens only for their sites', async () => {
    expect((await ask('POST', '/api/tokens', { name: 'x', site_ids: [other] })).status).toBe(404)
    expect((await ask('POST', '/api/tokens', { name: 'x', site_ids: [own, other] })).status).toBe(404)
    const made = await ask('POST', '/api/tokens', { name: 'x', site_ids: [own] })
    expect(made.body.site_ids).toEqual([own])
    await ask('DELETE', `/api/tokens/${made.body.id}`)
  })

  test('sees, renames and revokes their own tokens, those without a limit too', async () => {
    const made = (await ask('POST', '/api/tokens', { name: 'mine' })).body
    expect(made.site_ids).toBeNull()
    const listed = (await ask('GET', '/api/tokens')).body
    expect(listed.map(({ id }: { id: string }) => id)).toContain(made.id)
    expect(new Set(listed.map((each: { user_email: string }) => each.user_email))).toEqual(
      new Set([limited.email]),
    )
    expect((await ask('PATCH', `/api/tokens/${made.id}`, { name: 'renamed' })).body.name).toBe('renamed')
    expect((await api.call('GET', `/api/sites/${other}`, { token: made.token })).status).toBe(404)
    expect((await ask('DELETE', `/api/tokens/${made.id}`)).status).toBe(204)
  })
})

test('a limit of the user and one of the token: the sites in both', async () => {
  const third = await siteOf(api, owner.teamId)
  const person = await teammate(api, { teamId: owner.teamId, role: 'viewer', siteIds: [own, third] })
  const both = await tokenOf(api, person, [own, other])
  const statuses = await Promise.all(
    [own, other, third].map(async id => (await api.call('GET', `/api/sites/${id}`, { token: both })).status),
  )
  expect(statuses).toEqual([200, 404, 404])
})

test('a new limit counts for tokens that exist', async () => {
  const person = await teammate(api, { teamId: owner.teamId, role: 'member' })
  const existing = await tokenOf(api, person)
  expect((await api.call('GET', `/api/sites/${other}`, { token: existing })).status).toBe(200)
  await owner.ask('PATCH', `/api/users/${person.userId}`, { site_ids: [own] })
  expect((await api.call('GET', `/api/sites/${other}`, { token: existing })).status).toBe(404)
  expect((await api.call('GET', `/api/sites/${own}`, { token: existing })).status).toBe(200)
})

test('a limit whose sites are all deleted leaves nothing, not everything', async () => {
  const gone = await siteOf(api, owner.teamId)
  const person = await teammate(api, { teamId: owner.teamId, role: 'member', siteIds: [gone] })
  await owner.ask('DELETE', `/api/sites/${gone}`)
  expect((await person.ask('GET', '/api/sites')).body).toEqual([])
  expect((await person.ask('GET', `/api/sites/${own}`)).status).toBe(404)
})
