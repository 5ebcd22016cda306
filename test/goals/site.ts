import { randomUUID } from 'node:crypto'
import type { Api, Member } from '../support/api.ts'

/** Creates a site, and returns functions that manage its goals. */
export async function goalSite(api: Api, member: Member) {
  const domain = `${randomUUID()}.example`
  const made = await api.call('POST', '/api/sites', { token: member.token, body: { domain } })
  const path = `/api/sites/${made.body.id}/goals`
  const call = (method: string, rest: string, body?: unknown) =>
    api.call(method, path + rest, { token: member.token, body })
  return {
    id: made.body.id as string,
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
