import { expect, test } from 'vitest'
import type { Answer } from '../../support/api.ts'
import { headersOf } from '../../support/browser-session.ts'
import {
  acceptAs,
  acceptAsNew,
  invite,
  lookUp,
  newAddress,
  PASSWORD,
  secretOf,
} from '../../support/invitations.ts'
import { cookieOf } from '../../support/log-in.ts'
import { actionsOf, siteOf, type Teammate, teammate, wholeTeam } from '../../support/teammates.ts'
import { useApi } from './use-api.ts'

/** The clock stands still: failed attempts count by the quarter of an hour. */
const NOW = new Date()
const api = useApi(() => ({ now: () => NOW }))

/** Counts of failed attempts are of a window of time and all tests have one address. */
const forgetAttempts = () => api.services.redis.flushall()

const usersOf = async (person: Teammate) =>
  (await person.ask('GET', '/api/users')).body as { id: string; email: string }[]

test('invitations, looking one up: says what it is for, as often as one asks', async () => {
  const owner = await teammate(api)
  await owner.ask('PATCH', '/api/team', { name: 'Acme' })
  const made = await invite(owner, { role: 'viewer' })
  for (let ask = 0; ask < 3; ask++) {
    expect((await lookUp(api, secretOf(made))).body).toEqual({
      ...{ team_name: 'Acme', email: made.body.email, role: 'viewer', invited_by: owner.email },
      ...{ expires_at: made.body.expires_at, needs_login: false },
    })
  }
  const other = await invite(owner, { email: (await teammate(api)).email })
  expect((await lookUp(api, secretOf(other))).body.needs_login).toBe(true)
})

test('invitations, looking one up: an unknown or malformed secret is 404, something else than a text 422', async () => {
  await forgetAttempts()
  for (const secret of ['', 'x', 'A'.repeat(43), `${'A'.repeat(42)}=`]) {
    expect((await lookUp(api, secret)).status).toBe(404)
    expect((await acceptAsNew(api, secret)).status).toBe(404)
  }
  for (const secret of [undefined, null, 5, {}, ['A'.repeat(43)], 'A'.repeat(1_001)]) {
    expect((await lookUp(api, secret)).status).toBe(422)
    expect((await acceptAsNew(api, secret)).status).toBe(422)
  }
  await forgetAttempts()
})

test('invitations, looking one up: after ten links that do not work, the network has to wait; links that work do not count', async () => {
  await forgetAttempts()
  const made = await invite(await teammate(api))
  for (let attempt = 0; attempt < 12; attempt++) expect((await lookUp(api, secretOf(made))).status).toBe(200)
  const statuses = []
  for (let attempt = 0; attempt < 11; attempt++) statuses.push((await lookUp(api, 'x')).status)
  expect(statuses).toEqual([...Array(10).fill(404), 429])
  expect((await acceptAsNew(api, 'x')).status).toBe(429)
  await forgetAttempts()
})

test('invitations, accepting without a login: makes a login with the invited address, and signs it in', async () => {
  const { teamId, owner } = await wholeTeam(api)
  const site = await siteOf(api, teamId)
  const made = await invite(owner, { role: 'viewer', site_ids: [site] })
  const answer = await acceptAsNew(api, secretOf(made), { password: PASSWORD, name: 'Grace' })
  expect(answer.status).toBe(200)
  const role = 'viewer'
  const id = answer.body.user_id as string
  expect(answer.body).toEqual({ team_id: teamId, team_name: 'Test', user_id: expect.any(String), role })
  const headers = headersOf(api.services, cookieOf(answer)!)
  expect((await api.call('GET', '/api/team', { headers })).body).toMatchObject({ id: teamId, role })
  expect((await usersOf(owner)).find(user => user.id === id)).toMatchObject({
    ...{ email: made.body.email, name: 'Grace', role, has_login: true, site_ids: [site] },
    last_login_at: expect.any(String),
  })
  const entries = await actionsOf(api, teamId)
  expect(entries.map(({ action }) => action)).toEqual(['invitation.create', 'user.join', 'login.success'])
  expect(entries[1]).toMatchObject({
    actor: made.body.email,
    details: { role: 'viewer', invited_by: owner.email },
  })
  expect(JSON.stringify(entries)).not.toContain(PASSWORD)
})

test('invitations, accepting without a login: of several tabs that accept at the same time exactly one wins, there is one login, and the link has worked once', async () => {
  const owner = await teammate(api)
  const made = await invite(owner)
  const answers = await Promise.all([1, 2, 3].map(() => acceptAsNew(api, secretOf(made))))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
  expect((await usersOf(owner)).filter(({ email }) => email === made.body.email)).toHaveLength(1)
  expect((await acceptAsNew(api, secretOf(made))).status).toBe(404)
  expect((await lookUp(api, secretOf(made))).status).toBe(404)
  await forgetAttempts()
})

