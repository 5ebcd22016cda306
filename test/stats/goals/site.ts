import type { Role } from '../../../src/access/teams/caller.ts'
import { type Api, type Member, startApi } from '../../support/api.ts'
import { ofFile } from '../../support/of-file.ts'

/** The API of the tests of a file, from before the first to after the last, with a user who makes sites. */
export function useGoals(role: Role) {
  const api = ofFile(startApi)
  const owner = ofFile(() => api.member({ role }))
  return { api, owner, newSite: () => goalSite(api, owner) }
}

/** Creates a site, and returns functions that manage its goals. */
async function goalSite(api: Api, member: Member) {
  const site = await api.site(member)
  const path = `${site.path}/goals`
  const call = (method: string, rest: string, body?: unknown) =>
    api.call(method, path + rest, { token: member.token, body })
  return {
    ...site,
    path,
    list: (query = '') => call('GET', query),
    create: (body: unknown) => call('POST', '', body),
    batch: (body: unknown) => call('POST', '/batch', body),
    update: (id: string, body: unknown) => call('PATCH', `/${id}`, body),
    remove: (id: string) => call('DELETE', `/${id}`),
    setCurrency: (currency: string) =>
      api.call('PATCH', `${site.path}/currency`, { token: member.token, body: { currency } }),
  }
}
