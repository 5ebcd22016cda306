import { afterEach, expect, test } from 'vitest'
import { signIn } from '../../support/browser-session.ts'
import { newAddress } from '../../support/invitations.ts'
import { ofFile } from '../../support/of-file.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { useApi } from '../teams/use-api.ts'
import { newRsaKeys, type Script, startScriptedProvider } from './scripted-provider.ts'
import { invite, newBrowser, newLink, usersOf } from './single-sign-on-service.ts'

const CLIENT = { clientId: 'analytics', clientSecret: 'a-secret-of-the-client', name: 'Example' }

const { log, lines } = recordingLog()
const provider = ofFile(() => startScriptedProvider(CLIENT.clientId))
const api = useApi(() => ({ config: { oidc: settings() }, log }))
afterEach(() => {
  api.services.config.oidc = settings()
})

/** New settings: what is known of the provider is kept by these. */
const settings = () => ({ ...CLIENT, issuer: provider.issuer, autoJoin: undefined })

/** A team, and an address that is invited to it. */
async function invited() {
  const { teamId } = await signIn(api)
  const email = newAddress()
  const secret = await invite(api, teamId, email)
  return { teamId, email, secret, claims: unknown(email) }
}

/** Claims of somebody of whom nothing is known. */
function unknown(email = newAddress()) {
  return { sub: email, email, email_verified: true }
}

/** Signs in with what a test has scripted. @returns where the service sends the browser */
async function signInWith(script: Script, options = {}, browser = newBrowser(api)) {
  return browser.comeBack(provider.answer(await browser.start(options), script))
}

/** Expects that a team has a user with this login. */
const expectUser = async (
  teamId: string,
  email: string,
  loginEmail: string | null = email,
  role = 'member',
) => expect(await usersOf(api, teamId)).toContainEqual({ email, role, loginEmail })
const userOf = (teamId: string, email: string, role: string) =>
  api.services.db`insert into users (team_id, email, role) values (${teamId}, ${email}, ${role})`

test('single sign-on: the start asks for a code with PKCE, state and nonce, and keeps nothing in clear text', async () => {
  const browser = newBrowser(api)
  const answer = await browser.send('GET', '/api/auth/oidc/start?return_to=/sites')
  expect([answer.status, answer.body]).toEqual([302, undefined])
  const url = new URL(answer.location!)
  expect(url.origin + url.pathname).toBe(`${provider.issuer}/authorize`)
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    client_id: 'analytics',
    redirect_uri: 'http://127.0.0.1:3000/api/auth/oidc/callback',
    scope: 'openid email profile',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  })
  expect(answer.set).toEqual([
    expect.stringMatching(
      /^analytics_sign_in=[\w-]{43}; Max-Age=600; Path=\/api\/auth\/oidc; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    ),
  ])
  const keys = await api.services.redis.keys('single-sign-on:*')
  expect(keys.join()).not.toContain(browser.jar.get('analytics_sign_in'))
  const seconds = await api.services.redis.ttl(keys[0]!)
  expect(seconds > 500 && seconds <= 600).toBe(true)
})

test('single sign-on: over https the cookie is sent only over https', async () => {
  const { config } = api.services
  const { baseUrl } = config
  config.baseUrl = 'https://analytics.example.com'
  try {
    const { set } = await newBrowser(api).send('POST', '/api/auth/oidc/start', {})
    expect(set[0]).toMatch(/^__Secure-analytics_sign_in=.*; Path=\/api\/auth\/oidc;.*; Secure;/)
  } finally {
    config.baseUrl = baseUrl
  }
})

test('single sign-on: what is no path of this service is none to return to', async () => {
  const browser = newBrowser(api)
  const hosts = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
  ]
  for (const return_to of [...hosts, 'javascript:alert(1)', 'sites', '', `/${'a'.repeat(2_001)}`]) {
    const posted = await browser.send('POST', '/api/auth/oidc/start', { return_to })
    expect([return_to, posted.status, Object.keys(posted.body.errors)]).toEqual([
      return_to,
      422,
      ['return_to'],
    ])
    const query = new URLSearchParams({ return_to })
    expect((await browser.send('GET', `/api/auth/oidc/start?${query}`)).status).toBe(422)
  }
})

