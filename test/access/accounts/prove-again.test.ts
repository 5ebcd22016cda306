import { Secret, TOTP } from 'otpauth'
import { beforeEach, expect, test } from 'vitest'
import type { Answer } from '../../support/api.ts'
import { headersOf, signIn } from '../../support/browser-session.ts'
import { newAddress } from '../../support/invitations.ts'
import { browserOf, cookieOf, entriesOf, PASSWORD } from '../../support/log-in.ts'
import { siteOf } from '../../support/teammates.ts'
import { useApi } from '../teams/use-api.ts'
import { createAuthenticator } from './authenticator.ts'

const ORIGIN = 'https://analytics.example.com'
const HOUR = 3_600_000
const DAY = 24 * HOUR

let at = new Date('2026-03-01T12:00:15Z')
const api = useApi(() => ({ now: () => at, config: { baseUrl: ORIGIN } }))
const later = (ms: number) => {
  at = new Date(at.getTime() + ms)
}
// Attempts of another test do not count.
beforeEach(() => later(HOUR))

/** A person with a site, who sends requests one after the other; each may give the session a new secret. */
async function person(options: { password?: string } = { password: PASSWORD }) {
  const login = await signIn(api, options)
  const siteId = await siteOf(api, login.teamId)
  const { ask } = browserOf(api, login.secret)
  return { ...login, siteId, ask, prove: (body: object) => ask('POST', '/api/account/proof', body) }
}
type Person = Awaited<ReturnType<typeof person>>

async function withPasskey({ ask }: Person, password: string | undefined = PASSWORD) {
  const authenticator = createAuthenticator(ORIGIN)
  const offered = await ask('POST', '/api/account/passkeys/options', { password })
  await ask('POST', '/api/account/passkeys', { name: 'x', credential: authenticator.create(offered.body) })
  return authenticator
}

/** A second factor. @returns the code that its app shows after some steps of time */
async function withFactor({ ask }: Person) {
  const { secret } = (await ask('POST', '/api/account/totp/secret', {})).body
  const code = (steps = 0) =>
    TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: at.getTime() + steps * 30_000 })
  const added = await ask('POST', '/api/account/totp', { secret, code: code(-1), password: PASSWORD })
  expect(added.status).toBe(200)
  return { code, recoveryCode: added.body.recovery_codes[0] as string }
}

const share = { name: 'x', sections: ['traffic'] }

/** What lets others in, of a person who has made one share and one invitation. */
const MAKING: Record<string, (made: Person & { shareId: string; invitationId: string }) => [string, object]> =
  {
    'a token': () => ['/api/tokens', { name: 'x' }],
    'a share': ({ siteId }) => [`/api/sites/${siteId}/shares`, share],
    'a new link of a share': ({ siteId, shareId }) => [`/api/sites/${siteId}/shares/${shareId}/link`, {}],
    'an invitation': () => ['/api/invitations', { email: newAddress(), role: 'viewer' }],
    'a new link of an invitation': ({ invitationId }) => [`/api/invitations/${invitationId}/resend`, {}],
  }

for (const [name, requestOf] of Object.entries(MAKING)) {
  test(`a proof that is older than 12 hours: is not enough to make ${name} in a browser`, {
    tags: ['a token'].includes(name) ? [] : ['full'],
  }, async () => {
    const self = await person()
    const { ask, siteId } = self
    const shareId = (await ask('POST', `/api/sites/${siteId}/shares`, share)).body.id
    const invitation = { email: newAddress(), role: 'viewer' }
    const invitationId = (await ask('POST', '/api/invitations', invitation)).body.id
    const make = () => {
      const [path, body] = requestOf({ ...self, shareId, invitationId })
      return ask('POST', path, body)
    }
    later(12 * HOUR)
    expect((await make()).status).toBeLessThan(300)
    later(1)
    const refused = await make()
    expect([refused.status, refused.body.code]).toEqual([403, 'proof_required'])
    // Reading and other changes go on.
    expect((await ask('GET', '/api/tokens')).status).toBe(200)
    expect((await ask('PATCH', `/api/sites/${siteId}/pin`)).status).toBe(200)
    expect((await self.prove({ password: PASSWORD })).status).toBe(200)
    expect((await make()).status).toBeLessThan(300)
  })
}

test('a proof that is older than 12 hours: is not asked for of a token', async () => {
  const self = await person()
  const token = await api.token(self)
  later(DAY)
  const made = await api.call('POST', '/api/tokens', { token, body: { name: 'x' } })
  expect(made.status).toBe(201)
})

