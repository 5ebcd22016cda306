import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { ROLES, type Role } from '../../../src/access/teams/caller.ts'
import type { Answer } from '../../support/api.ts'
import { invite } from '../../support/invitations.ts'
import {
  actionsOf,
  holdRequests,
  siteOf,
  type Teammate,
  teammate,
  wholeTeam,
} from '../../support/teammates.ts'
import { useApi } from './use-api.ts'

const api = useApi(() => ({}), { isLimited: true })

type UserBody = { id: string; role: Role; email: string; site_ids?: string[] | null }
const listOf = async (person: Teammate): Promise<UserBody[]> => (await person.ask('GET', '/api/users')).body
const rolesOf = async (person: Teammate) =>
  Object.fromEntries((await listOf(person)).map(({ id, role }) => [id, role]))
const change = (person: Teammate, { userId }: { userId: string }, body: object) =>
  person.ask('PATCH', `/api/users/${userId}`, body)

test('people, the list: owners and admins see everything of everybody; others names and roles, and everything of themselves', async () => {
  const { owner, admin, member, viewer } = await wholeTeam(api)
  const team = [owner, admin, member, viewer]
  const short = { id: member.userId, email: member.email, name: null, role: 'member', has_login: true }
  for (const person of team) {
    const users = await listOf(person)
    expect(users.map(({ id }) => id).sort()).toEqual(team.map(({ userId }) => userId).sort())
    const seesAll = person !== viewer
    expect(users.find(({ id }) => id === member.userId)).toEqual({
      ...{ ...short, joined_at: expect.stringMatching(/Z$/) },
      ...(seesAll && { site_ids: null, last_login_at: null }),
    })
    expect('site_ids' in users.find(({ id }) => id === owner.userId)!).toBe([owner, admin].includes(person))
    expect(users.find(({ id }) => id === person.userId)).toMatchObject({
      site_ids: null,
      last_login_at: null,
    })
  }
})

test('people, the list: a user without a login, and the address of a login that has changed', async () => {
  const owner = await teammate(api)
  const other = await api.member({ role: 'viewer' })
  await api.services.db`update users set team_id = ${owner.teamId} where id = ${other.userId}`
  await api.services
    .db`update logins set email = ${`new-${owner.email}`}, name = 'Ada' where id = ${owner.loginId}`
  const users = await listOf(owner)
  expect(users.find(({ id }) => id === other.userId)).toMatchObject({ has_login: false, name: null })
  expect(users.find(({ id }) => id === owner.userId)).toMatchObject({
    email: `new-${owner.email}`,
    name: 'Ada',
  })
})

test('people, the list: a token of the team lists it too; a token or user that is limited to sites sees less or nothing', async () => {
  const { teamId, owner, viewer } = await wholeTeam(api)
  const siteIds = [await siteOf(api, teamId)]
  const ask = (token: string) => api.call('GET', '/api/users', { token })
  expect((await ask(await api.token(viewer))).body).toHaveLength(4)
  expect((await ask(await api.token(viewer, { siteIds }))).status).toBe(403)
  const limited = await teammate(api, { teamId, role: 'member', siteIds })
  expect(await listOf(limited)).toMatchObject([{ role: 'member' }])
  expect(await listOf(owner)).toHaveLength(5)
})