test('single sign-on: a provider that cannot be reached or names another issuer is asked again at the next sign-in', async () => {
  const gone = await startScriptedProvider('analytics')
  await gone.close()
  const browser = newBrowser(api)
  const oidc = settings()
  api.services.config.oidc = oidc
  for (const issuer of [gone.issuer, provider.issuer.replace('127.0.0.1', 'localhost')]) {
    oidc.issuer = issuer
    for (const [method, body] of [['GET'], ['POST', {}]] as const) {
      const answer = await browser.send(method, '/api/auth/oidc/start', body)
      expect([issuer, answer.status, answer.body.code]).toEqual([issuer, 503, 'unavailable'])
    }
  }
  oidc.issuer = provider.issuer
  expect((await browser.send('GET', '/api/auth/oidc/start')).status).toBe(302)
})

test('single sign-on: what the provider says about itself is asked for once an hour, and after a failure', async () => {
  const asked = () => provider.requests.filter(({ path }) => path.startsWith('/.well-known')).length
  const browser = newBrowser(api)
  const before = asked()
  for (let i = 0; i < 3; i++) await browser.start()
  expect(asked()).toBe(before + 1)
  // It may have moved.
  await signInWith({ status: 502 }, {}, browser)
  await browser.start()
  expect(asked()).toBe(before + 2)
})

test('single sign-on: the client proves itself as the provider wants it; who is right is signed in, on the page that was asked for', async () => {
  for (const [methods, header, field] of [
    [undefined, /^Basic /, null],
    [['client_secret_basic', 'client_secret_post'], /^Basic /, null],
    [['client_secret_post'], /^$/, CLIENT.clientSecret],
  ] as const) {
    const script = methods && { methods: [...methods] }
    api.services.config.oidc = settings()
    provider.set({ ...script })
    const browser = newBrowser(api)
    const { claims, teamId, email } = await invited()
    // An address counts in whatever case, and one that is verified as a text.
    const said = { ...claims, email: email.toUpperCase(), email_verified: 'true' }
    const given = { claims: said, ...script }
    expect(await signInWith(given, { return_to: '/sites?a=b#c' }, browser)).toBe('/sites?a=b#c')
    expect([await browser.isSignedIn(), browser.jar.has('analytics_sign_in')]).toEqual([true, false])
    await expectUser(teamId, email)
    const { headers, body } = provider.requests.findLast(({ path }) => path === '/token')!
    expect(headers.authorization ?? '').toMatch(header)
    expect(body.get('client_secret')).toBe(field)
    expect(body.get('code_verifier')).toMatch(/^[\w-]{43}$/)
  }
})

const hour = 3_600
const now = Math.floor(Date.now() / 1000)
test.each<[string, Script]>([
  ['another nonce', { claims: { nonce: 'A'.repeat(43) } }],
  ['no nonce', { claims: { nonce: undefined } }],
  ['another issuer', { claims: { iss: 'https://evil.example' } }],
  ['another audience', { claims: { aud: 'another-client' } }],
  ['several audiences, meant for another', { claims: { aud: ['analytics', 'b'], azp: 'b' } }],
  ['an end in the past', { claims: { iat: now - 2 * hour, exp: now - hour } }],
  ['no end', { claims: { exp: undefined } }],
  ['no subject', { claims: { sub: undefined } }],
  ['no algorithm', { header: { alg: 'none' }, signature: '' }],
  ['the algorithm none and a signature', { header: { alg: 'none' } }],
  ['a symmetric algorithm', { header: { alg: 'HS256' } }],
  ['a key that the provider does not publish', { key: newRsaKeys().privateKey }],
  ['an unknown name of a key', { header: { kid: 'two' } }],
  ['no signature', { signature: '' }],
])('single sign-on: an ID token with %s is refused', async (_, script) => {
  const { claims, teamId } = await invited()
  const browser = newBrowser(api)
  const answer = await signInWith({ ...script, claims: { ...claims, ...script.claims } }, {}, browser)
  expect([answer, await browser.isSignedIn()]).toEqual(['/login#error=invalid', false])
  expect(await usersOf(api, teamId)).toHaveLength(1)
})

