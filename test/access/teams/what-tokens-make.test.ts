import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { SCOPES, type Scope } from '../../../src/access/teams/caller.ts'
import { routes } from '../../../src/http/api/routes.ts'
import { findTools } from '../../../src/http/mcp/tools.ts'
import {
  loadDeliveries,
  selectDue,
  spreadEvents,
} from '../../../src/outgoing/notifications/webhooks/delivery-rows.ts'
import { acceptAsNew, lookUp, newAddress } from '../../support/invitations.ts'
import { newToken, type TokenOptions } from '../../support/member.ts'
import { siteOf, type Teammate, teammate } from '../../support/teammates.ts'
import { useApi } from './use-api.ts'

let owner: Teammate
let siteId: string
let site: string
const api = useApi()
beforeAll(async () => {
  api.services.config.limits.api = 0
})
beforeEach(async () => {
  owner = await teammate(api)
  siteId = await siteOf(api, owner.teamId)
  site = `/api/sites/${siteId}`
})

const MINUTE = 60_000
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE)

/** A token of the owner, with every scope and without an end unless given. */
const tokenWith = (options?: TokenOptions) => newToken(api.services, owner, options)
const as = (token: string) => (method: string, path: string, body?: unknown) =>
  api.call(method, path, { token, ...(body !== undefined && { body }) })

const lacks = (scope: Scope) => `The token does not have the scope ${scope}`
const SHARE = { name: 'a', sections: ['traffic', 'people', 'revenue'], may_export: true }
const PROCESSOR = { provider: 'stripe', webhook_secret: 'whsec_x' }
const WEBHOOK = { name: 'a', url: 'https://example.com/hook', kinds: ['payment.paid'] }

/** Every endpoint that makes something which lets others in, or tells them, and the scopes that a token needs; `~` is the site. */
const MAKERS: Record<string, { scopes: Scope[]; path: string; body?: object }> = {
  'tokens.create': { scopes: ['write'], path: '/api/tokens', body: { name: 'a' } },
  'invitations.create': {
    scopes: ['admin', 'read', 'write'],
    path: '/api/invitations',
    body: { role: 'owner' },
  },
  'shares.create': { scopes: ['write', 'read'], path: '~/shares', body: SHARE },
  'webhooks.create': { scopes: ['write', 'read'], path: '~/webhooks', body: WEBHOOK },
  'sites.updateSharing': { scopes: ['write', 'read'], path: '~/sharing', body: { is_public: true } },
  'sites.rotateIdentifySecret': { scopes: ['write'], path: '~/identify-secret' },
  'processor.connect': { scopes: ['write'], path: '~/processor', body: PROCESSOR },
  'imports.create': {
    scopes: ['write'],
    path: '~/imports',
    body: { format: 'umami', name: 'a.csv', bytes: 10 },
  },
}
/** Makes something, with a token. */
function makeBy(token: string, name: string) {
  const { path, body } = MAKERS[name]!
  const { method } = routes.find(route => route.procedure === name)!
  const given = name === 'invitations.create' ? { ...body, email: newAddress() } : (body ?? {})
  return as(token)(method.toUpperCase(), path.replace('~', site), given)
}

test.each(Object.entries(MAKERS))(
  'tokens, what a token makes is not wider than it: %s needs its scopes, and names the missing one',
  async (name, maker) => {
    for (const missing of maker.scopes) {
      const { token } = await tokenWith({ scopes: SCOPES.filter(scope => scope !== missing) })
      const { status, body } = await makeBy(token, name)
      expect([missing, status, body.message]).toEqual([missing, 403, lacks(missing)])
    }
    const { token } = await tokenWith({ scopes: maker.scopes })
    const { status, body } = await makeBy(token, name)
    expect([status < 300 || status === 422, status, body]).toMatchObject([true, status, body])
  },
)

