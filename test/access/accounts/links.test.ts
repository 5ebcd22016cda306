import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createLink } from '../../../src/access/accounts/links.ts'
import { createUser } from '../../../src/access/teams/accounts.ts'
import { makeLoginLink } from '../../../src/access/teams/manage-logins.ts'
import { FIRST_OWNER } from '../../../src/access/teams/set-up-login.ts'
import type { Api } from '../../support/api.ts'
import { cookieOf, entriesOf, invitee, PASSWORD, setUp, withCookie } from '../../support/log-in.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { ofFile } from '../../support/of-file.ts'
import { eventually } from '../../support/service.ts'
import { useApi } from '../teams/use-api.ts'

const mailServer = ofFile(startMailServer)
let at = new Date('2026-03-01T12:00:00Z')
const api = useApi(() => ({ now: () => at, config: { mail: mailServer.mail } }))

const post = (name: string, body: object) => {
  // Attempts of other tests do not count.
  at = new Date(at.getTime() + 100)
  return api.call('POST', `/api/auth/${name}`, { body })
}
const account = (secret: string) => api.call('GET', '/api/account', { headers: withCookie(api, secret) })
const nextWindow = () => {
  at = new Date((Math.floor(at.getTime() / 900_000) + 1) * 900_000)
}

/** Statuses of eight requests at the same moment. */
const atOnce = async (send: (index: number) => ReturnType<Api['call']>) =>
  (await Promise.all(Array.from({ length: 8 }, (_, index) => send(index)))).map(({ status }) => status)

/** A link for a new password, as the operator makes it. */
async function recoverLink(email: string): Promise<string> {
  const { url } = await makeLoginLink(api.services.db, { baseUrl: 'http://a.example' }, email, at)
  return url.split('#')[1]!
}
const resetLink = (loginId: string) => createLink(api.services.db, 'reset', { email: null, loginId }, at)

test('setup link: shows what it is for, as often as it is looked at', async () => {
  const { secret, email } = await invitee(api)
  for (let i = 0; i < 12; i++) {
    const { status, body } = await post('link', { secret })
    expect([status, body]).toEqual([200, { purpose: 'setup', email, may_change_email: false }])
  }
})

test('setup link: makes a login, joins its memberships, signs in, and works once', async () => {
  const email = `${randomUUID()}@example.com`
  const [one, other] = [await invitee(api, { email }), await invitee(api, { email, role: 'viewer' })]
  expect((await post('link', { secret: one.secret })).status).toBe(404)
  const { db } = api.services
  const [stranger] = await db<{ id: string }[]>`
    insert into users (team_id, email, role) values (${one.teamId}, 'x', 'member') returning id`
  const answer = await post('setup', { secret: other.secret, password: PASSWORD, name: 'Ada' })
  expect([answer.status, answer.body]).toMatchObject([200, { email, name: 'Ada', has_password: true }])
  expect(answer.body.teams.map(({ id, role }: { id: string; role: string }) => [id, role])).toEqual([
    [one.teamId, 'owner'],
    [other.teamId, 'viewer'],
  ])
  expect((await account(cookieOf(answer)!)).status).toBe(200)
  const [row] = await db`select login_id from users where id = ${stranger!.id}`
  expect(row).toEqual({ login_id: null })
  const entries = await entriesOf(api, answer.body.id)
  expect(entries.map(({ action, teamId }) => [action, teamId])).toEqual(
    expect.arrayContaining([
      ['login.setup', one.teamId],
      ['login.setup', other.teamId],
      ['login.success', one.teamId],
    ]),
  )
  expect((await post('setup', { secret: other.secret, password: PASSWORD })).status).toBe(404)
})

test('setup link: of eight at the same moment one makes the login', async () => {
  nextWindow()
  const { secret } = await invitee(api)
  const statuses = await atOnce(() => post('setup', { secret, password: PASSWORD }))
  expect(statuses.filter(status => status === 200)).toHaveLength(1)
  for (const status of statuses) expect([200, 404, 422]).toContain(status)
  nextWindow()
})

test('setup link: takes no other address, except that of the first owner, who takes none of another login', async () => {
  const taken = await setUp(api)
  const { secret } = await invitee(api)
  const owner = await invitee(api, { email: FIRST_OWNER })
  expect((await post('link', { secret: owner.secret })).body.may_change_email).toBe(true)
  for (const wrong of [
    { secret, email: 'other@example.com' },
    { secret: owner.secret, email: taken.email },
  ]) {
    const refused = await post('setup', { ...wrong, password: PASSWORD })
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['email']])
  }
  const email = `${randomUUID()}@example.com`
  const right = { secret: owner.secret, password: PASSWORD, email: email.toUpperCase() }
  const { status, body } = await post('setup', right)
  expect([status, body.email]).toEqual([200, email])
  const [user] = await api.services.db`select email, login_id from users where id = ${owner.userId}`
  expect(user).toEqual({ email, login_id: body.id })
})