test('a proof that is older than 12 hours: is said after what the caller may not do at all', async () => {
  const { teamId } = await person()
  const viewer = await signIn(api, { teamId, role: 'viewer' })
  later(DAY)
  const refused = await api.call('POST', '/api/tokens', { headers: viewer.headers, body: { name: 'x' } })
  expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
})

test('a proof: counts for its session alone, for 12 hours, and gives it a new secret', async () => {
  const self = await person()
  const other = await api.call('POST', '/api/auth/login', { body: { email: self.email, password: PASSWORD } })
  const headers = headersOf(api.services, cookieOf(other)!)
  later(DAY)
  const ways = { password: true, second_factor: false, passkey: false }
  const before = await self.ask('GET', '/api/account/proof')
  expect(before.body).toEqual({ counts_until: new Date(at.getTime() - 12 * HOUR).toISOString(), ...ways })
  const proved = await self.prove({ password: PASSWORD })
  expect(proved.body).toEqual({ counts_until: new Date(at.getTime() + 12 * HOUR).toISOString(), ...ways })
  const next = await self.ask('GET', '/api/account/proof')
  expect([next.body, cookieOf(next)]).toEqual([proved.body, expect.stringMatching(/^[\w-]{43}$/)])
  const elsewhere = await api.call('POST', '/api/tokens', { headers, body: { name: 'x' } })
  expect(elsewhere.body.code).toBe('proof_required')
  expect((await entriesOf(api, self.loginId)).at(-1)).toMatchObject({
    action: 'login.prove',
    details: { method: 'password' },
  })
})

const answer = async (self: Person, sign: ReturnType<typeof createAuthenticator>, made = {}) => {
  const { body } = await self.ask('POST', '/api/account/proof/options', {})
  return { credential: sign.get(body, made) }
}
const withCode = (codeOf: (factor: Awaited<ReturnType<typeof withFactor>>) => string | undefined) => {
  return async (self: Person) => ({ password: PASSWORD, code: codeOf(await withFactor(self)) })
}
const passkey = (made?: object) => async (self: Person) => answer(self, await withPasskey(self), made)
/** What a passkey of the person signs for other options than those of the proof. */
const signedFor = (ask: () => Promise<Answer>, made?: object) => async (self: Person) => {
  const authenticator = await withPasskey(self)
  return { credential: authenticator.get((await ask()).body, made) }
}
const post = (path: string) => api.call('POST', path, { body: {} })
const elsewhere = async () => (await person()).ask('POST', '/api/account/proof/options', {})
const QUICK = ['the password', 'the password with the code', 'a passkey of another login']
const CODES: Record<number, string> = { 403: 'forbidden', 422: 'validation_failed' }
/** What is sent, and its answer; `bare` is a login without a password. */
const ATTEMPTS: [name: string, status: number, given: (self: Person) => Promise<object> | object, 'bare'?][] =
  [
    ['the password', 200, () => ({ password: PASSWORD })],
    ['a wrong password', 403, () => ({ password: 'wrong password' })],
    ['nothing', 422, () => ({})],
    ['a password of a login without one', 403, () => ({ password: PASSWORD }), 'bare'],
    ['the password without the code of the second factor', 422, withCode(() => undefined)],
    ['the password with a wrong code', 403, withCode(() => '000000')],
    ['the password with the code', 200, withCode(({ code }) => code())],
    ['the password with a recovery code', 200, withCode(({ recoveryCode }) => recoveryCode)],
    [
      'a passkey, without the second factor',
      200,
      async self => {
        const authenticator = await withPasskey(self)
        await withFactor(self)
        return answer(self, authenticator)
      },
    ],
    ['a passkey of a login without a password', 200, passkey(), 'bare'],
    ['a passkey that has not verified the person', 403, passkey({ isVerified: false })],
    ['a passkey of another login', 403, async self => answer(self, await withPasskey(await person()))],
    ['what a passkey signed to sign in', 403, signedFor(() => post('/api/auth/passkey/options'))],
    ['what a passkey signed in another session', 403, signedFor(elsewhere, { userHandle: null })],
  ]
