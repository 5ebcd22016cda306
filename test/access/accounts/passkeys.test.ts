import { generateKeyPairSync } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { headersOf, type SignedIn, signIn } from '../../support/browser-session.ts'
import { cookieOf, PASSWORD } from '../../support/log-in.ts'
import { useApi } from '../teams/use-api.ts'
import { type Authenticator, createAuthenticator, type Made } from './authenticator.ts'

const ORIGIN = 'https://analytics.example.com'
const OWN = { 'Sec-Fetch-Site': 'same-origin' }

let now = new Date('2026-11-22T12:00:00Z')
const api = useApi(() => ({ config: { baseUrl: ORIGIN }, now: () => now }))
// Failed attempts of one test must not count in the next.
const nextHour = () => {
  now = new Date(now.getTime() + 3_600_000)
}
beforeEach(nextHour)

const post = (path: string, body: unknown, headers: Record<string, string>) =>
  api.call('POST', path, { body, headers })

/** Sends a change of the person's own login, which gives their session a new secret. */
async function change(person: SignedIn, method: string, path: string, body: unknown) {
  const answer = await api.call(method, path, { body, headers: person.headers })
  const secret = cookieOf(answer)
  if (secret) person.headers = headersOf(api.services, secret)
  return answer
}

const add = (person: SignedIn, credential: unknown) =>
  change(person, 'POST', '/api/account/passkeys', { name: 'Laptop', credential })

async function offered({ headers }: SignedIn, password?: string) {
  const answer = await post('/api/account/passkeys/options', { password }, headers)
  expect(answer.status).toBe(200)
  return answer.body
}

/** Adds a passkey of a new authenticator. */
async function withPasskey(person: SignedIn): Promise<Authenticator> {
  const authenticator = createAuthenticator(ORIGIN)
  const credential = authenticator.create(await offered(person))
  const added = await add(person, credential)
  expect(added.status).toBe(201)
  return authenticator
}

const challenged = async () => (await post('/api/auth/passkey/options', {}, OWN)).body

async function use(authenticator: Authenticator, made: Made = {}, headers: Record<string, string> = OWN) {
  return post('/api/auth/passkey', { credential: authenticator.get(await challenged(), made) }, headers)
}

const list = (headers: Record<string, string>) => api.call('GET', '/api/account/passkeys', { headers })

const auditOf = ({ teamId }: SignedIn) =>
  api.services.db<{ action: string; actor: string; network: string; details: object }[]>`
    select action, actor, network, details from audit_log where team_id = ${teamId} order by id`

/** The newest entry. */
const lastOf = async (person: SignedIn) => (await auditOf(person)).at(-1)

test('passkeys: one that was added signs in without an e-mail address, password or code', async () => {
  const person = await signIn(api)
  const authenticator = await withPasskey(person)
  const { redis } = api.services
  const before = await redis.keys('passkey:*')
  const options = await challenged()
  const [kept, ...others] = (await redis.keys('passkey:*')).filter(key => !before.includes(key))
  const seconds = await redis.ttl(kept!)
  expect([others, seconds > 290 && seconds <= 300]).toEqual([[], true])
  expect(options).toEqual({
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    rpId: 'analytics.example.com',
    timeout: 300_000,
    userVerification: 'required',
  })
  const answer = await post('/api/auth/passkey', { credential: authenticator.get(options) }, OWN)
  expect([answer.status, answer.body]).toEqual([
    200,
    expect.objectContaining({ id: person.loginId, email: person.email, passkeys: 1 }),
  ])
  expect(answer.headers.get('set-cookie')).toMatch(/HttpOnly; Secure; SameSite=Lax$/)
  const listed = await list(headersOf(api.services, cookieOf(answer)!))
  const at = now.toISOString()
  expect(listed.body).toEqual([{ id: authenticator.id, name: 'Laptop', last_used_at: at, created_at: at }])
  const by = { actor: person.email, network: '127.0.0.0/24' }
  expect((await auditOf(person)).slice(-2)).toEqual([
    { ...by, action: 'passkey.add', details: { name: 'Laptop' } },
    { ...by, action: 'login.success', details: { method: 'passkey' } },
  ])
})

