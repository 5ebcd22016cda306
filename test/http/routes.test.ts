import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/http/api/routes.ts'
import { generateToken } from '../../src/teams/token-format.ts'
import { type Api, type Member, startApi } from '../support/api.ts'

let api: Api
let owner: Member
let stranger: Member
let siteId: string

beforeAll(async () => {
  api = await startApi()
  owner = await api.member()
  stranger = await api.member()
  const made = await api.call('POST', '/api/sites', { token: owner.token, body: { domain: 'example.com' } })
  siteId = made.body.id
})
afterAll(() => api.close())

const paths = [...new Set(routes.map(route => route.path))]
const at = (path: string, siteKey: string) =>
  path.replace(':siteKey', siteKey).replace(/:\w+/g, () => randomUUID())

test('routes: the REST surface matches the snapshot', () => {
  expect(
    routes.map(({ method, path, ok }) => `${method.toUpperCase()} ${path} ${ok}`),
  ).toMatchInlineSnapshot(`
    [
      "GET /api/sites 200",
      "POST /api/sites 201",
      "GET /api/sites/:siteKey 200",
      "DELETE /api/sites/:siteKey 204",
      "PATCH /api/sites/:siteKey/domain 200",
      "PATCH /api/sites/:siteKey/timezone 200",
      "PATCH /api/sites/:siteKey/currency 200",
      "PATCH /api/sites/:siteKey/tracking-mode 200",
      "PATCH /api/sites/:siteKey/sharing 200",
      "PATCH /api/sites/:siteKey/features 200",
      "PATCH /api/sites/:siteKey/retention 200",
      "DELETE /api/sites/:siteKey/history 204",
      "PATCH /api/sites/:siteKey/pin 200",
      "POST /api/sites/:siteKey/check-installation 200",
      "GET /api/sites/:siteKey/identify-secret 200",
      "PUT /api/sites/:siteKey/identify-secret 200",
      "DELETE /api/sites/:siteKey/identify-secret 204",
      "GET /api/sites/:siteKey/stats/live 200",
      "GET /api/sites/:siteKey/overview 200",
      "GET /api/sites/:siteKey/stats/timeseries 200",
      "GET /api/sites/:siteKey/stats/breakdown 200",
      "GET /api/sites/:siteKey/explain 200",
      "GET /api/sites/:siteKey/stats/goals 200",
      "GET /api/sites/:siteKey/stats/goal-preview 200",
      "GET /api/sites/:siteKey/stats/funnel 200",
      "GET /api/sites/:siteKey/stats/funnels/:funnel 200",
      "GET /api/sites/:siteKey/stats/journeys 200",
      "GET /api/sites/:siteKey/stats/retention 200",
      "GET /api/sites/:siteKey/stats/events 200",
      "GET /api/sites/:siteKey/stats/events/timeseries 200",
      "GET /api/sites/:siteKey/stats/events/property-breakdown 200",
      "GET /api/sites/:siteKey/stats/page-titles 200",
      "GET /api/sites/:siteKey/stats/page-titles/timeseries 200",
      "GET /api/sites/:siteKey/stats/filter-values 200",
      "GET /api/sites/:siteKey/stats/errors 200",
      "GET /api/sites/:siteKey/stats/errors/:error 200",
      "GET /api/sites/:siteKey/stats/errors/:error/timeseries 200",
      "GET /api/sites/:siteKey/stats/errors/:error/events 200",
      "GET /api/sites/:siteKey/stats/clicks 200",
      "GET /api/sites/:siteKey/stats/scroll 200",
      "GET /api/sites/:siteKey/stats/money 200",
      "GET /api/sites/:siteKey/stats/money/movements 200",
      "GET /api/sites/:siteKey/stats/money/changes 200",
      "GET /api/sites/:siteKey/stats/money/customers 200",
      "GET /api/sites/:siteKey/stats/money/subscriptions 200",
      "GET /api/sites/:siteKey/stats/money/breakdown 200",
      "GET /api/sites/:siteKey/stats/money/lifetime-value 200",
      "GET /api/sites/:siteKey/stats/sessions 200",
      "GET /api/sites/:siteKey/stats/sessions/:session 200",
      "GET /api/sites/:siteKey/stats/people 200",
      "GET /api/sites/:siteKey/stats/people/:person 200",
      "GET /api/sites/:siteKey/stats/people/:person/timeline 200",
      "GET /api/sites/:siteKey/stats/replays 200",
      "GET /api/sites/:siteKey/stats/replays/:session 200",
      "DELETE /api/sites/:siteKey/stats/replays/:session 204",
      "GET /api/sites/:siteKey/stats/web-vitals 200",
      "GET /api/sites/:siteKey/stats/web-vitals/breakdown 200",
      "GET /api/sites/:siteKey/stats/web-vitals/timeseries 200",
      "GET /api/sites/:siteKey/stats/web-vitals/attribution 200",
      "GET /api/sites/:siteKey/goals 200",
      "POST /api/sites/:siteKey/goals 201",
      "POST /api/sites/:siteKey/goals/batch 200",
      "PATCH /api/sites/:siteKey/goals/:goal 200",
      "DELETE /api/sites/:siteKey/goals/:goal 204",
      "GET /api/sites/:siteKey/segments 200",
      "GET /api/sites/:siteKey/segments/:segment 200",
      "POST /api/sites/:siteKey/segments 201",
      "PATCH /api/sites/:siteKey/segments/:segment 200",
      "DELETE /api/sites/:siteKey/segments/:segment 204",
      "GET /api/sites/:siteKey/annotations 200",
      "POST /api/sites/:siteKey/annotations 201",
      "PATCH /api/sites/:siteKey/annotations/:annotation 200",
      "DELETE /api/sites/:siteKey/annotations/:annotation 204",
      "GET /api/sites/:siteKey/funnels 200",
      "POST /api/sites/:siteKey/funnels 201",
      "GET /api/sites/:siteKey/funnels/:funnel 200",
      "PATCH /api/sites/:siteKey/funnels/:funnel 200",
      "DELETE /api/sites/:siteKey/funnels/:funnel 204",
      "GET /api/sites/:siteKey/shares 200",
      "POST /api/sites/:siteKey/shares 201",
      "PATCH /api/sites/:siteKey/shares/:id 200",
      "DELETE /api/sites/:siteKey/shares/:id 204",
      "POST /api/shares/open 200",
      "GET /api/sites/:siteKey/shared 200",
      "GET /api/sites/:siteKey/reports 200",
      "GET /api/sites/:siteKey/reports/preview 200",
      "POST /api/sites/:siteKey/reports 201",
      "PATCH /api/sites/:siteKey/reports/:id 200",
      "DELETE /api/sites/:siteKey/reports/:id 204",
      "POST /api/sites/:siteKey/reports/:id/test 204",
      "POST /api/reports/look-up 200",
      "POST /api/reports/confirm 200",
      "POST /api/reports/unsubscribe 200",
      "GET /api/sites/:siteKey/payments 200",
      "POST /api/sites/:siteKey/payments 201",
      "DELETE /api/sites/:siteKey/payments 200",
      "GET /api/sites/:siteKey/processor 200",
      "PUT /api/sites/:siteKey/processor 200",
      "DELETE /api/sites/:siteKey/processor 204",
      "POST /api/sites/:siteKey/processor/import 202",
      "GET /api/sites/:siteKey/processor/import 200",
      "GET /api/sites/:siteKey/imported-totals 200",
      "DELETE /api/sites/:siteKey/imported-totals/:import 204",
      "GET /api/sites/:siteKey/webhooks 200",
      "POST /api/sites/:siteKey/webhooks 201",
      "PATCH /api/sites/:siteKey/webhooks/:webhook 200",
      "DELETE /api/sites/:siteKey/webhooks/:webhook 204",
      "POST /api/sites/:siteKey/webhooks/:webhook/secret 200",
      "POST /api/sites/:siteKey/webhooks/:webhook/test 202",
      "GET /api/sites/:siteKey/webhooks/:webhook/deliveries 200",
      "GET /api/sites/:siteKey/webhooks/:webhook/deliveries/:delivery 200",
      "POST /api/sites/:siteKey/webhooks/:webhook/deliveries/:delivery/redeliver 202",
      "GET /api/sites/:siteKey/alerts 200",
      "GET /api/sites/:siteKey/alerts/incidents 200",
      "POST /api/sites/:siteKey/alerts 201",
      "PATCH /api/sites/:siteKey/alerts/:alert 200",
      "DELETE /api/sites/:siteKey/alerts/:alert 204",
      "POST /api/sites/:siteKey/alerts/:alert/test 204",
      "DELETE /api/sites/:siteKey/visitors/:person 202",
      "GET /api/sites/:siteKey/visitors/:person/export 200",
      "GET /api/sites/:siteKey/erasures 200",
      "GET /api/sites/:siteKey/erasures/:id 200",
      "GET /api/sites/:siteKey/import-formats 200",
      "GET /api/sites/:siteKey/imports 200",
      "POST /api/sites/:siteKey/imports 201",
      "GET /api/sites/:siteKey/imports/:id 200",
      "PUT /api/sites/:siteKey/imports/:id/parts/:number 204",
      "POST /api/sites/:siteKey/imports/:id/start 202",
      "POST /api/sites/:siteKey/imports/:id/cancel 200",
      "POST /api/sites/:siteKey/imports/:id/undo 202",
      "GET /api/timezones 200",
      "GET /api/currencies 200",
      "GET /api/tokens 200",
      "POST /api/tokens 201",
      "PATCH /api/tokens/:id 200",
      "DELETE /api/tokens/:id 204",
      "GET /api/team 200",
      "PATCH /api/team 200",
      "DELETE /api/team 204",
      "POST /api/team/leave 204",
      "GET /api/teams 200",
      "POST /api/teams 201",
      "GET /api/users 200",
      "PATCH /api/users/:id 200",
      "DELETE /api/users/:id 204",
      "POST /api/users/:id/transfer 200",
      "GET /api/invitations 200",
      "POST /api/invitations 201",
      "POST /api/invitations/look-up 200",
      "POST /api/invitations/accept 200",
      "POST /api/invitations/:id/resend 200",
      "DELETE /api/invitations/:id 204",
      "GET /api/audit-log 200",
      "GET /api/auth/methods 200",
      "POST /api/auth/login 200",
      "POST /api/auth/logout 204",
      "POST /api/auth/link 200",
      "POST /api/auth/setup 200",
      "POST /api/auth/reset-request 204",
      "POST /api/auth/reset 204",
      "GET /api/account 200",
      "PATCH /api/account 200",
      "PUT /api/account/password 204",
      "POST /api/account/totp/secret 200",
      "POST /api/account/totp 200",
      "DELETE /api/account/totp 204",
      "POST /api/account/recovery-codes 200",
      "GET /api/account/sessions 200",
      "DELETE /api/account/sessions/:id 204",
      "DELETE /api/account/sessions 204",
      "POST /api/auth/passkey/options 200",
      "POST /api/auth/passkey 200",
      "GET /api/account/passkeys 200",
      "POST /api/account/passkeys/options 200",
      "POST /api/account/passkeys 201",
      "DELETE /api/account/passkeys/:id 204",
      "POST /api/auth/oidc/start 200",
      "POST /api/account/identities/start 200",
      "GET /api/account/identities 200",
      "DELETE /api/account/identities/:id 204",
    ]
  `)
})

