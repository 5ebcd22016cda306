import { expect, test } from 'vitest'
import { ROLES } from '../../../src/access/teams/caller.ts'
import type { Answer } from '../../support/api.ts'
import { acceptAs, invite, secretOf } from '../../support/invitations.ts'
import { sweep } from '../../support/runs.ts'
import { siteOf, type Teammate, teammate } from '../../support/teammates.ts'
import { useApi } from './use-api.ts'

const api = useApi()

/** A small generator of numbers, so that a failure can be repeated by its seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Change = (actor: Teammate, target: Teammate, pick: (below: number) => number) => Promise<Answer>

function changesOf(siteId: string): Change[] {
  return [
    (actor, target, pick) =>
      actor.ask('PATCH', `/api/users/${target.userId}`, { role: ROLES[pick(ROLES.length)] }),
    (actor, target) => actor.ask('PATCH', `/api/users/${target.userId}`, { site_ids: [siteId] }),
    (actor, target, pick) =>
      pick(4) === 0 ? actor.ask('DELETE', `/api/users/${target.userId}`) : actor.ask('GET', '/api/users'),
    (actor, _, pick) =>
      pick(4) === 0 ? actor.ask('POST', '/api/team/leave') : actor.ask('GET', '/api/team'),
    (actor, target) => actor.ask('POST', `/api/users/${target.userId}/transfer`, {}),
    (actor, _, pick) => invite(actor, { role: ROLES[pick(ROLES.length)] }),
    actor => actor.ask('POST', '/api/tokens', { name: 'x' }),
    (actor, target) => actor.ask('PATCH', '/api/team', { name: target.userId }),
    (actor, target) => actor.ask('POST', '/api/sites', { domain: `${target.userId}.example` }),
  ]
}

test.each(sweep([1, 2]))(
  'people: many changes at the same time fail with no deadlock and leave an owner (seed %i)',
  async seed => {
    const pick = numbers(seed)
    const first = await teammate(api)
    const { teamId } = first
    const changes = changesOf(await siteOf(api, teamId))
    const people = [first]
    for (const role of [...ROLES, ...ROLES]) people.push(await teammate(api, { teamId, role }))
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          changes[pick(changes.length)]!(people[pick(people.length)]!, people[pick(people.length)]!, pick),
        ),
      )
      for (const { status, body } of answers)
        expect([status < 500, body?.message]).toEqual([true, body?.message])
      const owners = await api.services.db`select from users where team_id = ${teamId} and role = 'owner'`
      expect(owners.length).toBeGreaterThan(0)
    }
  },
)

test('people: a team that is deleted while people join, invite and change it leaves nothing', async () => {
  for (let round = 0; round < 3; round++) {
    const owner = await teammate(api)
    const { teamId } = owner
    const admin = await teammate(api, { teamId, role: 'admin' })
    const guest = await teammate(api)
    const secret = secretOf(await invite(owner))
    const answers = await Promise.all([
      acceptAs(guest, secret),
      invite(admin),
      owner.ask('DELETE', '/api/team', { name: 'Test' }),
      admin.ask('POST', '/api/sites', { domain: 'late.example' }),
      admin.ask('POST', '/api/tokens', { name: 'late' }),
    ])
    for (const { status } of answers) expect(status).toBeLessThan(500)
    const [left] = await api.services.db`
      select
        (select count(*)::int from users where team_id = ${teamId}) as users,
        (select count(*)::int from tokens where team_id = ${teamId}) as tokens,
        (select count(*)::int from invitations where team_id = ${teamId}) as invitations,
        (select count(*)::int from sites where team_id = ${teamId} and deleted_at is null) as sites`
    expect(left).toEqual({ users: 0, tokens: 0, invitations: 0, sites: 0 })
  }
  await api.services.redis.flushall()
})