/** Who does it to whom; null removes them. */
const OUTCOMES: [Role, Role, Role | null, number][] = [
  ['owner', 'owner', 'admin', 200],
  ['owner', 'admin', 'owner', 200],
  ['owner', 'admin', 'viewer', 200],
  ['owner', 'member', 'owner', 200],
  ['owner', 'viewer', 'member', 200],
  ['admin', 'owner', 'member', 403],
  ['admin', 'owner', 'owner', 403],
  ['admin', 'admin', 'member', 200],
  ['admin', 'admin', 'owner', 403],
  ['admin', 'member', 'admin', 200],
  ['admin', 'member', 'owner', 403],
  ['admin', 'viewer', 'member', 200],
  ['member', 'viewer', 'member', 403],
  ['member', 'member', 'admin', 403],
  ['viewer', 'viewer', 'owner', 403],
  ['owner', 'owner', null, 204],
  ['owner', 'admin', null, 204],
  ['owner', 'viewer', null, 204],
  ['admin', 'owner', null, 403],
  ['admin', 'admin', null, 204],
  ['admin', 'member', null, 204],
  ['member', 'viewer', null, 403],
  ['viewer', 'member', null, 403],
]
test('people, who may change whose role: each role makes others what it may, and removes whom it may', async () => {
  const team = await wholeTeam(api)
  for (const [actorRole, targetRole, role, status] of OUTCOMES) {
    const target = await teammate(api, { teamId: team.teamId, role: targetRole })
    const actor = team[actorRole]
    const answer = await (role === null
      ? actor.ask('DELETE', `/api/users/${target.userId}`)
      : change(actor, target, { role }))
    const made = [actorRole, targetRole, role]
    expect([...made, answer.status]).toEqual([...made, status])
    const left = status === 403 ? targetRole : (role ?? undefined)
    expect((await rolesOf(team.owner))[target.userId]).toBe(left)
    if (status === 200) expect(answer.body).toMatchObject({ id: target.userId, role, email: target.email })
  }
})

test('people, who may change whose role: nobody below an owner changes their own role', async () => {
  const team = await wholeTeam(api)
  for (const own of ['admin', 'member', 'viewer'] as const) {
    for (const role of ROLES.filter(each => each !== own))
      expect((await change(team[own], team[own], { role })).status).toBe(403)
    expect((await rolesOf(team.owner))[team[own].userId]).toBe(own)
  }
})

test('people, who may change whose role: an owner steps down while another one is left who can sign in', async () => {
  const { teamId, owner } = await wholeTeam(api)
  expect((await change(owner, owner, { role: 'member' })).body.message).toContain('needs an owner')
  const second = await teammate(api, { teamId, role: 'owner' })
  const disable = (at: Date | null) =>
    api.services.db`update logins set disabled_at = ${at} where id = ${second.loginId}`
  await disable(new Date())
  expect((await change(owner, owner, { role: 'admin' })).status).toBe(403)
  await disable(null)
  expect((await change(owner, owner, { role: 'member' })).status).toBe(200)
  expect((await change(second, second, { role: 'admin' })).status).toBe(403)
})

const DEMOTED = { role: 'viewer' }
test.each<[string, (one: Teammate, other: Teammate) => Promise<Answer>]>([
  ['step down', one => change(one, one, DEMOTED)],
  ['demote each other', (one, other) => change(one, other, DEMOTED)],
  ['remove each other', (one, other) => one.ask('DELETE', `/api/users/${other.userId}`)],
  ['leave', one => one.ask('POST', '/api/team/leave')],
])('people, who may change whose role: of two owners who %s at the same time one is left', async (_, act) => {
  for (let round = 0; round < 5; round++) {
    const first = await teammate(api)
    const second = await teammate(api, { teamId: first.teamId, role: 'owner' })
    const answers = await Promise.all([act(first, second), act(second, first)])
    expect(answers.map(({ status }) => status < 300).sort()).toEqual([false, true])
    expect(answers.map(({ status }) => status)).toContain(403)
    const owners = await api.services.db`
      select from users where team_id = ${first.teamId} and role = 'owner'`
    expect(owners).toHaveLength(1)
  }
})

test('people, who may change whose role: a body without a known role, or with sites that are none, is refused', async () => {
  const { owner, member } = await wholeTeam(api)
  for (const [body, field] of [
    [{ role: 'king' }, 'role'],
    [{ role: null }, 'role'],
    [{ role: ['owner'] }, 'role'],
    [{ site_ids: [] }, 'site_ids'],
    [{ site_ids: 'x' }, 'site_ids'],
    [{ site_ids: [5] }, 'site_ids.0'],
    [{ site_ids: Array(1_001).fill(randomUUID()) }, 'site_ids'],
    [{ role: 'admin', site_ids: [randomUUID()] }, 'site_ids'],
  ] as const) {
    const answer = await change(owner, member, body)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, expect.arrayContaining([field])])
  }
})

