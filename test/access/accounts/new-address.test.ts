import { beforeEach, expect, test } from 'vitest'
import { createLink } from '../../../src/access/accounts/links.ts'
import { disableLogin } from '../../../src/access/teams/manage-logins.ts'
import { newAddress } from '../../support/invitations.ts'
import { browserOf, entriesOf, PASSWORD, setUp } from '../../support/log-in.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { ofFile } from '../../support/of-file.ts'
import { queuedMails } from '../../support/queued-mails.ts'
import { useApi } from '../teams/use-api.ts'

const server = ofFile(() =>
  startMailServer(address => (address.startsWith('refused') ? new Error('no') : undefined)),
)

let at = new Date('2026-03-01T12:00:00Z')
const api = useApi(() => ({ now: () => at, config: { mail: server.mail } }))
const later = (hours: number) => {
  at = new Date(at.getTime() + hours * 3_600_000)
}
beforeEach(() => later(1))

async function person() {
  const made = await setUp(api)
  const { ask, headers } = browserOf(api, made.cookie)
  const change = (body: object) => ask('PATCH', '/api/account', body)
  return { ...made, ask, headers, change, read: async () => (await ask('GET', '/api/account')).body }
}
type Person = Awaited<ReturnType<typeof person>>

/** Asks for a new address. @returns it with the secret of the link that was mailed to it */
async function ask({ change }: Person, email = newAddress()) {
  expect((await change({ email, password: PASSWORD })).status).toBe(200)
  const mail = server.mails.findLast(({ recipients }) => recipients.includes(email))!
  return { email, mail, secret: /confirm-address#([\w-]{43})/.exec(mail.text!)![1]! }
}

const confirm = (secret: string, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/auth/confirm-address', { body: { secret }, headers })
const login = (email: string) => api.call('POST', '/api/auth/login', { body: { email, password: PASSWORD } })

test('a new address of a login: counts when it was confirmed with the link that was mailed to it; until then the old one does', async () => {
  const self = await person()
  const { email: before } = self
  const { email, mail, secret } = await ask(self)
  expect(mail.text).toContain(`The login ${before} at`)
  expect(await self.read()).toMatchObject({ email: before, pending_email: email })
  expect((await login(email)).status).toBe(401)
  expect((await login(before)).status).toBe(200)
  const look = await api.call('POST', '/api/auth/link', { body: { secret } })
  expect(look.body).toEqual({ purpose: 'address', email, may_change_email: false })
  const done = await confirm(secret)
  expect([done.status, done.body]).toEqual([200, { email }])
  expect(await self.read()).toMatchObject({ email, pending_email: null })
  expect([(await login(email)).status, (await login(before)).status]).toEqual([200, 401])
  expect((await confirm(secret)).status).toBe(404)
  const actions = (await entriesOf(api, self.loginId)).map(({ action }) => action)
  expect(actions).toEqual(expect.arrayContaining(['login.address_request', 'login.change']))
})

test('a new address of a login: is told to the old address when it is asked for, and to both when it counts', async () => {
  const self = await person()
  const subjects = async (address: string) =>
    (await queuedMails(api, address)).map(({ subject }) => subject.split(':')[0])
  const { email, secret } = await ask(self)
  expect(await subjects(self.email)).toEqual(['A new e-mail address waits for its confirmation'])
  expect(await subjects(email)).toEqual([])
  later(0.1)
  await confirm(secret)
  expect((await subjects(self.email)).at(-1)).toBe('The e-mail address was changed')
  expect(await subjects(email)).toEqual(['The e-mail address was changed'])
  expect((await queuedMails(api, email))[0]!.text).toContain(`from ${self.email} to ${email}`)
})

test('a new address of a login: is proved as theirs only where they are signed in themselves: a stranger may follow the link by mistake', async () => {
  const isProven = async ({ loginId }: Person) => {
    const [row] = await api.services.db`select email_proven_at from logins where id = ${loginId}`
    return row!.email_proven_at !== null
  }
  const proven = []
  for (const who of ['nobody', 'self', 'other'] as const) {
    const self = await person()
    const { secret } = await ask(self)
    const browser = who === 'other' ? await person() : self
    await confirm(secret, who === 'nobody' ? {} : browser.headers())
    proven.push(await isProven(self))
  }
  expect(proven).toEqual([false, true, false])
})

/** What makes a link stop working. */
const ENDS: Record<string, (self: Person) => unknown> = {
  'a day': () => later(24),
  'another address': self => ask(self),
  'the present address, which takes it back': self => self.change({ email: self.email }),
  'a new password': self =>
    self.ask('PUT', '/api/account/password', { password: 'another password', current_password: PASSWORD }),
  'a link of the operator': ({ loginId }) =>
    createLink(api.services.db, 'recover', { email: null, loginId }, at),
  'a login that is disabled': ({ email }) => disableLogin(api.services.db, email, at),
}
for (const [name, end] of Object.entries(ENDS)) {
  test(`a new address of a login: is not confirmed any more after ${name}`, {
    tags: ['a day'].includes(name) ? [] : ['full'],
  }, async () => {
    const self = await person()
    const { secret } = await ask(self)
    await end(self)
    expect((await confirm(secret)).status).toBe(404)
    const [row] = await api.services.db`select email from logins where id = ${self.loginId}`
    expect(row!.email).toBe(self.email)
  })
}

test('a new address of a login: leaves the link for a new password, and the link for a new password leaves it', async () => {
  const self = await person()
  const reset = await createLink(api.services.db, 'reset', { email: null, loginId: self.loginId }, at)
  const { secret } = await ask(self)
  expect((await api.call('POST', '/api/auth/link', { body: { secret: reset } })).status).toBe(200)
  later(0.2)
  await createLink(api.services.db, 'reset', { email: null, loginId: self.loginId }, at)
  expect((await confirm(secret)).status).toBe(200)
  // It was mailed to the old address.
  expect((await api.call('POST', '/api/auth/link', { body: { secret: reset } })).status).toBe(404)
})

test('a new address of a login: is refused when another login took it meanwhile, and the link is not used up', async () => {
  const [self, other] = [await person(), await person()]
  const { email, secret } = await ask(self)
  await api.services.db`update logins set email = ${email} where id = ${other.loginId}`
  const refused = await confirm(secret)
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['email']])
  await api.services.db`update logins set email = ${other.email} where id = ${other.loginId}`
  expect((await confirm(secret)).status).toBe(200)
})

test('a new address of a login: that the mail server refuses changes nothing, and the session goes on', async () => {
  const self = await person()
  const answer = await self.change({ email: `refused-${newAddress()}`, password: PASSWORD, name: 'Ada' })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60'])
  expect(await self.read()).toMatchObject({ email: self.email, pending_email: null, name: null })
  expect(await queuedMails(api, self.email)).toEqual([])
})

test('a new address of a login: needs the password, and is asked for at most 100 times on a day', async () => {
  const self = await person()
  expect((await self.change({ email: newAddress() })).status).toBe(403)
  await api.services.db`
    update logins set mail_day = ${at.toISOString().slice(0, 10)}, mail_count = 99 where id = ${self.loginId}`
  await ask(self)
  const refused = await self.change({ email: newAddress(), password: PASSWORD })
  expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
  later(24)
  await ask(self)
})
