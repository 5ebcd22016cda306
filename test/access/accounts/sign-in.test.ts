import { randomBytes, randomUUID } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { beforeEach, expect, test } from 'vitest'
import { cookieOf, entriesOf, PASSWORD, setUp, withCookie } from '../../support/log-in.ts'
import { useApi } from '../teams/use-api.ts'

let at = new Date()
const api = useApi(() => ({ now: () => at, config: { trustProxy: 1 } }))

/** Each test has its own network, so that the attempts of one do not count for another. */
let address: string
const moveAway = () => {
  address = `10.${[...randomBytes(3)].join('.')}`
}
beforeEach(moveAway)

const login = (body: object | string, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/auth/login', { body, headers: { 'X-Forwarded-For': address, ...headers } })
const account = (secret: string) => api.call('GET', '/api/account', { headers: withCookie(api, secret) })

test('signing in: the right password starts a session, and is recorded in every team', async () => {
  const { email, teamId, loginId } = await setUp(api)
  const answer = await login({ email: email.toUpperCase(), password: PASSWORD })
  expect([answer.status, answer.body.email]).toEqual([200, email])
  expect(answer.body.teams).toEqual([{ id: teamId, name: 'Acme', role: 'owner' }])
  expect((await account(cookieOf(answer)!)).body.id).toBe(loginId)
  expect((await entriesOf(api, loginId)).at(-1)).toMatchObject({
    ...{ action: 'login.success', actor: email, teamId, details: { method: 'password' } },
    network: expect.stringMatching(/^10\.\d+\.\d+\.0\/24$/),
  })
})

test('signing in: a session that was there before is worthless afterwards: its secret cannot be planted', async () => {
  const [victim, attacker] = [await setUp(api), await setUp(api)]
  const answer = await login({ email: victim.email, password: PASSWORD }, withCookie(api, attacker.cookie))
  expect(cookieOf(answer)).not.toBe(attacker.cookie)
  expect((await account(attacker.cookie)).status).toBe(401)
  const invented = randomBytes(32).toString('base64url')
  const other = await login({ email: victim.email, password: PASSWORD }, withCookie(api, invented))
  expect(cookieOf(other)).not.toBe(invented)
  expect((await account(invented)).status).toBe(401)
})

test('signing in: an unknown address, a wrong password, a login without one and a disabled one are answered alike', async () => {
  const [wrong, none, disabled] = [await setUp(api), await setUp(api), await setUp(api)]
  const { db } = api.services
  await db`update logins set password_hash = null where id = ${none.loginId}`
  await db`update logins set disabled_at = now() where id = ${disabled.loginId}`
  const unknown = `${randomUUID()}@example.com`
  const answers = [
    await login({ email: unknown, password: PASSWORD }),
    await login({ email: wrong.email, password: 'another password' }),
    await login({ email: none.email, password: PASSWORD }),
    await login({ email: disabled.email, password: PASSWORD }),
    await login({ email: wrong.email, password: 'another password', code: '123456' }),
  ]
  const shown = answers.map(({ status, headers, body: { request_id: _, ...body } }) => ({
    status,
    body,
    headers: [...headers.keys()].filter(name => name !== 'x-request-id').sort(),
  }))
  expect(shown).toEqual(shown.map(() => shown[0]))
  expect(shown[0]).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  const reasons = await Promise.all(
    [wrong, none, disabled].map(async each => (await entriesOf(api, each.loginId)).at(-1)?.details.reason),
  )
  expect(reasons).toEqual(['password', 'no_password', 'disabled'])
  const [entry] = await db`
    select actor, team_id, details from audit_log where action = 'login.failure' and login_id is null
    order by id desc limit 1`
  expect(entry).toEqual({ actor: 'unknown address', team_id: null, details: { reason: 'unknown' } })
})

test('a stranger keeps nobody out: ten wrong passwords count in their network, and in no browser that has signed in before', async () => {
  const { email } = await setUp(api)
  at = new Date(Math.ceil(at.getTime() / 900_000) * 900_000 + 60_000)
  // Right ones do not count, and a cookie of nonsense does not matter.
  const headers = { Cookie: 'analytics_session=%00; analytics_browser=a.b; a=b; analytics_session' }
  const first = await login({ email, password: PASSWORD }, headers)
  for (let i = 0; i < 12; i++) expect((await login({ email, password: PASSWORD }, headers)).status).toBe(200)
  const known = { Cookie: /analytics_browser=[^;]+/.exec(first.headers.getSetCookie().join())![0] }
  for (let i = 0; i < 10; i++) expect((await login({ email, password: 'another password' })).status).toBe(401)
  const refused = await login({ email, password: PASSWORD })
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
    429,
    'rate_limited',
    '840',
  ])
  // The owner, beside the stranger and elsewhere; another person in the owner's browser is no known one.
  expect((await login({ email, password: PASSWORD }, known)).status).toBe(200)
  expect((await login({ email: (await setUp(api)).email, password: PASSWORD }, known)).status).toBe(429)
  for (let i = 0; i < 10; i++)
    expect((await login({ email, password: 'another password' }, known)).status).toBe(401)
  expect((await login({ email, password: PASSWORD }, known)).status).toBe(429)
  moveAway()
  expect((await login({ email, password: PASSWORD })).status).toBe(200)
  at = new Date(at.getTime() + 840_000)
  expect((await login({ email, password: PASSWORD }, known)).status).toBe(200)
})

