import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { actionsOf, siteOf, type Teammate, teammate, wholeTeam } from '../../support/teammates.ts'
import { useApi } from './use-api.ts'

const api = useApi()

const make = (person: Teammate, ...[name]: unknown[]) => person.ask('POST', '/api/teams', { name })
const list = async (person: Teammate) => (await person.ask('GET', '/api/teams')).body
const inTeam = (person: Teammate, teamId: string, method: string, path: string, body?: unknown) =>
  api.call(method, path, { headers: { ...person.headers, 'X-Team': teamId }, body })

test('teams, making one: a person makes a team with an active plan, and owns it', async () => {
  const person = await teammate(api)
  const made = await make(person, 'Second 🐱')
  expect(made.status).toBe(201)
  expect(made.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Second 🐱',
    role: 'owner',
    plan: 'active',
    is_current: false,
  })
  expect(await list(person)).toEqual([
    { id: person.teamId, name: 'Test', role: 'owner', plan: 'active', is_current: true },
    made.body,
  ])
  expect(await actionsOf(api, made.body.id)).toEqual([
    { action: 'team.create', actor: person.email, details: { name: 'Second 🐱' } },
  ])
  expect(await actionsOf(api, person.teamId)).toEqual([])
  const users = await inTeam(person, made.body.id, 'GET', '/api/users')
  expect(users.body).toEqual([expect.objectContaining({ email: person.email, role: 'owner' })])
})

test('teams, making one: a person of any role or none makes 20 teams of their own, also when requests race', async () => {
  const { viewer, member } = await wholeTeam(api)
  await member.ask('POST', '/api/team/leave')
  expect((await make(member, 'Second')).status).toBe(201)
  expect((await member.ask('GET', '/api/team')).body).toMatchObject({ name: 'Second', role: 'owner' })
  for (let made = 0; made < 19; made++) expect((await make(viewer, 'x')).status).toBe(201)
  const answers = await Promise.all(['a', 'b', 'c'].map(name => make(viewer, name)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403])
  // Teams of others do not count.
  expect(await list(viewer)).toHaveLength(21)
})

test('teams, making one: what is no name is refused, and spaces around one are taken off', async () => {
  const person = await teammate(api)
  for (const name of [undefined, null, '', '  ', 'A\nB', 'A\u202eB', '\u200b', 5, {}, 'x'.repeat(256)]) {
    expect([name, (await make(person, name)).status]).toEqual([name, 422])
    expect([name, (await person.ask('PATCH', '/api/team', { name })).status]).toEqual([name, 422])
  }
  expect(await list(person)).toHaveLength(1)
  expect((await make(person, '  Second  ')).body.name).toBe('Second')
})

test('teams, the header X-Team: chooses the own team in which a person acts, with their role there', async () => {
  const person = await teammate(api, { role: 'viewer' })
  const own = (await make(person, 'Second')).body
  const site = await siteOf(api, own.id)
  expect((await person.ask('GET', `/api/sites/${site}`)).status).toBe(404)
  expect((await inTeam(person, own.id, 'GET', `/api/sites/${site}`)).status).toBe(200)
  expect((await inTeam(person, own.id, 'DELETE', `/api/sites/${site}`)).status).toBe(204)
  const shown = { id: own.id, role: 'owner', plan: 'active', trial_ends_at: null }
  expect((await inTeam(person, own.id, 'GET', '/api/team')).body).toMatchObject(shown)
  expect((await inTeam(person, person.teamId, 'PATCH', '/api/team', { name: 'x' })).status).toBe(403)
  const listed = (await inTeam(person, own.id, 'GET', '/api/teams')).body
  expect(listed.map((team: { is_current: boolean }) => team.is_current)).toEqual([false, true])
  // A team of others, an unknown one and something else.
  for (const team of [(await teammate(api)).teamId, randomUUID(), 'Test', '*'])
    expect((await inTeam(person, team, 'GET', '/api/team')).status).toBe(404)
})

test('teams, the name: owners and admins change it', async () => {
  const { teamId, owner, admin, viewer } = await wholeTeam(api)
  for (const person of [owner, admin]) {
    const answer = await person.ask('PATCH', '/api/team', { name: `Of ${person.userId}` })
    expect(answer.body).toMatchObject({ id: teamId, name: `Of ${person.userId}` })
  }
  expect((await viewer.ask('GET', '/api/team')).body).toEqual({
    ...{ id: teamId, name: `Of ${admin.userId}`, role: 'viewer', plan: 'active', trial_ends_at: null },
    created_at: expect.stringMatching(/Z$/),
  })
  expect(await actionsOf(api, teamId)).toMatchObject([
    { action: 'team.rename', details: { name_before: 'Test' } },
    { action: 'team.rename', actor: admin.email },
  ])
})