test('invitations, accepting without a login: needs a password that is good enough, and the link keeps working until then', async () => {
  const made = await invite(await teammate(api))
  const secret = secretOf(made)
  const names = ['x'.repeat(101), 5].map(name => ({ password: PASSWORD, name }))
  const passwords = [undefined, null, '', 'short', 5, made.body.email, 'x'.repeat(2_000)]
  for (const fields of [...names, ...passwords.map(password => ({ password }))])
    expect([fields, (await acceptAsNew(api, secret, fields)).status]).toEqual([fields, 422])
  expect((await acceptAsNew(api, secret)).status).toBe(200)
})

test('invitations, accepting without a login: is refused when a login with the address exists or passwords are turned off, until its owner signs in', async () => {
  const [owner, other] = [await teammate(api), await teammate(api)]
  const [taken, made] = [await invite(owner, { email: other.email }), await invite(owner)]
  const answer = await acceptAsNew(api, secretOf(taken))
  expect([answer.status, answer.body.message]).toEqual([403, expect.stringContaining('sign in first')])
  expect(cookieOf(answer)).toBeUndefined()
  expect((await acceptAs(other, secretOf(taken))).status).toBe(200)
  api.services.config.hasPasswords = false
  const without = await acceptAsNew(api, secretOf(made))
  api.services.config.hasPasswords = true
  expect([without.status, without.body.message]).toEqual([403, expect.stringContaining('single sign-on')])
  expect((await acceptAs(await teammate(api), secretOf(made))).status).toBe(200)
})

test('invitations, accepting without a login: a token is nobody who could join, and a session that has ended counts as none', async () => {
  const person = await teammate(api)
  const body = { secret: secretOf(await invite(await teammate(api))) }
  const accept = (options: object) => api.call('POST', '/api/invitations/accept', options)
  expect((await accept({ token: await api.token(person), body })).status).toBe(422)
  await api.services.db`delete from browser_sessions where login_id = ${person.loginId}`
  const answer = await accept({ headers: person.headers, body: { ...body, password: PASSWORD } })
  expect(answer.status).toBe(200)
  expect(cookieOf(answer)).not.toBe(person.secret)
})

test('invitations, accepting as a signed-in person: joins with their login, whatever its address, with a team or none before', async () => {
  const { teamId, owner } = await wholeTeam(api)
  const person = await teammate(api)
  await api.services.db`delete from users where id = ${person.userId}`
  const made = await invite(owner, { email: newAddress(), role: 'admin' })
  const answer = await acceptAs(person, secretOf(made))
  expect(answer.body).toMatchObject({ team_id: teamId, role: 'admin' })
  expect(cookieOf(answer)).toBeUndefined()
  expect(await usersOf(owner)).toContainEqual(
    expect.objectContaining({ id: answer.body.user_id, email: person.email, role: 'admin' }),
  )
  expect((await person.ask('GET', '/api/team')).body).toMatchObject({ id: teamId, role: 'admin' })
  const entries = await actionsOf(api, teamId)
  expect(entries.at(-1)).toMatchObject({
    action: 'user.join',
    actor: person.email,
    details: { email: person.email, invited_as: made.body.email },
  })
})

test('invitations, accepting as a signed-in person: a member of the team is refused, and the link keeps working', async () => {
  const { owner, member } = await wholeTeam(api)
  const secret = secretOf(await invite(owner, { role: 'admin' }))
  expect((await acceptAs(member, secret)).status).toBe(422)
  expect((await acceptAsNew(api, secret)).status).toBe(200)
})

test('at the same time: of two people one accepts a link, a person accepts one of two, or it is revoked', async () => {
  for (let round = 0; round < 3; round++) {
    const [owner, one, two] = [await teammate(api), await teammate(api), await teammate(api)]
    const made = [await invite(owner), await invite(owner), await invite(owner)]
    const [first, second, third] = made.map(secretOf) as [string, string, string]
    const statusesOf = async (answers: Promise<Answer>[]) =>
      (await Promise.all(answers)).map(({ status }) => status)
    const ofOneLink = await statusesOf([acceptAs(one, first), acceptAs(two, first)])
    expect(ofOneLink.sort()).toEqual([200, 404])
    expect(await usersOf(owner)).toHaveLength(2)
    const person = await teammate(api)
    const ofOnePerson = await statusesOf([acceptAs(person, second), acceptAs(person, third)])
    expect(ofOnePerson.toSorted()).toEqual([200, 422])
    const left = made[ofOnePerson[0] === 200 ? 2 : 1]!
    const revoke = () => owner.ask('DELETE', `/api/invitations/${left.body.id}`)
    const revoked = await statusesOf([acceptAs(await teammate(api), secretOf(left)), revoke()])
    expect(revoked.join(' ')).toMatch(/^(200 404|404 204)$/)
    await forgetAttempts()
  }
})

test('invitations, accepting as a signed-in person: an address that a user of the team has by now is refused', async () => {
  const { teamId, owner } = await wholeTeam(api)
  const made = await invite(owner)
  await api.services.db`
    insert into users (team_id, email, role) values (${teamId}, ${made.body.email}, 'owner')`
  expect((await acceptAs(await teammate(api), secretOf(made))).status).toBe(422)
  expect((await acceptAsNew(api, secretOf(made))).status).toBe(422)
  const [login] = await api.services.db`select from logins where email = ${made.body.email}`
  expect(login).toBeUndefined()
})