// That people, roles and the removal of a site need it, too, stands in test/contract/access.txt.
test('tokens, what a token makes is not wider than it: tokens of others need the scope admin', async () => {
  const other = await teammate(api, { teamId: owner.teamId, role: 'member' })
  const theirs = (await other.ask('POST', '/api/tokens', { name: 'theirs' })).body.id
  const usual = as((await tokenWith({ scopes: ['read', 'write', 'ingest'] })).token)
  const managing = as((await tokenWith()).token)
  for (const [method, body] of [['PATCH', { name: 'x' }], ['DELETE']] as const) {
    const refused = await usual(method, `/api/tokens/${theirs}`, body)
    expect([method, refused.status, refused.body?.message]).toEqual([method, 403, lacks('admin')])
    expect((await managing(method, `/api/tokens/${theirs}`, body)).status).toBeLessThan(300)
  }
})

test('tokens, what a token makes is not wider than it: who gets a role gets its scopes: a token gives no role with more than its own', async () => {
  const reader = as((await tokenWith({ scopes: ['read', 'admin'] })).token)
  const invite = (role: string) => reader('POST', '/api/invitations', { email: newAddress(), role })
  expect((await invite('viewer')).status).toBe(201)
  expect((await invite('member')).body.message).toBe(lacks('write'))
  const { userId } = await teammate(api, { teamId: owner.teamId, role: 'viewer' })
  const raised = await reader('PATCH', `/api/users/${userId}`, { role: 'admin' })
  expect(raised.body.message).toBe(lacks('write'))
})

test('tokens, what a token makes is not wider than it: a token changes no share and no webhook that it did not make', async () => {
  const share = (await owner.ask('POST', `${site}/shares`, { name: 'a', sections: ['traffic'] })).body
  const webhook = (await owner.ask('POST', `${site}/webhooks`, WEBHOOK)).body
  const ask = as((await tokenWith()).token)
  for (const [method, path, body] of [
    ['PATCH', `${site}/shares/${share.id}`, { sections: ['people'] }],
    ['PATCH', `${site}/webhooks/${webhook.id}`, { url: 'https://example.org' }],
    ['POST', `${site}/webhooks/${webhook.id}/secret`, {}],
  ] as const) {
    const { status, body: answer } = await ask(method, path, body)
    expect([path, status, answer.message]).toEqual([
      path,
      403,
      expect.stringMatching(/^A token changes only/),
    ])
  }
  const own = (await ask('POST', `${site}/shares`, SHARE)).body
  expect((await ask('PATCH', `${site}/shares/${own.id}`, { name: 'b' })).status).toBe(200)
})

test('assistants only read: no tool is an endpoint that makes something', () => {
  const asked = [...findTools().values()].map(({ route }) => route)
  expect(asked.filter(({ type }) => type !== 'query')).toEqual([])
})

test('tokens, links with secrets are not in an answer to a token: neither that of an invitation nor that of a share; a browser is shown them', async () => {
  const ask = as((await tokenWith()).token)
  const invitation = (await ask('POST', '/api/invitations', { email: newAddress(), role: 'viewer' })).body
  const resent = (await ask('POST', `/api/invitations/${invitation.id}/resend`)).body
  const share = (await ask('POST', `${site}/shares`, SHARE)).body
  expect([invitation.url, resent.url, share.url, share.secret]).toEqual([null, null, null, null])
  expect((await ask('POST', `${site}/shares/${share.id}/link`)).status).toBe(403)
  const link = await owner.ask('POST', `${site}/shares/${share.id}/link`)
  expect(link.body.url).toContain(link.body.secret)
  expect((await owner.ask('POST', `/api/invitations/${invitation.id}/resend`)).body.url).toContain('/invite#')
})

