import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import type { Role } from '../../src/teams/schema.ts'
import { type Api, type Member, startApi } from '../support/api.ts'

/** The API of the tests of a file, from before the first to after the last, with a user who makes sites. */
export function useGoals(role: Role) {
  const used = {} as { api: Api; owner: Member }
  beforeAll(async () => {
    used.api = await startApi({ config: { sitesPerTeam: 1_000 } })
    used.owner = await used.api.member({ role })
  })
  afterAll(() => used.api.close())
  return Object.assign(used, { newSite: () => goalSite(used.api, used.owner) })
}

/** Creates a site, and returns functions that manage its goals. */
async function goalSite(api: Api, member: Member) {
  const domain = `${randomUUID()}.example`
  const made = await api.call('POST', '/api/sites', { token: member.token, body: { domain } })
  const path = `/api/sites/${made.body.id}/goals`
  const call = (method: string, rest: string, body?: unknown) =>
    api.call(method, path + rest, { token: member.token, body })
  return {
    id: made.body.id as string,
    domain,
    path,
    async siteNo() {
      const [row] = await api.services.db<{ siteNo: number }[]>`
        select site_no as "siteNo" from sites where id = ${made.body.id}`
      return row!.siteNo
    },
    list: (query = '') => call('GET', query),
    create: (body: unknown) => call('POST', '', body),
    batch: (body: unknown) => call('POST', '/batch', body),
    update: (id: string, body: unknown) => call('PATCH', `/${id}`, body),
    remove: (id: string) => call('DELETE', `/${id}`),
    setCurrency: (currency: string) =>
      api.call('PATCH', `/api/sites/${made.body.id}/currency`, { token: member.token, body: { currency } }),
  }
}