test('passkeys: adding one and signing in each make a new session and end the one that the browser had', async () => {
  const person = await signIn(api)
  const before = person.headers
  const authenticator = await withPasskey(person)
  expect([(await list(before)).status, (await list(person.headers)).status]).toEqual([401, 200])
  const answer = await use(authenticator, {}, person.headers)
  expect([answer.status, (await list(person.headers)).status]).toEqual([200, 401])
  expect(cookieOf(answer)).not.toBe(person.secret)
})

test('passkeys: an authenticator that does not count signs in again and again', async () => {
  const authenticator = await withPasskey(await signIn(api))
  await api.services.db`update passkeys set counter = 0 where id = ${authenticator.id}`
  for (let i = 0; i < 3; i++) expect((await use(authenticator, { counter: 0 })).status).toBe(200)
})

const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
test('passkeys: an answer that is wrong is refused, and its challenge is used up', async () => {
  const person = await signIn(api)
  const authenticator = await withPasskey(person)
  const wrongs: Made[] = [
    { origin: 'https://evil.example' },
    { origin: 'http://analytics.example.com' },
    { rpId: 'evil.example' },
    { type: 'webauthn.create' },
    { isVerified: false },
    { key: stranger },
    { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' },
  ]
  for (const made of wrongs) {
    const options = await challenged()
    const wrong = await post('/api/auth/passkey', { credential: authenticator.get(options, made) }, OWN)
    expect([made, wrong.status, wrong.headers.get('set-cookie')]).toEqual([made, 401, null])
    const right = await post('/api/auth/passkey', { credential: authenticator.get(options) }, OWN)
    expect(right.status).toBe(401)
    expect(await lastOf(person)).toMatchObject({
      ...{ action: 'login.failure', details: { method: 'passkey', reason: 'signature' } },
    })
    expect((await use(authenticator)).status).toBe(200)
    nextHour()
  }
})

test('passkeys: of two uses of one answer at the same time, one signs in', async () => {
  const authenticator = await withPasskey(await signIn(api))
  const credential = authenticator.get(await challenged())
  const answers = await Promise.all([1, 2, 3].map(() => post('/api/auth/passkey', { credential }, OWN)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
})

test('passkeys: a challenge that the service did not make, or made to add a passkey, is refused', async () => {
  const person = await signIn(api)
  const authenticator = await withPasskey(person)
  const invented = { challenge: 'A'.repeat(43), rpId: 'analytics.example.com' }
  const adding = { ...(await offered(person)), rpId: 'analytics.example.com' }
  for (const options of [invented, adding]) {
    const credential = authenticator.get(options)
    expect((await post('/api/auth/passkey', { credential }, OWN)).status).toBe(401)
  }
})

test('passkeys: a counter that does not grow is refused as a copy and recorded, with the right key alone', async () => {
  const person = await signIn(api)
  const authenticator = await withPasskey(person)
  expect((await use(authenticator, { counter: 5 })).status).toBe(200)
  for (const counter of [0, 4, 5]) {
    const cloned = await use(authenticator, { counter })
    expect([cloned.status, cloned.headers.get('set-cookie')]).toEqual([401, null])
    expect(cloned.body.message).toContain('copy')
    expect(await lastOf(person)).toMatchObject({
      ...{ action: 'login.failure', details: { method: 'passkey', reason: 'counter' } },
    })
  }
  await use(authenticator, { counter: 1, key: stranger })
  expect(await lastOf(person)).toMatchObject({ details: { reason: 'signature' } })
  expect((await use(authenticator, { counter: 6 })).status).toBe(200)
})

test('passkeys: one that is unknown is refused; the audit log has it without a team', async () => {
  const authenticator = createAuthenticator(ORIGIN)
  expect((await use(authenticator)).status).toBe(401)
  const [entry] = await api.services.db`
    select team_id, login_id, actor, details from audit_log where action = 'login.failure' order by id desc limit 1`
  expect(entry).toEqual({
    team_id: null,
    login_id: null,
    actor: 'unknown passkey',
    details: { method: 'passkey', reason: 'unknown' },
  })
})

test('passkeys: a disabled login is refused', async () => {
  const person = await signIn(api)
  const authenticator = await withPasskey(person)
  await api.services.db`update logins set disabled_at = now() where id = ${person.loginId}`
  const answer = await use(authenticator)
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null])
  expect(await lastOf(person)).toMatchObject({ details: { reason: 'disabled' } })
})

test('passkeys: after ten failures of a network in 15 minutes, no attempt is looked at; successes do not count', {
  tags: ['full'],
}, async () => {
  const authenticator = await withPasskey(await signIn(api))
  for (let i = 0; i < 12; i++) expect((await use(authenticator)).status).toBe(200)
  for (let i = 0; i < 10; i++) expect((await use(createAuthenticator(ORIGIN))).status).toBe(401)
  const late = await use(authenticator)
  expect(late.status).toBe(429)
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  now = new Date(now.getTime() + 15 * 60_000)
  expect((await use(authenticator)).status).toBe(200)
})

test('passkeys: a body without a whole credential is not valid', async () => {
  const part = { rawId: 'a', type: 'public-key' }
  for (const credential of [undefined, 'text', { ...part, id: 'a', response: {} }, { ...part, id: 'ä' }])
    expect((await post('/api/auth/passkey', { credential }, OWN)).status).toBe(422)
})

test('passkeys: parts that cannot be decoded are refused, never an error of the service', async () => {
  const authenticator = await withPasskey(await signIn(api))
  for (const field of ['clientDataJSON', 'authenticatorData', 'signature'] as const) {
    for (const value of ['AAAA', 'bnVsbA', 'e30', 'A'.repeat(9_000)]) {
      const { response, ...credential } = authenticator.get(await challenged())
      const body = { credential: { ...credential, response: { ...response, [field]: value } } }
      expect([401, 429]).toContain((await post('/api/auth/passkey', body, OWN)).status)
    }
  }
})

test('passkeys: what the authenticator is asked for', async () => {
  const person = await signIn(api, { name: 'Ada' })
  const first = await withPasskey(person)
  expect(await offered(person)).toEqual({
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    timeout: 300_000,
    rp: { id: 'analytics.example.com', name: 'Analytics' },
    user: { id: expect.stringMatching(/^[\w-]{22}$/), name: person.email, displayName: 'Ada' },
    pubKeyCredParams: [-8, -7, -257].map(alg => ({ type: 'public-key', alg })),
    excludeCredentials: [{ type: 'public-key', id: first.id, transports: ['internal'] }],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
  })
})

test('passkeys: one that was made for anything else is not added', async () => {
  const person = await signIn(api)
  for (const made of [
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { type: 'webauthn.get' },
    { challenge: 'A'.repeat(43) },
    { isVerified: false },
  ]) {
    const answer = await add(person, createAuthenticator(ORIGIN).create(await offered(person), made))
    expect([made, answer.status, Object.keys(answer.body.errors)]).toEqual([made, 422, ['credential']])
  }
  expect((await list(person.headers)).body).toEqual([])
})

test('passkeys: an answer adds one passkey, in the session that asked for it and to one login', async () => {
  const [person, other] = [await signIn(api), await signIn(api)]
  const authenticator = createAuthenticator(ORIGIN)
  const credential = authenticator.create(await offered(person))
  expect((await add(other, credential)).status).toBe(422)
  expect((await add(person, credential)).status).toBe(201)
  expect((await add(person, credential)).status).toBe(422)
  expect((await add(other, authenticator.create(await offered(other)))).status).toBe(422)
})

test('passkeys: what an authenticator says about its make is not looked at: nothing is fetched for it', async () => {
  const person = await signIn(api)
  const said = { alg: -7, sig: new Uint8Array(70), x5c: [new Uint8Array(300)] }
  const statement = { fmt: 'packed', attStmt: new Map<string, unknown>(Object.entries(said)) }
  const credential = createAuthenticator(ORIGIN).create(await offered(person), { statement })
  expect((await add(person, credential)).status).toBe(201)
})

test('passkeys: an attestation that cannot be decoded is refused', async () => {
  const person = await signIn(api)
  for (const attestationObject of ['AAAA', 'oA', 'A'.repeat(90_000)]) {
    const { response, ...credential } = createAuthenticator(ORIGIN).create(await offered(person))
    const broken = { ...credential, response: { ...response, attestationObject } }
    expect((await add(person, broken)).status).toBe(422)
  }
})

test('passkeys: a login has 20 at most, however many were begun to be added', async () => {
  const person = await signIn(api)
  await api.services.db`
    insert into passkeys (id, login_id, name, public_key)
    select 'id-' || gen_random_uuid(), ${person.loginId}, 'x', '\\x00' from generate_series(1, 19)`
  const begun = [await offered(person), await offered(person)]
  for (const [index, status] of [201, 403].entries())
    expect((await add(person, createAuthenticator(ORIGIN).create(begun[index]))).status).toBe(status)
  const { status, body } = await post('/api/account/passkeys/options', {}, person.headers)
  expect([status, body.message]).toEqual([403, expect.stringContaining('20 passkeys')])
})

const remove = (person: SignedIn, id: string, body: object = {}) =>
  change(person, 'DELETE', `/api/account/passkeys/${id}`, body)

test('passkeys: one that was removed signs in no more', async () => {
  const person = await signIn(api)
  const [kept, gone] = [await withPasskey(person), await withPasskey(person)]
  expect((await remove(person, gone.id)).status).toBe(204)
  expect((await use(gone)).status).toBe(401)
  expect((await use(kept)).status).toBe(200)
  expect(await auditOf(person)).toContainEqual(
    expect.objectContaining({ action: 'passkey.remove', details: { name: 'Laptop' } }),
  )
})

test('passkeys: the last way to sign in is not removed, by two removals at the same time neither', async () => {
  const person = await signIn(api)
  const passkeys = [await withPasskey(person), await withPasskey(person)]
  const answers = await Promise.all(passkeys.map(({ id }) => remove(person, id)))
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 403])
  const left = passkeys[answers.findIndex(({ status }) => status === 403)]!
  expect((await remove(person, left.id)).status).toBe(403)
  expect((await use(left)).status).toBe(200)
})

