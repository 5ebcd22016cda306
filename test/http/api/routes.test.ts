import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { routes } from '../../../src/http/api/routes.ts'
import { startApi } from '../../support/api.ts'
import { ofFile } from '../../support/of-file.ts'

const api = ofFile(startApi)

const owner = ofFile(() => api.member())
const site = ofFile(() => api.site(owner, { domain: 'example.com' }))

const paths = [...new Set(routes.map(route => route.path))]
const at = (path: string, siteKey: string) =>
  path.replace(':siteKey', siteKey).replace(/:\w+/g, () => randomUUID())

// Which routes there are, in their order, and what each answers to a stranger, stands in test/contract/access.txt; that a site of another
// team is answered like an unknown one, in test/access/sites/sites.test.ts; that each refuses a wrong token, in test/contract/described.test.ts;
// the names of ignored parameters, in test/trpc/endpoint.test.ts.
test('routes: HEAD is answered like GET; what is made answers 201, what has only begun 202, what has no body 204, everything else 200', async () => {
  const withStatus = (status: number) =>
    routes.filter(({ ok }) => ok === status).map(({ method, path }) => `${method} ${path}`)
  const ofSite = (list: string) => list.split(' ').map(name => `post /api/sites/:siteKey/${name}`)
  expect(withStatus(201).sort()).toEqual(
    [
      ...['sites', 'tokens', 'teams', 'invitations', 'account/passkeys'].map(name => `post /api/${name}`),
      ...ofSite('goals segments annotations funnels shares reports payments webhooks alerts imports'),
    ].sort(),
  )
  expect(withStatus(202).sort()).toEqual(
    [
      'delete /api/sites/:siteKey/visitors/:person',
      ...ofSite('processor/import imports/:id/start imports/:id/undo webhooks/:webhook/test'),
      ...ofSite('webhooks/:webhook/deliveries/:delivery/redeliver'),
    ].sort(),
  )
  const isVoid = ({ output }: (typeof routes)[number]) => output._zod.def.type === 'void'
  expect(routes.filter(({ ok }) => ok === 204)).toEqual(routes.filter(isVoid))
  expect(routes.filter(({ method, ok }) => method === 'get' && ok !== 200)).toEqual([])
  const head = await api.call('HEAD', `/api/sites/${site.id}`, { token: owner.token })
  expect([head.status, head.body]).toEqual([200, undefined])
})

test.each(paths)('%s answers OPTIONS with its methods, and every other method with 405', async path => {
  const procedures = routes.filter(route => route.path === path).map(route => route.method.toUpperCase())
  const methods = [...(path === '/api/auth/oidc/start' ? ['GET'] : []), ...procedures]
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(each => !methods.includes(each))) {
    const answer = await api.call(method, at(path, site.id))
    expect(answer.status, method).toBe(405)
    expect(answer.headers.get('allow')).toBe(allow)
    expect(answer.body.code).toBe('method_not_allowed')
  }
  const answer = await api.call('OPTIONS', at(path, site.id))
  expect([answer.status, answer.headers.get('allow')]).toEqual([204, allow])
})
