import { randomUUID } from 'node:crypto'
import type { Role } from '../../src/access/teams/caller.ts'
import { signIn } from '../support/browser-session.ts'
import { bodies, type Exercise, expectItems, type World } from './exercise-steps.ts'

const newPerson = ({ api, owner }: World, role: Role) => signIn(api, { teamId: owner.teamId, role })
const newAddress = () => `${randomUUID()}@example.com`

async function invite(world: World, role: Role = 'member') {
  const { api } = world
  const { headers } = await newPerson(world, 'owner')
  const body = { email: newAddress(), role }
  const made = await api.call('POST', '/api/invitations', { headers, body })
  return { id: made.body.id as string, secret: new URL(made.body.url).hash.slice(1) }
}

/** Teams, people and invitations. */
export const teamExercises: Record<string, Exercise> = {
  'GET /api/team': ask => ask(),
  'PATCH /api/team': async (ask, { member }) => {
    await ask({ body: { name: 'Acme' } })
    await ask({ body: { name: 'Acme' }, token: member.token })
  },
  'DELETE /api/team': async (ask, { api }) => {
    const { headers } = await signIn(api)
    await ask({ body: { name: 'Test' }, headers })
  },
  'POST /api/team/leave': async (ask, world) => {
    const { headers } = await newPerson(world, 'viewer')
    await ask({ headers })
  },
  'GET /api/teams': ask => expectItems(ask(), body => body),
  'POST /api/teams': ask => ask({ body: { name: 'Second' } }),
  'GET /api/users': ask => expectItems(ask(), body => body),
  'PATCH /api/users/{id}': async (ask, world) => {
    const { userId: id } = await newPerson(world, 'viewer')
    await ask({ path: { id }, body: { role: 'viewer' } })
    await ask({ path: { id }, body: { role: 'member', site_ids: [world.site.id] } })
    await ask({ body: { role: 'member' } })
    await ask({ path: { id }, body: { role: 'member' }, token: world.member.token })
  },
  'DELETE /api/users/{id}': async (ask, world) => {
    const { userId: id } = await newPerson(world, 'viewer')
    await ask({ path: { id }, token: world.member.token })
    await ask({ path: { id } })
    await ask({ path: { id } })
  },
  'POST /api/users/{id}/transfer': async (ask, world) => {
    const [{ headers }, { userId: id }] = [await newPerson(world, 'owner'), await newPerson(world, 'viewer')]
    await ask({ headers })
    await ask({ path: { id }, headers })
    await ask({ path: { id }, headers })
  },
  'GET /api/invitations': async (ask, world) => {
    await invite(world)
    await expectItems(ask(), body => body)
    await ask({ token: world.member.token })
  },
  'POST /api/invitations': async (ask, { member }) => {
    const body = { email: newAddress(), role: 'member' }
    await ask({ body, token: member.token })
    await ask({ body })
    await ask({ body })
    await ask({ body: { ...body, email: newAddress(), site_ids: [randomUUID()] } })
  },
  'POST /api/invitations/{id}/resend': async (ask, world) => {
    const { id } = await invite(world)
    await ask({ path: { id } })
    await ask()
    await ask({ path: { id }, token: world.member.token })
  },
  'DELETE /api/invitations/{id}': async (ask, world) => {
    const { id } = await invite(world)
    await ask({ path: { id }, token: world.member.token })
    await ask({ path: { id } })
    await ask({ path: { id } })
  },
  'POST /api/invitations/look-up': async (ask, world) =>
    bodies({ secret: (await invite(world)).secret }, { secret: 'unknown' })(ask),
  'POST /api/invitations/accept': async (ask, world) => {
    const { secret } = await invite(world)
    await bodies({ secret }, { secret, password: 'a long enough password' }, { secret })(ask)
  },
}
