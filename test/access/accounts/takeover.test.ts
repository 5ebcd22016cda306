import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { createLink } from '../../../src/access/accounts/links.ts'
import { requireProof } from '../../../src/access/accounts/proof.ts'
import { requestReset } from '../../../src/access/accounts/reset.ts'
import { disableLogin, makeLoginLink } from '../../../src/access/teams/manage-logins.ts'
import { headersOf, signIn } from '../../support/browser-session.ts'
import { acceptAsNew, invite, newAddress, secretOf } from '../../support/invitations.ts'
import { cookieOf, PASSWORD, setUp } from '../../support/log-in.ts'
import { teammate } from '../../support/teammates.ts'
import { useApi } from '../teams/use-api.ts'

const MAIL = { url: 'smtp://127.0.0.1:1', from: 'a@example.com' }

let at = new Date('2026-03-01T12:00:00Z')
const api = useApi(() => ({ now: () => at, config: { mail: MAIL } }))
// Attempts of another test do not count.
beforeEach(() => {
  at = new Date(at.getTime() + 3_600_000)
})

const minutesLater = (minutes: number) => {
  at = new Date(at.getTime() + minutes * 60_000)
}
const change = (secret: string, body: object) =>
  api.call('PATCH', '/api/account', { body, headers: headersOf(api.services, secret) })

/** Changes the address where the service sends no mail, so that the new one counts at once. */
async function move(secret: string) {
  const { config } = api.services
  config.mail = undefined
  const moved = await change(secret, { email: newAddress() })
  config.mail = MAIL
  return moved
}

/** Ways in that somebody has added to a login. */
async function addWays(loginId: string): Promise<void> {
  const { db } = api.services
  await db`insert into passkeys (id, login_id, name, public_key) values (${randomUUID()}, ${loginId}, 'x', 'x')`
  await db`
    insert into oidc_identities (issuer, subject, login_id) values ('https://a.example', ${randomUUID()}, ${loginId})`
}
async function waysOf(loginId: string): Promise<number> {
  const [row] = await api.services.db<{ ways: number }[]>`
    select
      (select count(*)::int from passkeys where login_id = ${loginId})
      + (select count(*)::int from oidc_identities where login_id = ${loginId}) as ways`
  return row!.ways
}
const resetBy = (secret: string, password = 'another password') =>
  api.call('POST', '/api/auth/reset', { body: { secret, password } })
const resetLink = (loginId: string) => createLink(api.services.db, 'reset', { email: null, loginId }, at)

const before = (minutes: number) => new Date(at.getTime() - minutes * 60_000)

test('proof: where passwords are turned off, a recent sign-in is enough', async () => {
  const { loginId } = await signIn(api, { password: 'correct horse' })
  const services = { ...api.services, config: { ...api.services.config, hasPasswords: false } }
  await requireProof(services, { loginId, authenticatedAt: before(15) }, undefined)
  await expect(
    requireProof(services, { loginId, authenticatedAt: before(16) }, 'correct horse'),
  ).rejects.toMatchObject({ code: 'forbidden' })
})

test('proof: a change of the name is no sign-in, so the address still needs a recent one', async () => {
  const { secret } = await signIn(api)
  minutesLater(16)
  const email = newAddress()
  expect((await change(secret, { email })).status).toBe(403)
  const named = await change(secret, { name: 'Eve' })
  expect(named.status).toBe(200)
  expect((await change(cookieOf(named)!, { email })).status).toBe(403)
})

test('proof: a change that was proved does not make the sign-in more recent', async () => {
  const { secret } = await signIn(api)
  minutesLater(14)
  const moved = await move(secret)
  expect(moved.status).toBe(200)
  minutesLater(2)
  expect((await change(cookieOf(moved)!, { email: newAddress() })).status).toBe(403)
})

test.each(['reset', 'recover'] as const)(
  'links: the first new password by a %s link removes the passkeys and single sign-on of before, a later one none',
  async purpose => {
    const { loginId, secret } = await signIn(api)
    await addWays(loginId)
    expect((await move(secret)).status).toBe(200)
    const link = await createLink(api.services.db, purpose, { email: null, loginId }, at)
    expect((await resetBy(link)).status).toBe(204)
    expect(await waysOf(loginId)).toBe(0)
    const [entry] = await api.services.db`
      select details from audit_log where login_id = ${loginId} and action = 'login.reset' order by id desc`
    expect(entry!.details).toMatchObject({ removed_ways: 2 })
    await addWays(loginId)
    expect((await resetBy(await resetLink(loginId))).status).toBe(204)
    expect(await waysOf(loginId)).toBe(2)
  },
)

test('links: a login that an invitation made has an address that nobody has proved', async () => {
  const owner = await teammate(api)
  const email = newAddress()
  await acceptAsNew(api, secretOf(await invite(owner, { email })))
  const [login] = await api.services.db<{ id: string }[]>`select id from logins where email = ${email}`
  await addWays(login!.id)
  await resetBy(await resetLink(login!.id))
  expect(await waysOf(login!.id)).toBe(0)
})

test('links: a login that a link of the operator has set up keeps its passkeys', async () => {
  const { loginId } = await setUp(api)
  await addWays(loginId)
  await resetBy(await resetLink(loginId))
  expect(await waysOf(loginId)).toBe(2)
})

test('links: asking for a new password does not end the link of the operator', async () => {
  const { email } = await setUp(api)
  const { url } = await makeLoginLink(api.services.db, { baseUrl: 'http://a.example' }, email, at)
  const unknown = { sessionCookie: undefined, knownBrowser: undefined, language: null }
  const visitor = { browser: { userAgent: '', network: '', ...unknown }, network: 'n' }
  const { work } = await requestReset(api.services, { email }, visitor, async () => {})
  await work
  expect((await resetBy(url.split('#')[1]!)).status).toBe(204)
})

test('a login that is disabled: the invitations whose links the person knows end', async () => {
  const owner = await teammate(api)
  const admin = await teammate(api, { teamId: owner.teamId, role: 'admin' })
  const [own, other] = [await invite(admin, { role: 'admin' }), await invite(owner)]
  await disableLogin(api.services.db, admin.email, at)
  expect((await acceptAsNew(api, secretOf(own), { password: PASSWORD })).status).toBe(404)
  expect((await acceptAsNew(api, secretOf(other), { password: PASSWORD })).status).toBe(200)
})