test('single sign-on: an answer with another or no state, or without a code, is refused', async () => {
  const { claims } = await invited()
  for (const [name, value] of [['state', 'A'.repeat(43)], ['state'], ['code']] as const) {
    const browser = newBrowser(api)
    const right = provider.answer(await browser.start(), { claims })
    if (value === undefined) right.delete(name)
    else right.set(name, value)
    const answer = await browser.comeBack(right)
    expect([name, answer, await browser.isSignedIn()]).toEqual([name, '/login#error=invalid', false])
  }
})

test('single sign-on: an answer is of no use in another browser, and only once in its own', async () => {
  const { claims } = await invited()
  const [victim, attacker] = [newBrowser(api), newBrowser(api)]
  const answer = provider.answer(await victim.start(), { claims })
  expect(await attacker.comeBack(answer)).toBe('/login#error=expired')
  await attacker.start()
  expect(await attacker.comeBack(answer)).toBe('/login#error=invalid')
  const cookie = victim.jar.get('analytics_sign_in')!
  expect(await victim.comeBack(answer)).toBe('/')
  victim.jar.set('analytics_sign_in', cookie)
  expect(await victim.comeBack(answer)).toBe('/login#error=expired')
})

test('single sign-on: what the provider says of an error goes nowhere', async () => {
  const browser = newBrowser(api)
  const state = provider.answer(await browser.start()).get('state')!
  const answer = { error: 'access_denied', error_description: '<b>text</b>', state }
  expect(await browser.comeBack(new URLSearchParams(answer))).toBe('/login#error=refused')
  expect(JSON.stringify(lines.at(-2))).toContain('access_denied')
  expect(JSON.stringify(lines)).not.toContain('<b>')
})

test('single sign-on: a code that the provider does not take is refused, one that it cannot look at is said to be so', async () => {
  expect(await signInWith({ status: 400 })).toBe('/login#error=invalid')
  expect(await signInWith({ status: 502 })).toBe('/login#error=unavailable')
})

test('single sign-on: no token, code, secret or cookie stands in the log or the audit log', async () => {
  const { claims } = await invited()
  const browser = newBrowser(api)
  const answer = provider.answer(await browser.start(), { claims })
  const secrets = [browser.jar.get('analytics_sign_in')!, answer.get('state')!, CLIENT.clientSecret]
  await browser.comeBack(answer)
  secrets.push(browser.jar.get('analytics_session')!, 'secret-code', 'secret-access-token')
  const { secret: link } = await invited()
  await signInWith({ claims: { aud: 'other' } }, { link })
  secrets.push(link)
  const written =
    JSON.stringify(lines) + JSON.stringify(await api.services.db`select actor, details from audit_log`)
  expect(secrets.filter(secret => written.includes(secret))).toEqual([])
  expect(written).not.toContain('eyJ')
})

test('single sign-on: who is neither known nor invited, or only to no such team or in the past, is refused', async () => {
  const [claims, browser] = [unknown(), newBrowser(api)]
  for (const autoJoin of [undefined, { team: 'No such team', role: 'viewer' }] as const) {
    api.services.config.oidc!.autoJoin = autoJoin
    expect(await signInWith({ claims }, {}, browser)).toBe('/login#error=closed')
    await invite(api, (await signIn(api)).teamId, claims.email, new Date(Date.now() - 1_000))
  }
  expect(await signInWith({ claims }, {}, browser)).toBe('/login#error=closed')
  expect(await browser.isSignedIn()).toBe(false)
  const made = await api.services.db`select from logins where email = ${claims.email}`
  expect(made).toHaveLength(0)
  const [entry] = await api.services.db`
    select team_id, actor, details from audit_log where action = 'login.failure' order by id desc limit 1`
  expect(entry).toEqual({
    team_id: null,
    actor: 'unknown person',
    details: { method: 'single_sign_on', reason: 'closed' },
  })
})