test('people, who may change whose role: the change counts from the next request, for tokens too, and the session gets a new secret', async () => {
  const { owner, admin } = await wholeTeam(api)
  const token = await api.token(admin)
  expect((await admin.ask('GET', '/api/audit-log')).status).toBe(200)
  await change(owner, admin, { role: 'viewer' })
  const next = await admin.ask('GET', '/api/audit-log')
  expect(next.status).toBe(403)
  expect(next.headers.get('set-cookie')).toMatch(/analytics_session=[\w-]{43};/)
  expect(next.headers.get('set-cookie')).not.toContain(admin.secret)
  expect((await api.call('GET', '/api/audit-log', { token })).status).toBe(403)
})

test('people, who may change whose role: a request that was running when the role was taken away changes nothing', async () => {
  const { owner, admin, member } = await wholeTeam(api)
  const held = holdRequests(api)
  const running = change(admin, member, { role: 'viewer' })
  await held.identified()
  // The request waits for the lock of the team, and goes on when the role is gone.
  await api.services.db.begin(async tx => {
    await tx`select from teams where id = ${owner.teamId} for update`
    held.release()
    await tx`update users set role = 'member' where id = ${admin.userId}`
  })
  const message = 'Your role in the team has changed; try again'
  expect(await running).toMatchObject({ status: 403, body: { message } })
  expect((await rolesOf(owner))[member.userId]).toBe('member')
  expect(await actionsOf(api, owner.teamId)).toEqual([])
})

test('people, who may change whose role: a request of somebody who was removed meanwhile changes nothing', async () => {
  const { owner, admin, member } = await wholeTeam(api)
  const held = holdRequests(api)
  const running = [
    admin.ask('DELETE', `/api/users/${member.userId}`),
    admin.ask('PATCH', '/api/team', { name: 'x' }),
    admin.ask('POST', '/api/team/leave'),
    invite(admin),
  ]
  // Each is held, not only the first.
  for (let count = 0; count < running.length; count++) await held.identified()
  await api.services.db`delete from users where id = ${admin.userId}`
  held.release()
  for (const { status } of await Promise.all(running)) expect(status).toBe(403)
  expect((await rolesOf(owner))[member.userId]).toBe('member')
})

test('people, limits to sites: members and viewers are limited to sites of the team alone, and freed again', async () => {
  const { teamId, owner, member } = await wholeTeam(api)
  const [site, other] = [await siteOf(api, teamId), await siteOf(api, teamId)]
  const token = await api.token(member)
  const limited = await change(owner, member, { site_ids: [site.toUpperCase(), site] })
  expect(limited.body).toMatchObject({ role: 'member', site_ids: [site] })
  expect((await member.ask('GET', `/api/sites/${site}`)).status).toBe(200)
  expect((await member.ask('GET', `/api/sites/${other}`)).status).toBe(404)
  expect((await api.call('GET', `/api/sites/${site}`, { token })).status).toBe(200)
  expect((await api.call('GET', `/api/sites/${other}`, { token })).status).toBe(404)
  expect((await change(owner, member, { role: 'viewer' })).body).toMatchObject({ site_ids: [site] })
  expect((await change(owner, member, { site_ids: null })).body).toMatchObject({ site_ids: null })
  expect((await member.ask('GET', `/api/sites/${other}`)).status).toBe(200)
  const foreign = await siteOf(api, (await teammate(api)).teamId)
  await api.services.db`update sites set deleted_at = now() where id = ${other}`
  for (const id of [foreign, other, randomUUID()])
    expect((await change(owner, member, { site_ids: [id] })).status).toBe(404)
  expect((await listOf(owner)).find(({ id }) => id === member.userId)!.site_ids).toBeNull()
})

test('people, limits to sites: owners and admins reach every site: becoming one ends the limit, stepping down may set one', async () => {
  const { teamId, owner, member } = await wholeTeam(api)
  const site_ids = [await siteOf(api, teamId)]
  await change(owner, member, { site_ids })
  expect((await change(owner, member, { role: 'admin', site_ids })).status).toBe(422)
  expect((await change(owner, member, { role: 'admin' })).body).toMatchObject({ site_ids: null })
  await teammate(api, { teamId, role: 'owner' })
  expect((await change(owner, owner, { role: 'viewer', site_ids })).body).toMatchObject({ site_ids })
})

