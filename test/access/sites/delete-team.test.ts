import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTeam, createUser, findTeamNamed, setPlan } from '../../../src/access/teams/accounts.ts'
import { acceptAs, invite, lookUp, secretOf } from '../../support/invitations.ts'
import { hearSiteChanges } from '../../support/site-changes.ts'
import { holdRequests, siteOf, type Teammate, teammate, wholeTeam } from '../../support/teammates.ts'
import { useApi } from '../teams/use-api.ts'

const api = useApi(() => ({}), { isLimited: true })

const NAME = 'Test'
const remove = (person: Teammate, body: object = { name: NAME }) => person.ask('DELETE', '/api/team', body)

test('team deletion: everything of the team is refused at once', async () => {
  const { teamId, owner, admin, member, viewer } = await wholeTeam(api)
  const site = await siteOf(api, teamId)
  const token = await api.token(member)
  const secret = secretOf(await invite(owner))
  const announced = await hearSiteChanges(api.services)

  expect((await remove(owner)).status).toBe(204)

  for (const person of [owner, admin, member, viewer]) {
    expect((await person.ask('GET', '/api/team')).status).toBe(403)
    expect((await person.ask('GET', `/api/sites/${site}`)).status).toBe(403)
    const headers = { ...person.headers, 'X-Team': teamId }
    expect((await api.call('GET', '/api/sites', { headers })).status).toBe(404)
    expect((await person.ask('GET', '/api/teams')).body).toEqual([])
  }
  expect((await api.call('GET', '/api/sites', { token })).status).toBe(401)
  expect((await lookUp(api, secret)).status).toBe(404)
  expect((await acceptAs(await teammate(api), secret)).status).toBe(404)
  const { db } = api.services
  const [row] = await db<{ key: string; deleted: boolean }[]>`
    select tracking_key as key, deleted_at is not null as deleted from sites where id = ${site}`
  expect(row!.deleted).toBe(true)
  await expect.poll(() => announced).toEqual([row!.key])
  const [left] = await db`
    select
      (select count(*)::int from users where team_id = ${teamId}) as users,
      (select count(*)::int from tokens where team_id = ${teamId}) as tokens,
      (select count(*)::int from invitations where team_id = ${teamId}) as invitations`
  expect(left).toEqual({ users: 0, tokens: 0, invitations: 0 })
})

test('team deletion: people keep their other teams, and the log of no team says who did it', async () => {
  const { teamId, owner, viewer } = await wholeTeam(api)
  const other = (await viewer.ask('POST', '/api/teams', { name: 'Other' })).body
  const otherSite = await siteOf(api, other.id)
  await remove(owner)
  expect((await viewer.ask('GET', `/api/sites/${otherSite}`)).status).toBe(200)
  const entries = await api.services.db`
    select actor, team_id, details from audit_log where action = 'team.delete' and object_id = ${teamId}`
  expect([...entries]).toEqual([{ actor: owner.email, team_id: null, details: { name: NAME } }])
})

test('team deletion: the name must be that of the team', async () => {
  const { owner } = await wholeTeam(api)
  for (const body of [{}, { name: '' }, { name: 'test' }, { name: 5 }, { name: NAME, password: 5 }])
    expect([body, (await remove(owner, body)).status]).toEqual([body, 422])
  expect((await owner.ask('GET', '/api/team')).status).toBe(200)
})

test('team deletion: a change that was running when the team was deleted is refused', async () => {
  const { teamId, owner, admin } = await wholeTeam(api)
  const held = holdRequests(api)
  const running = [
    admin.ask('POST', '/api/sites', { domain: 'late.example' }),
    admin.ask('POST', '/api/tokens', { name: 'late' }),
    invite(admin),
  ]
  for (let count = 0; count < running.length; count++) await held.identified()
  const { db } = api.services
  await db`delete from users where team_id = ${teamId}`
  await db`update teams set deleted_at = now() where id = ${teamId}`
  held.release()
  for (const { status } of await Promise.all(running)) expect([401, 403, 404]).toContain(status)
  const [left] = await db`select count(*)::int as sites from sites where team_id = ${teamId}`
  expect(left).toEqual({ sites: 0 })
  expect((await owner.ask('GET', '/api/team')).status).toBe(403)
})

test('team deletion: two at the same time delete it once', async () => {
  const { teamId, owner } = await wholeTeam(api)
  const second = await teammate(api, { teamId, role: 'owner' })
  const answers = await Promise.all([remove(owner), remove(second)])
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 403])
})

test('team deletion: the command line does not find the team any more', async () => {
  const { db, now } = api.services
  const name = randomUUID()
  const teamId = await createTeam(db, { name, plan: 'active' }, now())
  expect(await findTeamNamed(db, { name })).toEqual([{ id: teamId }])
  await db`update teams set deleted_at = now() where id = ${teamId}`
  expect(await findTeamNamed(db, { name })).toEqual([])
  await expect(createUser(db, { teamId, email: 'a@example.com', role: 'owner' })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(setPlan(db, { teamId, plan: 'lapsed' }, now())).rejects.toMatchObject({ code: 'not_found' })
})