describe.each(routes.filter(({ isOpen }) => !isOpen))('$method $path', route => {
  test('is refused without a valid token, whatever the request contains', async () => {
    for (const token of [undefined, 'nonsense', generateToken()]) {
      const answer = await api.call(route.method.toUpperCase(), at(route.path, siteId), {
        token,
        ...(route.method !== 'get' && { body: '{' }),
      })
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      expect(answer.body).toEqual({
        message: expect.any(String),
        code: 'unauthenticated',
        request_id: answer.headers.get('x-request-id'),
      })
    }
  })
})

test.each(routes)('$method $path names ignored query parameters in a header', async route => {
  const path = `${at(route.path, siteId)}?nonsense=1&also=2&siteKey=3`
  const answer = await api.call(route.method.toUpperCase(), path, { token: stranger.token })
  expect(answer.headers.get('x-ignored-parameters')).toBe('nonsense, also, siteKey')
})

test.each(routes.filter(route => route.path.includes(':siteKey')))(
  "$method $path answers the same for another team's site as for an unknown one",
  async route => {
    const ask = async (siteKey: string) => {
      const answer = await api.call(route.method.toUpperCase(), at(route.path, siteKey), {
        token: stranger.token,
      })
      return { status: answer.status, body: { ...answer.body, request_id: undefined } }
    }
    const unknown = await ask(randomUUID())
    expect(unknown).toMatchObject({ status: 404, body: { message: 'No such site' } })
    for (const siteKey of [siteId, 'example.com', 'unknown.example'])
      expect(await ask(siteKey)).toEqual(unknown)
  },
)

describe.each(paths)('%s', path => {
  const procedures = routes.filter(route => route.path === path).map(route => route.method.toUpperCase())
  const methods = [...(path === '/api/auth/oidc/start' ? ['GET'] : []), ...procedures]
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')

  test('answers 405 with its methods to every other method', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(each => !methods.includes(each))) {
      const answer = await api.call(method, at(path, siteId))
      expect(answer.status, method).toBe(405)
      expect(answer.headers.get('allow')).toBe(allow)
      expect(answer.body.code).toBe('method_not_allowed')
    }
  })

  test('answers OPTIONS with its methods', async () => {
    const answer = await api.call('OPTIONS', at(path, siteId))
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, allow])
  })
})

test('routes: HEAD is answered like GET, without the body', async () => {
  const answer = await api.call('HEAD', `/api/sites/${siteId}`, { token: owner.token })
  expect([answer.status, answer.body]).toEqual([200, undefined])
})