for (const [name, status, given, bare] of ATTEMPTS) {
  test(`a proof: a proof: is given with ${name}`, {
    tags: QUICK.includes(name) ? [] : ['full'],
  }, async () => {
    const self = await person(bare ? {} : undefined)
    const body = await given(self)
    // Not by the clock: codes and challenges do not last so long.
    await api.services.db`
      update browser_sessions set authenticated_at = ${new Date(at.getTime() - DAY)} where id = ${self.sessionId}`
    const proved = await self.prove(body)
    expect([proved.status, proved.body.code]).toEqual([status, CODES[status]])
    const made = await self.ask('POST', '/api/tokens', { name: 'x' })
    expect(made.status).toBe(status === 200 ? 201 : 403)
  })
}

test('a proof: is refused after ten wrong ones in fifteen minutes, which count with those of other changes', async () => {
  const self = await person()
  const wrong = { password: 'another password', current_password: 'wrong password' }
  for (let each = 0; each < 5; each++) {
    expect((await self.prove({ password: 'wrong password' })).status).toBe(403)
    expect((await self.ask('PUT', '/api/account/password', wrong)).status).toBe(403)
  }
  expect((await self.prove({ password: PASSWORD })).status).toBe(429)
  const right = { ...wrong, current_password: PASSWORD }
  expect((await self.ask('PUT', '/api/account/password', right)).status).toBe(429)
  later(HOUR / 4)
  expect((await self.prove({ password: PASSWORD })).status).toBe(200)
  const failures = (await entriesOf(api, self.loginId)).filter(({ action }) => action === 'login.failure')
  expect(failures.map(({ details }) => details)).toEqual(
    Array(5).fill({ method: 'proof with password', reason: 'password' }),
  )
})

/** Changes that are proved each time. */
const PROVED: Record<string, (self: Person) => Promise<[method: string, path: string, body?: object]>> = {
  'to add a passkey': async () => ['POST', '/api/account/passkeys/options'],
  'to hand a team over': async ({ teamId }) => {
    const { userId } = await signIn(api, { teamId, role: 'admin' })
    return ['POST', `/api/users/${userId}/transfer`]
  },
  'to delete a team': async () => ['DELETE', '/api/team', { name: 'Test' }],
}
test.each(Object.entries(PROVED))(
  'a proof: is needed %s: the password, or without one a sign-in of the last 15 minutes',
  async (_, requestOf) => {
    const statusFor = async (self: Person, password?: unknown) => {
      const [method, path, body] = await requestOf(self)
      return (await self.ask(method, path, { ...body, password })).status
    }
    const [self, other] = [await person(), await person({})]
    for (const wrong of [undefined, 'wrong password']) expect(await statusFor(self, wrong)).toBe(403)
    expect(await statusFor(self, 5)).toBe(422)
    expect(await statusFor(self, PASSWORD)).toBeLessThan(300)
    later(HOUR / 4 + 60_000)
    expect(await statusFor(other)).toBe(403)
  },
)

test('a proof: is a passkey or single sign-on where passwords are turned off', async () => {
  const self = await person()
  api.services.config.hasPasswords = false
  const state = await self.ask('GET', '/api/account/proof')
  const proved = await self.prove({ password: PASSWORD })
  api.services.config.hasPasswords = true
  expect(state.body).toMatchObject({ password: false, second_factor: false, passkey: false })
  expect(proved.status).toBe(403)
})

test('a session ends 90 days after signing in, however much it is used', async () => {
  const { ask, email } = await person()
  const began = at
  const ends = async () => (await ask('GET', '/api/account/sessions')).body[0].expires_at
  for (let day = 0; day < 75; day += 15) {
    expect((await ask('GET', '/api/account')).status).toBe(200)
    // The next request would be the first that is written.
    expect(await ends()).toBe(
      new Date(Math.min(at.getTime() + 30 * DAY, began.getTime() + 90 * DAY)).toISOString(),
    )
    later(15 * DAY)
  }
  // A change of the login, or a proof, does not make it longer.
  expect((await ask('PATCH', '/api/account', { name: 'Ada' })).status).toBe(200)
  expect((await ask('POST', '/api/account/proof', { password: PASSWORD })).status).toBe(200)
  expect(await ends()).toBe(new Date(began.getTime() + 90 * DAY).toISOString())
  later(15 * DAY - 1)
  expect((await ask('GET', '/api/account')).status).toBe(200)
  later(1)
  expect((await ask('GET', '/api/account')).status).toBe(401)
  const again = await api.call('POST', '/api/auth/login', { body: { email, password: PASSWORD } })
  expect(again.status).toBe(200)
})