test('setup link: a user with the address who was added later does not join the login by themselves', async () => {
  const { email, loginId, teamId } = await setUp(api)
  const other = await invitee(api)
  const userId = await createUser(api.services.db, { teamId: other.teamId, email, role: 'owner' })
  const [row] = await api.services.db`select login_id from users where id = ${userId}`
  expect(row).toEqual({ login_id: null })
  const [own] = await api.services.db`select login_id from users where team_id = ${teamId}`
  expect(own).toEqual({ login_id: loginId })
})

test('setup link: a bad password is refused, and the link still works', async () => {
  nextWindow()
  const { secret, email } = await invitee(api)
  for (const [password, message] of [
    ['nine char', 'at least 10 characters'],
    [email.toUpperCase(), 'address'],
  ] as const) {
    const refused = await post('setup', { secret, password })
    expect([refused.status, refused.body.errors.password[0]]).toEqual([422, expect.stringContaining(message)])
  }
  expect((await post('setup', { secret, password: PASSWORD })).status).toBe(200)
})

test('setup link: guesses are limited by network, and a guess never leads to an error of the service', async () => {
  nextWindow()
  const filled = ['x', '\0', 'é'].map(letter => letter.repeat(43))
  for (const secret of ['', 'x', "' or 1=1 --", '../../etc/passwd', '%00', ...filled])
    expect([secret, (await post('link', { secret })).status]).toEqual([secret, 404])
  for (const secret of [1, null, {}, [], 'x'.repeat(201)])
    expect((await post('link', { secret })).status).toBe(422)
  for (const secret of ['a', 'b']) await post('link', { secret })
  expect((await post('link', { secret: 'c' })).status).toBe(429)
  nextWindow()
})

test('link for a new password: replaces the password, ends all sessions, and works once', async () => {
  const { loginId, email, cookie } = await setUp(api)
  const secret = await resetLink(loginId)
  expect((await post('link', { secret })).body).toMatchObject({ purpose: 'reset', email })
  const answer = await post('reset', { secret, password: 'another password' })
  expect([answer.status, cookieOf(answer)]).toEqual([204, undefined])
  expect((await account(cookie)).status).toBe(401)
  expect((await post('login', { email, password: PASSWORD })).status).toBe(401)
  expect((await post('login', { email, password: 'another password' })).status).toBe(200)
  expect((await post('reset', { secret, password: 'a third password' })).status).toBe(404)
  expect((await entriesOf(api, loginId)).map(({ action }) => action)).toContain('login.reset')
})

test('link for a new password: of eight at the same moment one replaces the password', async () => {
  nextWindow()
  const { loginId, email } = await setUp(api)
  const secret = await resetLink(loginId)
  const statuses = await atOnce(i => post('reset', { secret, password: `another password ${i}` }))
  expect(statuses.filter(status => status === 204)).toHaveLength(1)
  const password = `another password ${statuses.indexOf(204)}`
  expect((await post('login', { email, password })).status).toBe(200)
  nextWindow()
})

test('link for a new password: one of the operator removes the second factor, one that was asked for does not', async () => {
  const { db } = api.services
  const { loginId, email } = await setUp(api)
  const setFactor = async () => {
    await db`update logins set totp_secret = 'x', totp_step = 1 where id = ${loginId}`
    await db`insert into recovery_codes (login_id, hash) values (${loginId}, 'x') on conflict do nothing`
  }
  const factors = async () => {
    const [row] = await db`
      select totp_secret is not null as totp, (select count(*)::int from recovery_codes where login_id = ${loginId}) as codes
      from logins where id = ${loginId}`
    return row
  }
  await setFactor()
  expect((await post('reset', { secret: await resetLink(loginId), password: PASSWORD })).status).toBe(204)
  expect(await factors()).toEqual({ totp: true, codes: 1 })
  expect((await post('reset', { secret: await recoverLink(email), password: PASSWORD })).status).toBe(204)
  expect(await factors()).toEqual({ totp: false, codes: 0 })
  expect((await entriesOf(api, loginId)).at(-1)?.details).toEqual({ removes_second_factor: true })
})

