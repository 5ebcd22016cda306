import { beforeAll, expect, test } from 'vitest'
import type { Answer } from '../../support/api.ts'
import { siteOf, type Teammate, teammate } from '../../support/teammates.ts'
import { useApi } from './use-api.ts'

let owner: Teammate
let own: string
let other: string
/** A member who is limited to `own`, with a token that has no limit of its own. */
let limited: Teammate
let token: string

const api = useApi()
beforeAll(async () => {
  owner = await teammate(api)
  own = await siteOf(api, owner.teamId)
  other = await siteOf(api, owner.teamId)
  limited = await teammate(api, { teamId: owner.teamId, role: 'member', siteIds: [own] })
  token = await api.token(limited)
})

const ways: [string, (method: string, path: string, body?: unknown) => Promise<Answer>][] = [
  ['browser', (method, path, body) => limited.ask(method, path, body)],
  ['token', (method, path, body) => api.call(method, path, { token, body })],
]
const statusOf = async (site: string, token: string) =>
  (await api.call('GET', `/api/sites/${site}`, { token })).status

test.each(ways)(
  'a user who is limited to sites reads no other with a %s, and creates none',
  async (_, ask) => {
    const { body } = await ask('GET', '/api/sites')
    expect(body.map(({ id }: { id: string }) => id)).toEqual([own])
    expect((await ask('GET', `/api/sites/${own}/overview`)).status).toBe(200)
    const { domain } = (await owner.ask('GET', `/api/sites/${other}`)).body
    for (const key of [other, domain]) {
      const { status, body } = await ask('GET', `/api/sites/${key}/overview`)
      expect([status, body.message]).toEqual([404, 'No such site'])
    }
    expect((await ask('POST', '/api/sites', { domain: 'new.example' })).status).toBe(403)
  },
)

test.each(ways)(
  'a user who is limited to sites makes, renames and revokes own tokens with a %s',
  async (_, ask) => {
    const make = (site_ids?: string[]) => ask('POST', '/api/tokens', { name: 'x', site_ids })
    for (const sites of [[other], [own, other]]) expect((await make(sites)).status).toBe(404)
    expect((await make([own])).body.site_ids).toEqual([own])
    const made = (await make()).body
    expect(made.site_ids).toBeNull()
    const listed: { id: string; user_email: string }[] = (await ask('GET', '/api/tokens')).body
    expect(listed.map(({ id }) => id)).toContain(made.id)
    expect(new Set(listed.map(({ user_email }) => user_email))).toEqual(new Set([limited.email]))
    expect((await ask('PATCH', `/api/tokens/${made.id}`, { name: 'renamed' })).body.name).toBe('renamed')
    expect(await statusOf(other, made.token)).toBe(404)
    expect((await ask('DELETE', `/api/tokens/${made.id}`)).status).toBe(204)
  },
)

test('a limit of the user and one of the token: the sites in both', async () => {
  const third = await siteOf(api, owner.teamId)
  const person = await teammate(api, { teamId: owner.teamId, role: 'viewer', siteIds: [own, third] })
  const both = await api.token(person, { siteIds: [own, other] })
  const statuses = await Promise.all([own, other, third].map(id => statusOf(id, both)))
  expect(statuses).toEqual([200, 404, 404])
})

test('a limit whose sites are all deleted leaves nothing, not everything', async () => {
  const gone = await siteOf(api, owner.teamId)
  const person = await teammate(api, { teamId: owner.teamId, role: 'member', siteIds: [gone] })
  await owner.ask('DELETE', `/api/sites/${gone}`)
  expect((await person.ask('GET', '/api/sites')).body).toEqual([])
  expect((await person.ask('GET', `/api/sites/${own}`)).status).toBe(404)
})