test('signing in: a hundred wrong passwords for an address, from wherever; then it is refused for a while', {
  tags: ['full'],
}, async () => {
  const { email } = await setUp(api)
  for (let i = 0; i < 100; i++) {
    if (i % 10 === 0) moveAway()
    expect((await login({ email, password: 'another password' })).status).toBe(401)
  }
  moveAway()
  expect((await login({ email, password: PASSWORD })).status).toBe(429)
})

test('signing in: ten wrong passwords from a network, whatever the address; IPv6 counts by its /64', async () => {
  const { email } = await setUp(api)
  for (let i = 0; i < 10; i++) {
    address = `2001:db8:1:${i === 0 ? 2 : '0002'}::${i + 1}`
    expect((await login({ email: `${randomUUID()}@example.com`, password: PASSWORD })).status).toBe(401)
  }
  expect((await login({ email, password: PASSWORD })).status).toBe(429)
  address = '2001:db8:1:3::1'
  expect((await login({ email, password: PASSWORD })).status).toBe(200)
})

test('signing in: parallel attempts are counted before they are compared', async () => {
  const { email } = await setUp(api)
  const attempts = Array.from({ length: 25 }, () => login({ email, password: 'another password' }))
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([...Array(10).fill(401), ...Array(15).fill(429)])
})