test('link for a new password: a newer one replaces it; a setup link sets no password, and this one sets no login up', async () => {
  nextWindow()
  const { loginId, email } = await setUp(api)
  const first = await resetLink(loginId)
  const second = await recoverLink(email)
  expect((await post('reset', { secret: first, password: PASSWORD })).status).toBe(404)
  expect((await post('setup', { secret: second, password: PASSWORD })).status).toBe(404)
  const { secret } = await invitee(api)
  expect((await post('reset', { secret, password: PASSWORD })).status).toBe(404)
})

test('a link that was asked for works for an hour, one of the operator and one for a set-up for a day', async () => {
  const HOUR = 3_600_000
  const { loginId, email } = await setUp(api)
  for (const [name, make, ms] of [
    ['reset', () => resetLink(loginId), HOUR],
    ['reset', () => recoverLink(email), 24 * HOUR],
    ['setup', async () => (await invitee(api)).secret, 24 * HOUR],
  ] as const) {
    const [secret, made] = [await make(), at]
    // Sending moves the clock, too.
    const statusAfter = async (ms: number) => {
      at = new Date(made.getTime() + ms - 100)
      return (await post('link', { secret })).status
    }
    expect([name, await statusAfter(ms - 1_000), await statusAfter(ms)]).toEqual([name, 200, 404])
    expect((await post(name, { secret, password: PASSWORD })).status).toBe(404)
    at = made
  }
  nextWindow()
})

test('asking for a new password: mails a link to the address of the login', async () => {
  nextWindow()
  const { email, loginId } = await setUp(api)
  expect((await post('reset-request', { email: email.toUpperCase() })).status).toBe(204)
  const mail = await eventually(async () => mailServer.mails.find(each => each.recipients.includes(email)))
  const link = /http:\S+\/reset#(\S+)/.exec(mail.text!)!
  expect(link[0]).toContain(api.services.config.baseUrl)
  expect((await entriesOf(api, loginId)).at(-1)?.action).toBe('login.reset_request')
  expect((await post('reset', { secret: link[1]!, password: 'another password' })).status).toBe(204)
})

test('asking for a new password: a link stays valid for five minutes when another is asked for', async () => {
  nextWindow()
  const { email } = await setUp(api)
  const asked = async (count: number) => {
    expect((await post('reset-request', { email })).status).toBe(204)
    const mails = await eventually(async () => {
      const found = mailServer.mails.filter(each => each.recipients.includes(email))
      return found.length === count && found
    })
    return /reset#(\S+)/.exec(mails.at(-1)!.text!)![1]!
  }
  const [first] = [await asked(1), await asked(2)]
  expect((await post('link', { secret: first })).status).toBe(200)
  at = new Date(at.getTime() + 5 * 60_000 + 1)
  await asked(3)
  expect((await post('link', { secret: first })).status).toBe(404)
})

test('asking for a new password: an unknown address and a disabled login get the same answer, and no mail', async () => {
  nextWindow()
  const [known, disabled] = [await setUp(api), await setUp(api)]
  await api.services.db`update logins set disabled_at = now() where id = ${disabled.loginId}`
  const unknown = `${randomUUID()}@example.com`
  const answers: object[] = []
  for (const email of [unknown, disabled.email, known.email]) {
    const { status, body, headers } = await post('reset-request', { email })
    answers.push({ status, body, headers: [...headers.keys()].sort() })
  }
  expect(answers).toEqual(answers.map(() => answers[0]))
  await eventually(async () => mailServer.mails.some(each => each.recipients.includes(known.email)))
  const others = mailServer.mails.flatMap(({ recipients }) => recipients)
  expect(others).not.toContain(unknown)
  expect(others).not.toContain(disabled.email)
})

test('asking for a new password: ten for an address in fifteen minutes', async () => {
  nextWindow()
  const email = `${randomUUID()}@example.com`
  for (let i = 0; i < 10; i++) expect((await post('reset-request', { email })).status).toBe(204)
  expect((await post('reset-request', { email })).status).toBe(429)
  nextWindow()
})

test('asking for a new password: without a mail server it is refused, whatever the address', async () => {
  const { mail } = api.services.config
  api.services.config.mail = undefined
  const { email } = await setUp(api)
  for (const address of [email, 'unknown@example.com']) {
    const { status, body } = await post('reset-request', { email: address })
    const message = 'This service sends no mail: ask its operator for a link'
    expect([status, body.message]).toEqual([403, message])
  }
  expect((await api.call('GET', '/api/auth/methods')).body.has_mail).toBe(false)
  api.services.config.mail = mail
})
