import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createLink } from '../../../src/access/accounts/links.ts'
import { createUser } from '../../../src/access/teams/accounts.ts'
import { signIn } from '../../support/browser-session.ts'
import { cookieOf, entriesOf, PASSWORD, setUp, withCookie } from '../../support/log-in.ts'
import { useApi } from '../teams/use-api.ts'

let at = new Date('2026-03-01T12:00:00Z')
const api = useApi(() => ({ now: () => at }))

const send = (method: string, path: string, cookie: string, body?: object) =>
  api.call(method, `/api/account${path}`, { headers: withCookie(api, cookie), body })
/** A minute later, so that attempts of other tests count in other windows now and then. */
const login = (email: string, password: string, userAgent = '') => {
  at = new Date(at.getTime() + 900_000)
  return api.call('POST', '/api/auth/login', {
    body: { email, password },
    headers: { 'User-Agent': userAgent },
  })
}
const status = async (cookie: string) => (await send('GET', '', cookie)).status

test('account: is shown to its person', async () => {
  const { cookie, email, loginId, teamId } = await setUp(api)
  expect((await send('GET', '', cookie)).body).toEqual({
    ...{ id: loginId, email, pending_email: null, name: null, language: null, has_password: true },
    ...{ has_totp: false, recovery_codes: 0, passkeys: 0 },
    teams: [{ id: teamId, name: 'Acme', role: 'owner' }],
    created_at: expect.stringMatching(/^2026-/),
  })
})

test('account: the name changes without a proof, and can be removed', async () => {
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

test('account: without a mail server the address changes with the password alone, in all teams, and links to the old one die', async () => {
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

test('account: an address of another login is refused; of two that take one at the same moment one gets it', async () => {
  const people = [await setUp(api), await setUp(api)]
  const take = ({ cookie }: { cookie: string }, email: string) =>
    send('PATCH', '', cookie, { email, password: PASSWORD })
  const refused = await take(people[0]!, people[1]!.email)
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['email']])
  const email = `${randomUUID()}@example.com`
  const answers = await Promise.all(people.map(person => take(person, email)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
})

test('account: an address that a waiting user of the team has does not join them', async () => {
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

test('account: what is no address or name is 422', async () => {
  const { cookie } = await setUp(api)
  for (const body of [{ email: 'ada' }, { email: '' }, { name: 'x'.repeat(101) }, { name: [] }])
    expect((await send('PATCH', '', cookie, { ...body, password: PASSWORD })).status).toBe(422)
})

const change = (cookie: string, body: object) => send('PUT', '/password', cookie, body)

test('change of the password: needs the present one, renews this session, and ends all others', async () => {
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

test('change of the password: a login without one gets one within fifteen minutes of its sign-in', async () => {
  const person = await signIn(api)
  at = new Date(at.getTime() + 16 * 60_000)
  expect((await change(person.secret, { password: PASSWORD })).status).toBe(403)
  const recent = await signIn(api)
  expect((await change(recent.secret, { password: PASSWORD })).status).toBe(204)
  expect((await login(recent.email, PASSWORD)).status).toBe(200)
})

test('change of the password: a short and a common one are refused', async () => {
  const { cookie } = await setUp(api)
  for (const password of ['short', 'basketball'])
    expect((await change(cookie, { password, current_password: PASSWORD })).status).toBe(422)
})

test('change of the password: where passwords are turned off it is refused, and so is a second factor for it', async () => {
  const { secret } = await signIn(api)
  const totp = { secret: 'A'.repeat(32), code: '123456' }
  api.services.config.hasPasswords = false
  expect((await change(secret, { password: PASSWORD })).status).toBe(403)
  expect((await send('POST', '/totp/secret', secret, {})).status).toBe(403)
  expect((await send('POST', '/totp', secret, totp)).status).toBe(403)
  api.services.config.hasPasswords = true
})

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

test('devices: are listed with names, the network and the present one', async () => {
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

test('devices: one is ended at once and no other, the present one with its cookie', async () => {
  const { email, cookie, loginId } = await setUp(api)
  const other = cookieOf(await login(email, PASSWORD))!
  const { body }: { body: { id: string; is_current: boolean }[] } = await send('GET', '/sessions', cookie)
  const end = (id: string) => send('DELETE', `/sessions/${id}`, cookie)
  const { id } = body.find(each => !each.is_current)!
  const ended = await end(id)
  expect([ended.status, cookieOf(ended)]).toEqual([204, undefined])
  expect([await status(cookie), await status(other)]).toEqual([200, 401])
  expect((await entriesOf(api, loginId)).at(-1)?.action).toBe('login.end')
  expect((await end(id)).status).toBe(404)
  expect((await end('nonsense')).status).toBe(422)
  const last = await end(body.find(each => each.is_current)!.id)
  expect([last.status, cookieOf(last), await status(cookie)]).toEqual([204, '', 401])
})

test('devices: all are ended with one call', async () => {
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

test('changes and pages of other origins: a page of another origin, and a program that shows none, cannot change anything with the cookie', async () => {
  const { email, cookie } = await setUp(api)
  const { Cookie } = withCookie(api, cookie)
  const site = 'Sec-Fetch-Site'
  const changes: [string, string, object?][] = [
    ['PATCH', '/api/account', { name: 'Eve' }],
    ['PUT', '/api/account/password', { password: 'another password', current_password: PASSWORD }],
    ['POST', '/api/account/totp/secret'],
    ['DELETE', '/api/account/sessions'],
    ['POST', '/trpc/account.endSessions'],
  ]
  const shown: Record<string, string>[] = [
    { [site]: 'cross-site' },
    { [site]: 'same-site' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    {},
  ]
  for (const given of shown) {
    for (const [method, path, body = {}] of changes) {
      const answer = await api.call(method, path, { headers: { Cookie, ...given }, body })
      expect([given, path, answer.status]).toEqual([given, path, 403])
    }
  }
  // Nor sign the person in as somebody else, or out.
  const headers = { Cookie, [site]: 'cross-site' }
  const answer = await api.call('POST', '/api/auth/login', { headers, body: { email, password: PASSWORD } })
  expect([answer.status, cookieOf(answer)]).toEqual([403, undefined])
  expect((await api.call('POST', '/api/auth/logout', { headers })).status).toBe(403)
  expect((await send('GET', '', cookie)).body.name).toBeNull()
})
