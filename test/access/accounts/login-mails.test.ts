import { randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createLink } from '../../../src/access/accounts/links.ts'
import { noticeTexts } from '../../../src/access/accounts/notices/notice-texts.ts'
import { sendQueuedMails } from '../../../src/outgoing/notifications/send-queued-mails.ts'
import { LANGUAGES } from '../../../src/platform/mail/languages.ts'
import { type SignedIn, signIn } from '../../support/browser-session.ts'
import { acceptAs, invite, secretOf } from '../../support/invitations.ts'
import { browserOf, PASSWORD, setUp } from '../../support/log-in.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { queuedMails } from '../../support/queued-mails.ts'
import { teammate } from '../../support/teammates.ts'
import { useApi } from '../teams/use-api.ts'
import { createAuthenticator } from './authenticator.ts'

const ORIGIN = 'https://analytics.example.com'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const MAIL = { url: 'smtp://127.0.0.1:1', from: 'Analytics <analytics@example.com>' }

let at = new Date('2026-03-01T12:00:15Z')
const api = useApi(() => ({ now: () => at, config: { baseUrl: ORIGIN, mail: MAIL } }))
beforeEach(() => {
  at = new Date(at.getTime() + 3_600_000)
})

async function person(options: Parameters<typeof signIn>[1] = {}) {
  const login = await signIn(api, { password: PASSWORD, ...options })
  return { ...login, ask: browserOf(api, login.secret, { 'User-Agent': FIREFOX }).ask }
}
type Person = Awaited<ReturnType<typeof person>>

const login = ({ email }: { email: string }, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/auth/login', { body: { email, password: PASSWORD }, headers })

async function addFactor({ ask }: Person) {
  const { secret } = (await ask('POST', '/api/account/totp/secret')).body
  const code = TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: at.getTime() })
  return ask('POST', '/api/account/totp', { secret, code, password: PASSWORD })
}

async function addPasskey({ ask }: Person) {
  const { body } = await ask('POST', '/api/account/passkeys/options', { password: PASSWORD })
  const credential = createAuthenticator(ORIGIN).create(body)
  return ask('POST', '/api/account/passkeys', { name: 'Laptop', credential })
}

const OTHER = { password: 'another password' }

const link = async ({ loginId }: SignedIn, purpose: 'reset' | 'recover') => {
  const secret = await createLink(api.services.db, purpose, { email: null, loginId }, at)
  return api.call('POST', '/api/auth/reset', { body: { secret, ...OTHER } })
}

const identity = ({ loginId }: SignedIn) => api.services.db`
  insert into oidc_identities (issuer, subject, login_id) values ('https://login.example', ${randomUUID()}, ${loginId})`

interface Case {
  /** What is there before; its mails are not looked at. */
  first?: (person: Person) => PromiseLike<unknown>
  change: (person: Person) => Promise<{ status: number }>
  subject: string
  says: string
  /** Page of the link; of the login's own security unless given. */
  page?: string
}

const CHANGES: Record<string, Case> = {
  'a new password': {
    change: ({ ask }) => ask('PUT', '/api/account/password', { ...OTHER, current_password: PASSWORD }),
    subject: 'Your password was changed',
    says: 'A new password was set',
    page: '/reset',
  },
  'a password by a link that was asked for': {
    change: person => link(person, 'reset'),
    subject: 'Your password was replaced with a link',
    says: 'All devices were signed out',
    page: '/reset',
  },
  'a link of the operator': {
    change: person => link(person, 'recover'),
    subject: 'A link of the operator was used',
    says: 'The second factor was removed',
    page: '/login',
  },
  'a second factor': { change: addFactor, subject: 'A second factor was added', says: 'needs its code' },
  'a second factor that is removed': {
    first: addFactor,
    change: ({ ask }) => ask('DELETE', '/api/account/totp', { password: PASSWORD }),
    subject: 'The second factor was removed',
    says: 'the password alone',
  },
  'new recovery codes': {
    first: addFactor,
    change: ({ ask }) => ask('POST', '/api/account/recovery-codes', { password: PASSWORD }),
    subject: 'New recovery codes were made',
    says: 'Those before do not work',
  },
  'a passkey': { change: addPasskey, subject: 'A passkey was added', says: 'The passkey “Laptop” was added' },
  'a passkey that is removed': {
    first: addPasskey,
    change: async ({ ask }) => {
      const [passkey] = (await ask('GET', '/api/account/passkeys')).body
      return ask('DELETE', `/api/account/passkeys/${passkey.id}`, { password: PASSWORD })
    },
    subject: 'A passkey was removed',
    says: 'The passkey “Laptop” was removed',
  },
  'a link to single sign-on that is removed': {
    first: identity,
    change: async ({ ask }) => {
      const [linked] = (await ask('GET', '/api/account/identities')).body
      return ask('DELETE', `/api/account/identities/${linked.id}`, { password: PASSWORD })
    },
    subject: 'The link to single sign-on was removed',
    says: 'https://login.example',
  },
  'a token': {
    change: ({ ask }) => ask('POST', '/api/tokens', { name: 'Nightly\nexport' }),
    subject: 'A token was made',
    says: 'The token “Nightly export” was made for you in the team “Test”',
    page: '/team/tokens',
  },
}

