import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLink } from '../../src/accounts/links.ts'
import { createUser } from '../../src/teams/accounts.ts'
import { type Api, startApi } from '../support/api.ts'
import { signIn } from '../support/browser-session.ts'
import { cookieOf, entriesOf, PASSWORD, setUp, withCookie } from '../support/log-in.ts'

let api: Api
let at = new Date('2026-03-01T12:00:00Z')
beforeAll(async () => {
  api = await startApi({ now: () => at })
  api.services.config.limits.browser = 0
})
afterAll(() => api.close())

const send = (method: string, path: string, cookie: string, body?: object, headers = {}) =>
  api.call(method, `/api/account${path}`, { headers: { ...withCookie(api, cookie), ...headers }, body })
/** A minute later, so that attempts of other tests count in other windows now and then. */
const login = (email: string, password: string, userAgent = '') => {
  at = new Date(at.getTime() + 900_000)
  return api.call('POST', '/api/auth/login', {
    body: { email, password },
    headers: { 'User-Agent': userAgent },
  })
}
const status = async (cookie: string) => (await send('GET', '', cookie)).status

describe('account', () => {
  test('is shown to its person, and to no token', async () => {
    const { cookie, email, loginId, teamId } = await setUp(api)
    expect((await send('GET', '', cookie)).body).toEqual({
      id: loginId,
      email,
      name: null,
      has_password: true,
      has_totp: false,
      recovery_codes: 0,
      passkeys: 0,
      teams: [{ id: teamId, name: 'Acme', role: 'owner' }],
      created_at: expect.stringMatching(/^2026-/),
    })
    const { token } = await api.member()
    expect((await api.call('GET', '/api/account', { token })).status).toBe(403)
    expect((await api.call('GET', '/api/account')).status).toBe(401)
  })

  test('the name changes without a proof, and can be removed', async () => {
    const { cookie, loginId } = await setUp(api)
    const named = await send('PATCH', '', cookie, { name: 'Ada' })
    expect([named.status, named.body.name]).toEqual([200, 'Ada'])
    const renewed = cookieOf(named)!
    expect((await send('PATCH', '', renewed, {})).body.name).toBe('Ada')
    const removed = await send('PATCH', '', renewed, { name: null })
    expect([removed.status, removed.body.name]).toEqual([200, null])
    expect((await entriesOf(api, loginId)).at(-1)).toMatchObject({
      action: 'login.change',
      details: { fields: ['name'] },
    })
  })

  test('the address changes with the password, in all teams, and links to the old one die', async () => {
    const { cookie, loginId, userId, email } = await setUp(api)
    const link = await createLink(api.services.db, 'reset', { email: null, loginId }, at)
    const moved = `${randomUUID()}@example.com`
    expect((await send('PATCH', '', cookie, { email: moved })).status).toBe(403)
    expect((await send('PATCH', '', cookie, { email: moved, password: 'wrong password' })).status).toBe(403)
    const changed = await send('PATCH', '', cookie, { email: moved.toUpperCase(), password: PASSWORD })
    expect([changed.status, changed.body.email]).toEqual([200, moved])
    expect(await status(cookie)).toBe(401)
    expect(await status(cookieOf(changed)!)).toBe(200)
    const [user] = await api.services.db`select email from users where id = ${userId}`
    expect(user).toEqual({ email: moved })
    const reset = { secret: link, password: 'another password' }
    expect((await api.call('POST', '/api/auth/reset', { body: reset })).status).toBe(404)
    expect((await login(email, PASSWORD)).status).toBe(401)
    expect((await login(moved, PASSWORD)).status).toBe(200)
  })

  test('an address of another login is refused', async () => {
    const [one, other] = [await setUp(api), await setUp(api)]
    const refused = await send('PATCH', '', one.cookie, { email: other.email, password: PASSWORD })
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['email']])
  })

  test('of two logins that take the same address at the same moment one gets it', async () => {
    const people = [await setUp(api), await setUp(api)]
    const email = `${randomUUID()}@example.com`
    const answers = await Promise.all(
      people.map(({ cookie }) => send('PATCH', '', cookie, { email, password: PASSWORD })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
  })

  test('an address that a waiting user of the team has does not join them', async () => {
    const { cookie, teamId, loginId } = await setUp(api)
    const email = `${randomUUID()}@example.com`
    const waiting = await createUser(api.services.db, { teamId, email, role: 'viewer' })
    const changed = await send('PATCH', '', cookie, { email, password: PASSWORD })
    expect([changed.status, changed.body.teams.length]).toEqual([200, 1])
    const [user] = await api.services.db`select login_id, email from users where id = ${waiting}`
    expect(user).toEqual({ login_id: null, email })
    const [login] = await api.services.db`select email from logins where id = ${loginId}`
    expect(login).toEqual({ email })
  })

  test.each([
    ['an address without @', { email: 'ada', password: PASSWORD }],
    ['an empty address', { email: '', password: PASSWORD }],
    ['a name of 101 letters', { name: 'x'.repeat(101) }],
    ['a list for a name', { name: [] }],
  ])('%s is 422', async (_, body) => {
    const { cookie } = await setUp(api)
    expect((await send('PATCH', '', cookie, body)).status).toBe(422)
  })
})

