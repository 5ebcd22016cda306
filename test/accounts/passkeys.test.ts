import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { headersOf, type SignedIn, signIn } from '../support/browser-session.ts'
import { type Authenticator, createAuthenticator, type Made } from './authenticator.ts'

const ORIGIN = 'https://analytics.example.com'
const OWN = { 'Sec-Fetch-Site': 'same-origin' }

let now = new Date('2026-11-22T12:00:00Z')
let api: Api
beforeAll(async () => {
  api = await startApi({ config: { baseUrl: ORIGIN }, now: () => now })
  api.services.config.limits.browser = 0
})
afterAll(() => api.close())
// Failed attempts of one test must not count in the next.
beforeEach(() => {
  now = new Date(now.getTime() + 3_600_000)
})

const post = (path: string, body: unknown, headers: Record<string, string>) =>
  api.call('POST', path, { body, headers })

/** Sends a change of the person's own login, which gives their session a new secret. */
async function change(person: SignedIn, method: string, path: string, body: unknown) {
  const answer = await api.call(method, path, { body, headers: person.headers })
  const secret = secretIn(answer.headers)
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

const secretIn = (headers: Headers) =>
  /__Host-analytics_session=([\w-]{43});/.exec(headers.get('set-cookie') ?? '')?.[1]

const auditOf = ({ teamId }: SignedIn) =>
  api.services.db<{ action: string; actor: string; network: string; details: object }[]>`
    select action, actor, network, details from audit_log where team_id = ${teamId} order by id`

describe('signing in with a passkey', () => {
  test('passkeys: one that was added signs in without an e-mail address, password or code', async () => {
    const person = await signIn(api)
    const authenticator = await withPasskey(person)
    const options = await challenged()
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
    const headers = headersOf(api.services, secretIn(answer.headers)!)
    const listed = await api.call('GET', '/api/account/passkeys', { headers })
    expect(listed.body).toEqual([
      {
        id: authenticator.id,
        name: 'Laptop',
        last_used_at: now.toISOString(),
        created_at: now.toISOString(),
      },
    ])
    expect((await auditOf(person)).slice(-2)).toEqual([
      { action: 'passkey.add', actor: person.email, network: '127.0.0.0/24', details: { name: 'Laptop' } },
      {
        action: 'login.success',
        actor: person.email,
        network: '127.0.0.0/24',
        details: { method: 'passkey' },
      },
    ])
  })

  test('passkeys: signing in makes a new session and ends the one that the browser had', async () => {
    const person = await signIn(api)
    const authenticator = await withPasskey(person)
    const answer = await use(authenticator, {}, person.headers)
    expect(answer.status).toBe(200)
    const before = await api.call('GET', '/api/account/passkeys', { headers: person.headers })
    expect(before.status).toBe(401)
    expect(secretIn(answer.headers)).not.toBe(person.secret)
  })

  test('passkeys: an authenticator that does not count signs in again and again', async () => {
    const authenticator = await withPasskey(await signIn(api))
    await api.services.db`update passkeys set counter = 0 where id = ${authenticator.id}`
    for (let i = 0; i < 3; i++) expect((await use(authenticator, { counter: 0 })).status).toBe(200)
  })

  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  test.each<[string, Made]>([
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['the same host over http', { origin: 'http://analytics.example.com' }],
    ['another host', { rpId: 'evil.example' }],
    ['another purpose', { type: 'webauthn.create' }],
    ['an unverified person', { isVerified: false }],
    ['another key', { key: stranger }],
    ['the handle of another person', { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('passkeys: an answer for %s is refused, and its challenge is used up', async (_, made) => {
    const person = await signIn(api)
    const authenticator = await withPasskey(person)
    const options = await challenged()
    const wrong = await post('/api/auth/passkey', { credential: authenticator.get(options, made) }, OWN)
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null])
    const right = await post('/api/auth/passkey', { credential: authenticator.get(options) }, OWN)
    expect(right.status).toBe(401)
    expect((await auditOf(person)).at(-1)).toMatchObject({
      action: 'login.failure',
      details: { method: 'passkey', reason: 'signature' },
    })
    expect((await use(authenticator)).status).toBe(200)
  })

  test('passkeys: an answer that was used before is refused', async () => {
    const authenticator = await withPasskey(await signIn(api))
    const credential = authenticator.get(await challenged())
    expect((await post('/api/auth/passkey', { credential }, OWN)).status).toBe(200)
    expect((await post('/api/auth/passkey', { credential }, OWN)).status).toBe(401)
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

  test('passkeys: a challenge is kept for five minutes', async () => {
    const before = await api.services.redis.keys('passkey:*')
    await challenged()
    const made = (await api.services.redis.keys('passkey:*')).filter(key => !before.includes(key))
    expect(made).toHaveLength(1)
    const seconds = await api.services.redis.ttl(made[0]!)
    expect(seconds > 290 && seconds <= 300).toBe(true)
  })

  test.each([0, 4, 5])(
    'passkeys: a counter that goes from 5 to %i is refused and stands in the audit log',
    async counter => {
      const person = await signIn(api)
      const authenticator = await withPasskey(person)
      expect((await use(authenticator, { counter: 5 })).status).toBe(200)
      const cloned = await use(authenticator, { counter })
      expect([cloned.status, cloned.headers.get('set-cookie')]).toEqual([401, null])
      expect(cloned.body.message).toContain('copy')
      expect((await auditOf(person)).at(-1)).toMatchObject({
        action: 'login.failure',
        details: { method: 'passkey', reason: 'counter' },
      })
      expect((await use(authenticator, { counter: 6 })).status).toBe(200)
    },
  )

  test('passkeys: a counter that goes back without the right key raises no alarm about a copy', async () => {
    const person = await signIn(api)
    const authenticator = await withPasskey(person)
    expect((await use(authenticator, { counter: 5 })).status).toBe(200)
    await use(authenticator, { counter: 1, key: stranger })
    expect((await auditOf(person)).at(-1)).toMatchObject({ details: { reason: 'signature' } })
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
    expect((await auditOf(person)).at(-1)).toMatchObject({ details: { reason: 'disabled' } })
  })

  test('passkeys: after ten failures of a network in 15 minutes, no attempt is looked at; successes do not count', async () => {
    const authenticator = await withPasskey(await signIn(api))
    for (let i = 0; i < 12; i++) expect((await use(authenticator)).status).toBe(200)
    for (let i = 0; i < 10; i++) expect((await use(createAuthenticator(ORIGIN))).status).toBe(401)
    const late = await use(authenticator)
    expect(late.status).toBe(429)
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
    now = new Date(now.getTime() + 15 * 60_000)
    expect((await use(authenticator)).status).toBe(200)
  })

  test('passkeys: a page of another origin can neither ask for a challenge nor sign in', async () => {
    for (const path of ['/api/auth/passkey/options', '/api/auth/passkey']) {
      expect((await post(path, {}, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    }
  })

  test.each([
    {},
    { credential: 'text' },
    { credential: { id: 'a', rawId: 'a', type: 'public-key', response: {} } },
    { credential: { id: 'ä', rawId: 'a', type: 'public-key' } },
  ])('passkeys: the body %j is not valid', async body => {
    expect((await post('/api/auth/passkey', body, OWN)).status).toBe(422)
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
})

describe('adding a passkey', () => {
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

  test.each<[string, Made]>([
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['another host', { rpId: 'evil.example' }],
    ['another purpose', { type: 'webauthn.get' }],
    ['an invented challenge', { challenge: 'A'.repeat(43) }],
    ['an unverified person', { isVerified: false }],
  ])('passkeys: one that was made for %s is not added', async (_, made) => {
    const person = await signIn(api)
    const credential = createAuthenticator(ORIGIN).create(await offered(person), made)
    const answer = await add(person, credential)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['credential']])
    expect((await api.call('GET', '/api/account/passkeys', { headers: person.headers })).body).toEqual([])
  })

  test('passkeys: an answer adds one passkey, and only in the session that asked for it', async () => {
    const [person, other] = [await signIn(api), await signIn(api)]
    const credential = createAuthenticator(ORIGIN).create(await offered(person))
    expect((await add(other, credential)).status).toBe(422)
    expect((await add(person, credential)).status).toBe(201)
    expect((await add(person, credential)).status).toBe(422)
  })

  test('passkeys: one that is added already is not added to another login', async () => {
    const [person, other] = [await signIn(api), await signIn(api)]
    const authenticator = await withPasskey(person)
    const credential = authenticator.create(await offered(other))
    const answer = await post('/api/account/passkeys', { name: 'Mine', credential }, other.headers)
    expect(answer.status).toBe(422)
  })

  test('passkeys: what an authenticator says about its make is not looked at: nothing is fetched for it', async () => {
    const person = await signIn(api)
    const statement = {
      fmt: 'packed',
      attStmt: new Map<string, unknown>([
        ['alg', -7],
        ['sig', new Uint8Array(70)],
        ['x5c', [new Uint8Array(300)]],
      ]),
    }
    const credential = createAuthenticator(ORIGIN).create(await offered(person), { statement })
    const answer = await post('/api/account/passkeys', { name: 'Key', credential }, person.headers)
    expect(answer.status).toBe(201)
  })

  test('passkeys: an attestation that cannot be decoded is refused', async () => {
    const person = await signIn(api)
    for (const attestationObject of ['AAAA', 'oA', 'A'.repeat(90_000)]) {
      const { response, ...credential } = createAuthenticator(ORIGIN).create(await offered(person))
      const body = {
        name: 'Key',
        credential: { ...credential, response: { ...response, attestationObject } },
      }
      expect((await post('/api/account/passkeys', body, person.headers)).status).toBe(422)
    }
  })

  test('passkeys: adding one gives the session of the browser a new secret', async () => {
    const person = await signIn(api)
    const before = person.headers
    await withPasskey(person)
    expect((await api.call('GET', '/api/account/passkeys', { headers: before })).status).toBe(401)
    expect((await api.call('GET', '/api/account/passkeys', { headers: person.headers })).status).toBe(200)
  })

  test('passkeys: a login may have 20', async () => {
    const person = await signIn(api)
    await api.services.db`
      insert into passkeys (id, login_id, name, public_key)
      select 'id-' || gen_random_uuid(), ${person.loginId}, 'x', '\\x00' from generate_series(1, 20)`
    const answer = await post('/api/account/passkeys/options', {}, person.headers)
    expect([answer.status, answer.body.message]).toEqual([403, expect.stringContaining('20 passkeys')])
  })

  test('passkeys: a login has 20 at most, however many were begun to be added', async () => {
    const person = await signIn(api)
    await api.services.db`
      insert into passkeys (id, login_id, name, public_key)
      select 'id-' || gen_random_uuid(), ${person.loginId}, 'x', '\\x00' from generate_series(1, 19)`
    const begun = [await offered(person), await offered(person)]
    const answers: number[] = []
    for (const options of begun) {
      answers.push((await add(person, createAuthenticator(ORIGIN).create(options))).status)
    }
    expect(answers).toEqual([201, 403])
  })

  test('passkeys: to add one, the password is needed, or without a password a sign-in of the last 15 minutes', async () => {
    const withPassword = await signIn(api, { password: 'correct horse battery staple' })
    const path = '/api/account/passkeys/options'
    const answers = [
      await post(path, {}, withPassword.headers),
      await post(path, { password: 'wrong' }, withPassword.headers),
      await post(path, { password: 'correct horse battery staple' }, withPassword.headers),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 200])
    const without = await signIn(api)
    now = new Date(now.getTime() + 16 * 60_000)
    expect((await post(path, {}, without.headers)).status).toBe(403)
  })
})

describe('removing a passkey', () => {
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

  test('passkeys: the last way to sign in is not removed', async () => {
    const person = await signIn(api)
    const passkey = await withPasskey(person)
    expect((await remove(person, passkey.id)).status).toBe(403)
    expect((await use(passkey)).status).toBe(200)
  })

  test('passkeys: of two removals at the same time, one is refused when no other way would be left', async () => {
    const person = await signIn(api)
    const passkeys = [await withPasskey(person), await withPasskey(person)]
    const answers = await Promise.all(passkeys.map(({ id }) => remove(person, id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403])
  })

  test('passkeys: the last one may go when a password is left', async () => {
    const password = 'correct horse battery staple'
    const person = await signIn(api, { password })
    const authenticator = createAuthenticator(ORIGIN)
    const credential = authenticator.create(await offered(person, password))
    await add(person, credential)
    expect((await remove(person, authenticator.id)).status).toBe(403)
    expect((await remove(person, authenticator.id, { password })).status).toBe(204)
  })

  test('passkeys: nobody removes that of another person', async () => {
    const [person, other] = [await signIn(api, { password: 'x'.repeat(12) }), await signIn(api)]
    const [passkey] = [await withPasskey(other)]
    const answer = await remove(person, passkey.id, { password: 'x'.repeat(12) })
    expect(answer.status).toBe(404)
    expect((await use(passkey)).status).toBe(200)
  })
})

describe('where passkeys are not offered', () => {
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
      const person = await signIn(api)
      const credential = createAuthenticator(baseUrl).create({
        challenge: 'A'.repeat(43),
        rp: { id: 'localhost' },
        user: { id: 'AAAA' },
      })
      const used = createAuthenticator(baseUrl).get({ challenge: 'A'.repeat(43), rpId: 'localhost' })
      const answers = [
        await post('/api/auth/passkey/options', {}, OWN),
        await post(
          '/api/auth/passkey',
          { credential: { ...used, response: { ...used.response, userHandle: null } } },
          OWN,
        ),
        await post('/api/account/passkeys/options', {}, person.headers),
        await post('/api/account/passkeys', { name: 'x', credential }, person.headers),
      ]
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
      for (const { body } of answers) expect(body.message).toContain(reason)
    } finally {
      Object.assign(config, before)
    }
  })
})