const QUICK = ['a new password', 'a token']

for (const [name, { first, change, subject, says, page = '/account/security' }] of Object.entries(CHANGES)) {
  test(`mails about a login: are queued for ${name}`, {
    tags: QUICK.includes(name) ? [] : ['full'],
  }, async () => {
    const someone = await person()
    await first?.(someone)
    await api.services.db`delete from queued_mails where address = ${someone.email}`
    expect((await change(someone)).status).toBeLessThan(300)
    const [mail, ...others] = await queuedMails(api, someone.email)
    expect(others).toEqual([])
    expect(mail).toMatchObject({ subject: `${subject}: analytics.example.com`, language: 'en' })
    const text = mail!.text.split('\n')
    expect(text[0]).toContain(says)
    expect(text[1]).toBe(`Login ${someone.email} at analytics.example.com`)
    const hour = at.toISOString().slice(11, 16)
    expect(text[2]).toMatch(
      new RegExp(`^Time: ${at.getUTCDate()} March 2026.* ${hour} UTC · Browser: .* · Network: 127.0.0.0/24$`),
    )
    expect(text[3]).toMatch(/^If /)
    expect(text[4]).toMatch(new RegExp(`: ${ORIGIN}${page}$`))
  })
}

test('mails about a login: name the browser, and come in the language of the interface that signed in last', async () => {
  const someone = await setUp(api)
  const headers = { 'Accept-Language': 'fr, de-AT;q=0.9, en;q=0.8', 'User-Agent': FIREFOX }
  expect((await login(someone, headers)).body.language).toBe('de')
  const [mail] = await queuedMails(api, someone.email)
  expect(mail).toMatchObject({ language: 'de', subject: expect.stringContaining('Ein neuer Browser') })
  expect(mail!.text).toContain('Browser: Firefox auf Linux')
})

test('mails about a login: come in the language that the person chose', async () => {
  const { ask, email } = await person()
  expect((await ask('PATCH', '/api/account', { language: 'de' })).body.language).toBe('de')
  await ask('POST', '/api/tokens', { name: 'x' })
  expect(await queuedMails(api, email)).toMatchObject([{ language: 'de' }])
})

test('mails about a login: say once that a browser is new: not at the first sign-in, and not when it signs in again', async () => {
  const someone = await setUp(api)
  const count = async () => (await queuedMails(api, someone.email)).length
  expect(await count()).toBe(0)
  const first = await login(someone)
  expect(await count()).toBe(1)
  const known = /__Host-analytics_browser=[^;]+/.exec(first.headers.getSetCookie().join('\n'))![0]
  await login(someone, { Cookie: known })
  expect(await count()).toBe(1)
  await login(someone, { Cookie: known.replace(/.$/, '!') })
  expect(await count()).toBe(2)
})

test('mails about a login: tell of tokens that a token makes once a day, and whose token it was', async () => {
  const someone = await signIn(api)
  const token = await api.token(someone)
  const make = () => api.call('POST', '/api/tokens', { token, body: { name: 'child' } })
  for (const after of [0, 0, 24]) {
    at = new Date(at.getTime() + after * 3_600_000)
    expect((await make()).status).toBe(201)
  }
  const mails = await queuedMails(api, someone.email)
  expect(mails.map(({ text }) => text.split('\n')[0])).toEqual(
    Array(2).fill(expect.stringContaining('Your token “test” made the token “child”')),
  )
})