test('people, removal: tokens of the team end at once, and the person keeps their other teams', async () => {
  const { owner, admin, member } = await wholeTeam(api)
  const token = await api.token(member)
  const other = (await member.ask('POST', '/api/teams', { name: 'Other' })).body
  await owner.ask('DELETE', `/api/users/${member.userId}`)
  expect((await api.call('GET', '/api/sites', { token })).status).toBe(401)
  expect((await member.ask('GET', '/api/team')).body).toMatchObject({ id: other.id })
  const headers = { ...member.headers, 'X-Team': owner.teamId }
  expect((await api.call('GET', '/api/team', { headers })).status).toBe(404)
  // Nobody removes themselves.
  for (const person of [owner, admin]) {
    const { status, body } = await person.ask('DELETE', `/api/users/${person.userId}`)
    expect([status, body.message]).toEqual([403, expect.stringContaining('leave')])
  }
})

test('people, leaving: whoever is no last owner leaves, and their tokens end', async () => {
  const team = await wholeTeam(api)
  for (const role of ['admin', 'member', 'viewer'] as const) {
    const token = await api.token(team[role])
    expect((await team[role].ask('POST', '/api/team/leave')).status).toBe(204)
    expect((await api.call('GET', '/api/sites', { token })).status).toBe(401)
    expect(team[role].userId in (await rolesOf(team.owner))).toBe(false)
    expect((await team[role].ask('GET', '/api/team')).status).toBe(403)
    expect((await team[role].ask('GET', '/api/teams')).body).toEqual([])
  }
  expect((await team.owner.ask('POST', '/api/team/leave')).status).toBe(403)
})

const transfer = (person: Teammate, { userId }: { userId: string }, body: object = {}) =>
  person.ask('POST', `/api/users/${userId}/transfer`, body)

test('people, handing the team over: not to oneself, to a user without a login, or to one whose login is disabled', async () => {
  const { teamId, owner, member } = await wholeTeam(api)
  const other = await api.member({ role: 'viewer' })
  await api.services.db`update users set team_id = ${teamId} where id = ${other.userId}`
  await api.services.db`update logins set disabled_at = now() where id = ${member.loginId}`
  for (const target of [owner, other, member]) expect((await transfer(owner, target)).status).toBe(422)
})

test('people, handing the team over: the user becomes owner, the owner admin; of two transfers at the same time only one happens', async () => {
  const { owner, ...others } = await wholeTeam(api)
  const targets = [others.admin, others.viewer]
  const answers = await Promise.all(targets.map(target => transfer(owner, target)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
  const index = answers.findIndex(({ status }) => status === 200)
  const heir = targets[index]!
  expect(answers[index]!.body).toMatchObject({ id: heir.userId, role: 'owner', site_ids: null })
  const roles = await rolesOf(heir)
  expect([roles[heir.userId], roles[owner.userId]]).toEqual(['owner', 'admin'])
  expect(Object.values(roles).filter(role => role === 'owner')).toHaveLength(1)
  expect((await transfer(owner, heir)).status).toBe(403)
})

test('people: every change is in the audit log', async () => {
  const { teamId, owner, admin, member, viewer } = await wholeTeam(api)
  await change(owner, member, { role: 'viewer' })
  await owner.ask('DELETE', `/api/users/${viewer.userId}`)
  await owner.ask('POST', `/api/users/${admin.userId}/transfer`, {})
  await owner.ask('POST', '/api/team/leave')
  const entries = await actionsOf(api, teamId)
  const actions = ['user.change', 'user.remove', 'team.transfer', 'user.leave']
  expect(entries.map(({ action }) => action)).toEqual(actions)
  expect(entries[0]).toMatchObject({
    actor: owner.email,
    details: { email: member.email, role: 'viewer', role_before: 'member' },
  })
  expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set([owner.email]))
})