describe('change of the password', () => {
  const change = (cookie: string, body: object) => send('PUT', '/password', cookie, body)

  test('needs the present one, renews this session, and ends all others', async () => {
    const { cookie, email, loginId } = await setUp(api)
    const other = cookieOf(await login(email, PASSWORD))!
    const input = { password: 'another password', current_password: PASSWORD }
    expect((await change(cookie, { ...input, current_password: undefined })).status).toBe(403)
    expect((await change(cookie, { ...input, current_password: 'wrong password' })).status).toBe(403)
    const changed = await change(cookie, input)
    expect(changed.status).toBe(204)
    expect(await status(cookieOf(changed)!)).toBe(200)
    expect([await status(cookie), await status(other)]).toEqual([401, 401])
    expect((await login(email, PASSWORD)).status).toBe(401)
    expect((await login(email, 'another password')).status).toBe(200)
    expect((await entriesOf(api, loginId)).map(({ action }) => action)).toContain('password.change')
  })

  test('a login without one gets one within fifteen minutes of its sign-in', async () => {
    const person = await signIn(api)
    at = new Date(at.getTime() + 16 * 60_000)
    expect((await change(person.secret, { password: PASSWORD })).status).toBe(403)
    const recent = await signIn(api)
    expect((await change(recent.secret, { password: PASSWORD })).status).toBe(204)
    expect((await login(recent.email, PASSWORD)).status).toBe(200)
  })

  test.each(['short', 'basketball', '1234567890'])('%s is refused', async password => {
    const { cookie } = await setUp(api)
    expect((await change(cookie, { password, current_password: PASSWORD })).status).toBe(422)
  })

  test('where passwords are turned off it is refused, and so is a second factor for it', async () => {
    const { secret } = await signIn(api)
    const headers = withCookie(api, secret)
    api.services.config.hasPasswords = false
    try {
      expect((await change(secret, { password: PASSWORD })).status).toBe(403)
      expect((await api.call('POST', '/api/account/totp/secret', { headers, body: {} })).status).toBe(403)
      const body = { secret: 'A'.repeat(32), code: '123456' }
      expect((await api.call('POST', '/api/account/totp', { headers, body })).status).toBe(403)
    } finally {
      api.services.config.hasPasswords = true
    }
  })

  test('ten wrong ones in fifteen minutes, then none is compared', async () => {
    const { cookie } = await setUp(api)
    const input = { password: 'another password', current_password: 'wrong password' }
    for (let i = 0; i < 10; i++) expect((await change(cookie, input)).status).toBe(403)
    expect((await change(cookie, { ...input, current_password: PASSWORD })).status).toBe(429)
  })
})