test('tokens, links with secrets are not in an answer to a token: no answer of an endpoint that makes something has a link with a secret', async () => {
  const { token } = await tokenWith()
  for (const name of Object.keys(MAKERS)) {
    const { body } = await makeBy(token, name)
    expect([name, JSON.stringify(body ?? {})]).toEqual([
      name,
      expect.not.stringMatching(/https?:[^"]*#|wsh_/),
    ])
  }
})

/** The secret of an invitation or a share is known to nobody who uses a token: it is put where a test can use it. */
async function setSecret(table: 'invitations' | 'shares', id: string, secret: string): Promise<string> {
  const { db } = api.services
  await db`update ${db(table)} set hash = sha256(${secret}::bytea) where id = ${id}`
  return secret
}
const newSecret = () => Buffer.from(`${randomUUID()}`.slice(0, 32)).toString('base64url').slice(0, 43)

async function makeAll(ask: ReturnType<typeof as>, fields: object = {}) {
  const invited = await ask('POST', '/api/invitations', { email: newAddress(), role: 'owner' })
  const shared = await ask('POST', `${site}/shares`, { ...SHARE, ...fields })
  const hooked = await ask('POST', `${site}/webhooks`, WEBHOOK)
  expect([invited.status, shared.status, hooked.status]).toEqual([201, 201, 201])
  const invitation = await setSecret('invitations', invited.body.id, newSecret())
  const share = await setSecret('shares', shared.body.id, `wsh_${newSecret()}`)
  const isOpen = async () => [
    (await lookUp(api, invitation)).status,
    (await api.call('GET', `${site}/shared`, { token: share })).status,
    (await owner.ask('GET', `${site}/webhooks`)).body.find(({ id }: { id: string }) => id === hooked.body.id)
      .is_enabled,
  ]
  return { invited: invited.body, shared: shared.body, hooked: hooked.body, invitation, isOpen }
}

test('tokens, what a token makes ends with it: invitations and shares end no later than the token', async () => {
  const expiresAt = inMinutes(10)
  const ask = as((await tokenWith({ expiresAt })).token)
  const { invited, shared, isOpen } = await makeAll(ask)
  expect([invited.expires_at, shared.expires_at]).toEqual([expiresAt.toISOString(), expiresAt.toISOString()])
  expect(await isOpen()).toEqual([200, 200, true])
  const late = { ...SHARE, expires_at: inMinutes(11).toISOString() }
  expect((await ask('POST', `${site}/shares`, late)).body.errors).toHaveProperty('expires_at')
  const path = `${site}/shares/${shared.id}`
  for (const expires_at of [null, inMinutes(11).toISOString()]) {
    expect((await ask('PATCH', path, { expires_at })).status).toBe(422)
    expect((await owner.ask('PATCH', path, { expires_at })).status).toBe(422)
  }
  expect((await ask('PATCH', path, { expires_at: inMinutes(9).toISOString() })).status).toBe(200)
})

test('tokens, what a token makes ends with it: a token with an end makes no secret that has none', async () => {
  const { token } = await tokenWith({ expiresAt: inMinutes(10) })
  for (const name of ['sites.rotateIdentifySecret', 'processor.connect']) {
    const { status, body } = await makeBy(token, name)
    expect([name, status, body.message]).toEqual([name, 403, expect.stringContaining('has no end')])
  }
})

test.each([false, true])(
  'tokens, what a token makes ends with it: revoking the token ends all of it, with cascade: %s',
  async cascade => {
    const maker = await tokenWith()
    const ask = as(maker.token)
    const own = await makeAll(ask)
    const child = (await ask('POST', '/api/tokens', { name: 'child', scopes: [...SCOPES] })).body
    const ofChild = await makeAll(as(child.token))
    const other = await makeAll(as((await tokenWith()).token))
    const revoked = await owner.ask('DELETE', `/api/tokens/${maker.id}?cascade=${cascade}`)
    expect(revoked.status).toBe(204)
    expect(await own.isOpen()).toEqual([404, 401, false])
    expect(await ofChild.isOpen()).toEqual(cascade ? [404, 401, false] : [200, 200, true])
    expect(await other.isOpen()).toEqual([200, 200, true])
    expect((await acceptAsNew(api, own.invitation)).status).toBe(404)
  },
)

test('tokens, what a token makes ends with it: a token whose user is removed ends what it made', async () => {
  const admin = await teammate(api, { teamId: owner.teamId, role: 'admin' })
  const share = (await as(await api.token(admin))('POST', `${site}/shares`, SHARE)).body
  expect((await owner.ask('DELETE', `/api/users/${admin.userId}`)).status).toBe(204)
  const listed = (await owner.ask('GET', `${site}/shares`)).body
  expect(listed.map(({ id }: { id: string }) => id)).not.toContain(share.id)
})

test('tokens, what a token makes ends with it: a webhook gets nothing after the end of its token, until a browser switches it on', async () => {
  const { db } = api.services
  const maker = await tokenWith()
  const hook = (await as(maker.token)('POST', `${site}/webhooks`, WEBHOOK)).body
  const path = `${site}/webhooks/${hook.id}`
  const now = new Date()
  const due = async () => {
    const filter = { perEndpoint: 9, perTeam: 9, limit: 99, busyEndpoints: [], busySites: [], busyTeams: [] }
    const rows = await selectDue(db, { now: inMinutes(1), isFailing: false, ...filter })
    const ids = rows.filter(({ endpointId }) => endpointId === hook.id).map(({ id }) => id)
    return (await loadDeliveries(db, { ids, now })).length
  }
  const spread = async () => {
    await db`
      insert into outgoing_events (site_no, type, key, occurred_at, created_at, data)
      select site_no, 'payment.paid', ${randomUUID()}, ${inMinutes(1)}, ${now}, '{}' from sites where id = ${siteId}`
    await spreadEvents(db, { limit: 100, mostWaiting: 100, now, retryUntil: inMinutes(60) })
    const [row] = await db<{ count: number }[]>`
      select count(*)::int as count from webhook_deliveries where endpoint_id = ${hook.id}`
    return row!.count
  }
  expect([await spread(), await due()]).toEqual([1, 1])
  await db`update tokens set expires_at = ${inMinutes(-1)} where id = ${maker.id}`
  expect([await spread(), await due()]).toEqual([1, 0])
  expect((await owner.ask('POST', `${path}/test`)).status).toBe(422)
  await owner.ask('PATCH', path, { name: 'b' })
  expect([await spread(), await due()]).toEqual([1, 0])
  expect((await owner.ask('PATCH', path, { is_enabled: true })).body.is_enabled).toBe(true)
  expect(await spread()).toBe(2)
})

test('tokens, what a token makes ends with it: who makes a new link in a browser takes it over', async () => {
  const maker = await tokenWith()
  const { invited, shared } = await makeAll(as(maker.token))
  const link = (await owner.ask('POST', `${site}/shares/${shared.id}/link`)).body
  const url = (await owner.ask('POST', `/api/invitations/${invited.id}/resend`)).body.url
  await owner.ask('DELETE', `/api/tokens/${maker.id}`)
  expect((await lookUp(api, new URL(url).hash.slice(1))).status).toBe(200)
  expect((await api.call('GET', `${site}/shared`, { token: link.secret })).status).toBe(200)
})

test('tokens, what a token makes ends with it: what is made while its token is revoked is refused, or ends with it', async () => {
  const maker = await tokenWith()
  const ask = as(maker.token)
  const [revoked, ...answers] = await Promise.all([
    owner.ask('DELETE', `/api/tokens/${maker.id}`),
    ...[1, 2, 3].flatMap(() => [
      ask('POST', `${site}/shares`, SHARE),
      ask('POST', '/api/invitations', { email: newAddress(), role: 'viewer' }),
      ask('POST', `${site}/webhooks`, WEBHOOK),
    ]),
  ])
  expect(revoked.status).toBe(204)
  for (const { status } of answers) expect([201, 401]).toContain(status)
  expect((await owner.ask('GET', `${site}/shares`)).body).toEqual([])
  expect((await owner.ask('GET', '/api/invitations')).body).toEqual([])
})