test('passkeys: with a password the last one may go', async () => {
  const person = await signIn(api, { password: PASSWORD })
  const own = createAuthenticator(ORIGIN)
  await add(person, own.create(await offered(person, PASSWORD)))
  expect((await remove(person, own.id)).status).toBe(403)
  expect((await remove(person, own.id, { password: PASSWORD })).status).toBe(204)
})

test.each([
  ['http://127.0.0.1:3000', true, 'IP address'],
  ['https://[::1]:3000', true, 'IP address'],
  ['http://analytics.example.com', true, 'https'],
  [ORIGIN, false, 'single sign-on alone'],
])('passkeys: the address %s with passwords %s', async (baseUrl, hasPasswords, reason) => {
  const { config } = api.services
  const before = { ...config }
  Object.assign(config, { baseUrl, hasPasswords })
  try {
    const { headers } = await signIn(api)
    const authenticator = createAuthenticator(baseUrl)
    const challenge = { challenge: 'A'.repeat(43), rpId: 'localhost' }
    const made = authenticator.create({ ...challenge, rp: { id: 'localhost' }, user: { id: 'AAAA' } })
    const answers = [
      await post('/api/auth/passkey/options', {}, OWN),
      await post('/api/auth/passkey', { credential: authenticator.get(challenge) }, OWN),
      await post('/api/account/passkeys/options', {}, headers),
      await post('/api/account/passkeys', { name: 'x', credential: made }, headers),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    for (const { body } of answers) expect(body.message).toContain(reason)
  } finally {
    Object.assign(config, before)
  }
})