describe('devices', () => {
  const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  const IPHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

  test('are listed with names, the network and the present one', async () => {
    const { email } = await setUp(api)
    await login(email, PASSWORD, IPHONE)
    const cookie = cookieOf(await login(email, PASSWORD, FIREFOX))!
    const { body } = await send('GET', '/sessions', cookie)
    expect(body).toHaveLength(3)
    expect(body[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      browser: 'Firefox',
      system: 'Linux',
      network: '127.0.0.0/24',
      is_current: true,
      created_at: at.toISOString(),
      last_used_at: at.toISOString(),
      expires_at: new Date(at.getTime() + 30 * 86_400_000).toISOString(),
    })
    expect(body[1]).toMatchObject({ browser: 'Safari', system: 'iOS', is_current: false })
  })

  test('one is ended at once, and no other', async () => {
    const { email, cookie, loginId } = await setUp(api)
    const other = cookieOf(await login(email, PASSWORD))!
    const { body } = await send('GET', '/sessions', cookie)
    const { id } = body.find((each: { is_current: boolean }) => !each.is_current)
    const ended = await send('DELETE', `/sessions/${id}`, cookie)
    expect([ended.status, cookieOf(ended)]).toEqual([204, undefined])
    expect([await status(cookie), await status(other)]).toEqual([200, 401])
    expect((await entriesOf(api, loginId)).at(-1)?.action).toBe('login.end')
    expect((await send('DELETE', `/sessions/${id}`, cookie)).status).toBe(404)
  })

  test("another person's cannot be ended", async () => {
    const [one, other] = [await setUp(api), await signIn(api)]
    expect((await send('DELETE', `/sessions/${other.sessionId}`, one.cookie)).status).toBe(404)
    expect(await status(other.secret)).toBe(200)
    expect((await send('DELETE', '/sessions/nonsense', one.cookie)).status).toBe(422)
  })

  test('the present one is ended with its cookie', async () => {
    const { cookie } = await setUp(api)
    const { body } = await send('GET', '/sessions', cookie)
    const ended = await send('DELETE', `/sessions/${body[0].id}`, cookie)
    expect([ended.status, cookieOf(ended), await status(cookie)]).toEqual([204, '', 401])
  })

  test('all are ended with one call', async () => {
    const { email, cookie, loginId } = await setUp(api)
    const other = cookieOf(await login(email, PASSWORD))!
    const ended = await send('DELETE', '/sessions', cookie)
    expect([ended.status, cookieOf(ended)]).toEqual([204, ''])
    expect([await status(cookie), await status(other)]).toEqual([401, 401])
    expect((await entriesOf(api, loginId)).at(-1)).toMatchObject({
      action: 'login.end_all',
      details: { sessions: 2 },
    })
  })
})

describe('changes and pages of other origins', () => {
  test.each([
    ['a page of another origin', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a page of another host of the domain', { 'Sec-Fetch-Site': 'same-site' }],
    ['another Origin of an old browser', { 'Sec-Fetch-Site': undefined, Origin: 'https://evil.example' }],
    ['an opaque Origin', { 'Sec-Fetch-Site': undefined, Origin: 'null' }],
    ['a program that shows no origin', { 'Sec-Fetch-Site': undefined }],
  ])('%s cannot change anything with the cookie', async (_, given) => {
    const { cookie } = await setUp(api)
    const headers = Object.fromEntries(
      Object.entries({ ...withCookie(api, cookie), ...given }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>
    const changes: [string, string, object?][] = [
      ['PATCH', '/api/account', { name: 'Eve' }],
      ['PUT', '/api/account/password', { password: 'another password', current_password: PASSWORD }],
      ['POST', '/api/account/totp/secret'],
      ['DELETE', '/api/account/sessions'],
      ['POST', '/trpc/account.endSessions'],
    ]
    for (const [method, path, body] of changes) {
      expect([path, (await api.call(method, path, { headers, body: body ?? {} })).status]).toEqual([
        path,
        403,
      ])
    }
    expect((await send('GET', '', cookie)).body.name).toBeNull()
  })

  test('they cannot sign a person in as somebody else, or out', async () => {
    const { email, cookie } = await setUp(api)
    const headers = { ...withCookie(api, cookie), 'Sec-Fetch-Site': 'cross-site' }
    const body = { email, password: PASSWORD }
    const answer = await api.call('POST', '/api/auth/login', { headers, body })
    expect([answer.status, cookieOf(answer)]).toEqual([403, undefined])
    expect((await api.call('POST', '/api/auth/logout', { headers })).status).toBe(403)
    expect(await status(cookie)).toBe(200)
  })
})