test('single sign-on: an address that is not verified accepts no invitation and joins nothing', async () => {
  const { claims, teamId } = await invited()
  api.services.config.oidc!.autoJoin = { team: teamId, role: 'member' }
  for (const email_verified of [false, undefined, 'yes', 1, null]) {
    const answer = await signInWith({ claims: { ...claims, email_verified } })
    expect([email_verified, answer]).toEqual([email_verified, '/login#error=unverified_email'])
  }
  expect(await usersOf(api, teamId)).toHaveLength(1)
})

test('single sign-on: an address that only the profile has is read there, unless it is of another subject', async () => {
  const { teamId, email } = await invited()
  const profile = { ...unknown(email), name: 'A\0da\ud800' }
  provider.set({ profile })
  const foreign = { claims: { sub: email }, profile: { ...profile, sub: 'another' } }
  expect(await signInWith(foreign)).toBe('/login#error=invalid')
  expect(await signInWith({ claims: { sub: email }, profile })).toBe('/')
  await expectUser(teamId, email)
  // Characters that cannot be stored are left out.
  const [login] = await api.services.db`select name from logins where email = ${email}`
  expect(login).toEqual({ name: 'Ada\ufffd' })
})

test('single sign-on: an address never leads to a login that exists', async () => {
  const { claims, teamId, email } = await invited()
  const person = await signIn(api, { email })
  const browser = newBrowser(api)
  expect(await signInWith({ claims }, {}, browser)).toBe('/login#error=sign_in_first')
  expect(await browser.isSignedIn()).toBe(false)
  for (const id of [teamId, person.teamId]) expect(await usersOf(api, id)).toHaveLength(1)
})

test('single sign-on: a disabled login is refused, and its team sees it', async () => {
  const { claims, teamId, email } = await invited()
  await signInWith({ claims })
  await api.services.db`update logins set disabled_at = now() where email = ${email}`
  const browser = newBrowser(api)
  expect(await signInWith({ claims }, {}, browser)).toBe('/login#error=disabled')
  expect(await browser.isSignedIn()).toBe(false)
  const [entry] = await api.services.db`
    select actor, details from audit_log
    where team_id = ${teamId} and action = 'login.failure'`
  expect(entry).toEqual({ actor: email, details: { method: 'single_sign_on', reason: 'disabled' } })
})

test('single sign-on: everybody with a verified address joins the team that the settings name by id or name', async () => {
  const { teamId } = await signIn(api)
  await api.services.db`update teams set name = ${`Team ${teamId}`} where id = ${teamId}`
  for (const team of [teamId, `Team ${teamId}`]) {
    api.services.config.oidc!.autoJoin = { team, role: 'viewer' }
    const claims = unknown()
    expect(await signInWith({ claims })).toBe('/')
    await expectUser(teamId, claims.email, claims.email, 'viewer')
  }
})

test('single sign-on: joining a team never takes over a user whom nobody has set up', async () => {
  const { teamId } = await signIn(api)
  const claims = unknown()
  await userOf(teamId, claims.email, 'owner')
  api.services.config.oidc!.autoJoin = { team: teamId, role: 'viewer' }
  expect(await signInWith({ claims })).toBe('/login#error=setup_first')
  await expectUser(teamId, claims.email, null, 'owner')
})

test('single sign-on: the link of an invitation lets in whom it was given to, once, and stays while it is refused', async () => {
  const { teamId, secret: link, email } = await invited()
  const taken = unknown()
  await signIn(api, { email: taken.email })
  expect(await signInWith({ claims: taken }, { link })).toBe('/login#error=sign_in_first')
  expect(await signInWith({ claims: { sub: newAddress() } }, { link })).toBe('/')
  await expectUser(teamId, email)
  expect(await signInWith({ claims: unknown() }, { link })).toBe('/login#error=link_invalid')
})

test('single sign-on: a login has the address that the provider has verified, not that of the invitation', async () => {
  const { teamId, secret: link, email } = await invited()
  const claims = unknown()
  await signInWith({ claims }, { link })
  await expectUser(teamId, email, claims.email)
})