test('signing in: a hash with other parameters is made again, and only by a right password', async () => {
  const { email, loginId } = await setUp(api)
  const { db } = api.services
  const weak = await hash(Buffer.from(PASSWORD), { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
  await db`update logins set password_hash = ${weak} where id = ${loginId}`
  const stored = async () => [...(await db`select password_hash as hash from logins where id = ${loginId}`)]
  await login({ email, password: 'another password' })
  expect(await stored()).toEqual([{ hash: weak }])
  expect((await login({ email, password: PASSWORD })).status).toBe(200)
  expect(await stored()).toEqual([{ hash: expect.stringContaining('m=19456,t=2,p=1') }])
  expect((await login({ email, password: PASSWORD })).status).toBe(200)
})

test('signing in: what is no address, password or code is 422, and odd characters are just wrong', async () => {
  const right = { email: 'a@example.com', password: PASSWORD }
  for (const [body, status] of [
    [undefined, 422],
    ['[]', 422],
    [{ ...right, password: 1 }, 422],
    [{ ...right, email: { $ne: null } }, 422],
    [{ ...right, email: 'ada' }, 422],
    [{ ...right, email: `${'a'.repeat(300)}@example.com` }, 422],
    [{ ...right, password: 'x'.repeat(2_000) }, 422],
    [{ ...right, code: '1'.repeat(100) }, 422],
    [{ ...right, code: 123456 }, 422],
    [{ ...right, email: 'a\0b@example.com' }, 401],
    [{ ...right, password: `\ud800${PASSWORD}` }, 401],
    [{ ...right, password: `\0${PASSWORD}` }, 401],
    [{ ...right, password: '' }, 401],
  ] as const)
    expect([body, (await login(body as object)).status]).toEqual([body, status])
})

test('disabled logins are refused at once with their sessions and tokens', async () => {
  const { email, cookie, loginId } = await setUp(api)
  const headers = withCookie(api, cookie)
  const made = await api.call('POST', '/api/tokens', { body: { name: 'a' }, headers })
  expect(made.status).toBe(201)
  await api.services.db`update logins set disabled_at = now() where id = ${loginId}`
  expect((await account(cookie)).status).toBe(401)
  expect((await api.call('GET', '/api/sites', { token: made.body.token })).status).toBe(401)
  expect((await login({ email, password: PASSWORD })).status).toBe(401)
})

test('where passwords are turned off (PASSWORD_LOGIN=0), all that needs one is refused', async () => {
  api.services.config.hasPasswords = false
  for (const [name, body] of [
    ['login', { email: 'a@example.com', password: PASSWORD }],
    ['setup', { secret: 'x'.repeat(43), password: PASSWORD }],
    ['reset', { secret: 'x'.repeat(43), password: PASSWORD }],
    ['reset-request', { email: 'a@example.com' }],
  ] as const) {
    const answer = await api.call('POST', `/api/auth/${name}`, { body })
    const message = 'Passwords are turned off here: use single sign-on'
    expect([name, answer.status, answer.body.message]).toEqual([name, 403, message])
  }
  expect((await api.call('GET', '/api/auth/methods')).body.password).toBe(false)
  api.services.config.hasPasswords = true
})

test('sessions: the cookie is for this host, out of reach of scripts and other sites; over https it is __Host- and Secure', async () => {
  const { email, cookie } = await setUp(api)
  const { config } = api.services
  const { baseUrl: before } = config
  const rest = '=[\\w-]{43}; Max-Age=2592000; Path=/; Expires=[^;]+; HttpOnly'
  for (const [baseUrl, cookie] of [
    [before, `^analytics_session${rest}; SameSite=Lax$`],
    ['https://analytics.example.com', `^__Host-analytics_session${rest}; Secure; SameSite=Lax$`],
  ] as const) {
    config.baseUrl = baseUrl
    const answer = await login({ email, password: PASSWORD })
    expect(answer.headers.getSetCookie()[0]).toMatch(new RegExp(cookie))
  }
  const plain = { Cookie: `analytics_session=${cookie}`, 'Sec-Fetch-Site': 'same-origin' }
  expect((await api.call('GET', '/api/account', { headers: plain })).status).toBe(401)
  expect((await account(cookie)).status).toBe(200)
  config.baseUrl = before
})

test('sessions: a session that is used lasts, one that is not ends after thirty days', async () => {
  const { cookie } = await setUp(api)
  const day = 86_400_000
  at = new Date(at.getTime() + 29 * day)
  const used = await account(cookie)
  expect([used.status, cookieOf(used)]).toEqual([200, cookie])
  expect(cookieOf(await account(cookie))).toBeUndefined()
  at = new Date(at.getTime() + 29 * day)
  expect((await account(cookie)).status).toBe(200)
  at = new Date(at.getTime() + 30 * day)
  expect((await account(cookie)).status).toBe(401)
})

test('sessions: after a change of rights the secret is renewed once; the old one works for another minute', async () => {
  const { cookie, loginId } = await setUp(api)
  await api.services.db`update browser_sessions set must_renew = true where login_id = ${loginId}`
  const answers = await Promise.all(Array.from({ length: 8 }, () => account(cookie)))
  const renewed = answers.map(cookieOf).filter(each => each !== undefined)
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(renewed).toHaveLength(1)
  expect((await account(cookie)).status).toBe(200)
  expect((await account(renewed[0]!)).status).toBe(200)
  at = new Date(at.getTime() + 61_000)
  expect((await account(cookie)).status).toBe(401)
  expect((await account(renewed[0]!)).status).toBe(200)
})

test('sessions: signing out ends the session and removes the cookie; without a session nothing happens', async () => {
  const { cookie, loginId } = await setUp(api)
  const leave = (headers = withCookie(api, cookie)) => api.call('POST', '/api/auth/logout', { headers })
  const out = await leave()
  expect([out.status, cookieOf(out)]).toEqual([204, ''])
  expect((await account(cookie)).status).toBe(401)
  expect((await entriesOf(api, loginId)).at(-1)).toMatchObject({ action: 'login.end' })
  expect((await leave()).status).toBe(204)
  expect((await api.call('POST', '/api/auth/logout')).status).toBe(204)
})