test('mails about a login: tell all owners of a team of a new one, also of one who was invited', async () => {
  const owner = await teammate(api)
  const { teamId } = owner
  const [admin, guest] = [await teammate(api, { teamId, role: 'admin' }), await teammate(api)]
  await teammate(api, { teamId, role: 'member', email: `member-${teamId}@example.com` })
  const change = await owner.ask('PATCH', `/api/users/${admin.userId}`, { role: 'owner' })
  expect(change.status).toBe(200)
  await owner.ask('PATCH', `/api/users/${admin.userId}`, { role: 'owner' })
  at = new Date(at.getTime() + 1_000)
  const invited = await invite(owner, { role: 'owner' })
  expect((await acceptAs(guest, secretOf(invited))).status).toBe(200)
  const newOwners = async (address: string) =>
    (await queuedMails(api, address)).map(({ text }) => / is now an owner of the team “Test”/.test(text))
  expect(await newOwners(owner.email)).toEqual([true, true])
  expect(await newOwners(admin.email)).toEqual([true, true])
  expect(await newOwners(guest.email)).toEqual([true])
  expect(await newOwners(`member-${teamId}@example.com`)).toEqual([])
  expect((await queuedMails(api, owner.email))[0]!.text).toContain(`${admin.email} is now`)
  expect((await queuedMails(api, owner.email))[0]!.text).toContain(`done by ${owner.email}`)
})

test('mails about a login: reach an address at most 50 times in 24 hours', async () => {
  const { ask, email } = await person()
  await api.services.db`
    insert into queued_mails (key, address, language, subject, paragraphs, created_at, next_at)
    select 'test/' || n, ${email}, 'en', '', '[]', ${at}, ${at} from generate_series(1, 49) as n`
  const made = async () => {
    await ask('POST', '/api/tokens', { name: 'x' })
    return (await queuedMails(api, email)).length
  }
  expect([await made(), await made()]).toEqual([50, 50])
  await api.services
    .db`update queued_mails set created_at = created_at - interval '1 day' where address = ${email}`
  expect(await made()).toBe(51)
})

test('mails about a login: are not made where the service sends no mail, and nothing fails', async () => {
  const { config } = api.services
  config.mail = undefined
  onTestFinished(() => {
    config.mail = MAIL
  })
  const someone = await person()
  for (const { first, change } of [CHANGES['a passkey that is removed']!, CHANGES['a token']!]) {
    await first?.(someone)
    expect((await change(someone)).status).toBeLessThan(300)
  }
  expect((await login(someone)).status).toBe(200)
  expect(await queuedMails(api, someone.email)).toEqual([])
})

test('mails about a login: are handed to the mail server, though they belong to no site', async () => {
  const server = await startMailServer()
  onTestFinished(() => server.close())
  const { ask, email } = await person()
  await ask('POST', '/api/tokens', { name: '<b>' })
  const services = { ...api.services, config: { ...api.services.config, mail: server.mail } }
  // Those of other tests are sent, too: twenty in a round.
  for (let round = 0; round < 5; round++) await sendQueuedMails(services, at)
  const [mail, ...others] = server.mails.filter(({ recipients }) => recipients.includes(email))
  expect(others).toEqual([])
  expect(mail!.subject).toBe('A token was made: analytics.example.com')
  expect(mail!.text).toContain('The token “<b>” was made')
  expect(mail!.html).toContain('The token “&lt;b&gt;” was made')
})

test('mails about a login: each language says everything in words of its own', () => {
  const [english, ...others] = LANGUAGES.map(noticeTexts)
  for (const texts of others) {
    for (const kind of Object.keys(english!.subjects) as (keyof typeof texts.subjects)[]) {
      expect(texts.subjects[kind]).not.toBe(english!.subjects[kind])
      expect(String(texts.sentences[kind])).not.toBe(String(english!.sentences[kind]))
    }
  }
})