test('single sign-on: the link for setting up joins all users with its address', async () => {
  const email = newAddress()
  const [one, two] = [await signIn(api), await signIn(api)]
  for (const { teamId } of [one, two]) await userOf(teamId, email, 'admin')
  const link = await newLink(api, { email }, { purpose: 'setup' })
  const claims = unknown()
  expect(await signInWith({ claims }, { link })).toBe('/')
  for (const { teamId } of [one, two]) await expectUser(teamId, claims.email, claims.email, 'admin')
  const entries = await api.services.db`
    select action, actor from audit_log where team_id = ${one.teamId} order by id`
  const actions = ['login.setup', 'single_sign_on.link', 'login.success']
  expect(entries).toEqual(actions.map(action => ({ action, actor: claims.email })))
})

test('single sign-on: the link for setting up leaves a user alone in whose team the login is already', async () => {
  const { claims, teamId } = await invited()
  await signInWith({ claims })
  const email = newAddress()
  await userOf(teamId, email, 'admin')
  const link = await newLink(api, { email }, { purpose: 'setup' })
  expect(await signInWith({ claims }, { link })).toBe('/')
  await expectUser(teamId, email, null, 'admin')
})

test('single sign-on: the link for recovering links the login, and removes its second factor', async () => {
  const person = await signIn(api)
  await api.services.db`update logins set totp_secret = '\\x00', totp_step = 1 where id = ${person.loginId}`
  const link = await newLink(api, { loginId: person.loginId }, { purpose: 'recover' })
  const browser = newBrowser(api)
  expect(await signInWith({ claims: unknown() }, { link }, browser)).toBe('/')
  const [login] = await api.services
    .db`select totp_secret, totp_step from logins where id = ${person.loginId}`
  expect(login).toEqual({ totp_secret: null, totp_step: null })
  expect((await browser.send('GET', '/api/account/identities')).body).toHaveLength(1)
})

test('single sign-on: a link that is expired, for resetting a password, invented or malformed lets nobody in', async () => {
  const { loginId } = await signIn(api)
  const expiresAt = new Date(Date.now() - 1_000)
  const links = [
    await newLink(api, { email: newAddress() }, { purpose: 'setup', expiresAt }),
    await newLink(api, { loginId }, { purpose: 'reset' }),
    ...['A'.repeat(43), 'a link'],
  ]
  for (const link of links)
    expect(await signInWith({ claims: unknown() }, { link })).toBe('/login#error=link_invalid')
})

test('single sign-on: a login that is known joins the team of an invitation that was opened', async () => {
  const [first, second] = [await invited(), await invited()]
  await signInWith({ claims: first.claims })
  expect(await signInWith({ claims: first.claims }, { link: second.secret })).toBe('/')
  await expectUser(second.teamId, second.email, first.email)
})

test('single sign-on: the first link for recovering removes what others have linked to the login', async () => {
  const { db } = api.services
  const identitiesOf = async (loginId: string) => {
    const rows = await db<{ subject: string }[]>`
      select subject from oidc_identities where login_id = ${loginId} order by subject`
    return rows.map(({ subject }) => subject)
  }
  const claims = unknown()
  for (const isKnown of [false, true]) {
    const { loginId } = await signIn(api)
    const own = isKnown ? { ...claims, sub: newAddress() } : unknown()
    await db`
      insert into oidc_identities (issuer, subject, login_id)
      select ${provider.issuer}, unnest(${[newAddress(), ...(isKnown ? [own.sub] : [])]}::text[]), ${loginId}`
    const link = await newLink(api, { loginId }, { purpose: 'recover' })
    expect(await signInWith({ claims: own }, { link })).toBe('/')
    expect(await identitiesOf(loginId)).toEqual([own.sub])
  }
})

test('single sign-on: the link for recovering another login is refused', async () => {
  const { claims } = await invited()
  await signInWith({ claims })
  const other = await signIn(api)
  const link = await newLink(api, { loginId: other.loginId }, { purpose: 'recover' })
  expect(await signInWith({ claims }, { link })).toBe('/login#error=linked_elsewhere')
})
