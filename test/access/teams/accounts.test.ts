import { expect, test } from 'vitest'
import { bootstrap, createTeam, hasActivePlan, setPlan } from '../../../src/access/teams/accounts.ts'
import { createToken } from '../../../src/access/teams/create-token.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { createMember } from '../../support/member.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const IN_14_DAYS = new Date('2026-03-15T12:00:00Z')

const db = dbOf(useDatabase(testDatabase))

async function planOf(teamId: string) {
  const [row] = await db`select plan, trial_ends_at from teams where id = ${teamId}`
  return row
}

test('bootstrap: ten concurrent first runs create one team and one token; its name may change then', async () => {
  const runs = await Promise.all(Array.from({ length: 10 }, () => bootstrap(db, CONFIG, NOW)))
  expect(runs.filter(run => run.created)).toHaveLength(1)
  expect(runs.filter(run => run.token !== null)).toHaveLength(1)
  const { team_id } = runs[0]!
  expect(new Set(runs.map(run => run.team_id + run.user_id)).size).toBe(1)
  expect(await planOf(team_id)).toEqual({ plan: 'active', trial_ends_at: null })
  await db`update teams set name = 'Acme' where id = ${team_id}`
  expect(await bootstrap(db, CONFIG, NOW)).toMatchObject({ team_id, created: false })
})

const CONFIG = { baseUrl: 'http://a.example' }

test('bootstrap: the link for the set-up is there until the owner has a login, whatever their address is then', async () => {
  const first = await bootstrap(db, CONFIG, NOW)
  const again = await bootstrap(db, CONFIG, NOW)
  expect(first.setup_url).toMatch(/^http:\/\/a\.example\/setup#[\w-]{43}$/)
  expect(again.setup_url).not.toBe(first.setup_url)
  const links = await db`select email from one_time_links`
  expect([...links]).toEqual([{ email: 'owner@localhost' }])
  const [login] = await db<
    { id: string }[]
  >`insert into logins (email) values ('ada@example.com') returning id`
  await db`update users set login_id = ${login!.id}, email = 'ada@example.com' where id = ${first.user_id}`
  expect(await bootstrap(db, CONFIG, NOW)).toEqual({ ...first, token: null, created: false, setup_url: null })
  const owners = await db`select email from users where team_id = ${first.team_id}`
  expect([...owners]).toEqual([{ email: 'ada@example.com' }])
})

test('plans: a trial ends after 14 days by default, and no other plan ends', async () => {
  const teamId = await createTeam(db, { name: 'Trial', plan: 'trial' }, NOW)
  expect(await planOf(teamId)).toEqual({ plan: 'trial', trial_ends_at: IN_14_DAYS })
  await setPlan(db, { teamId, plan: 'trial', trialEndsAt: NOW }, NOW)
  expect(await planOf(teamId)).toEqual({ plan: 'trial', trial_ends_at: NOW })
  await setPlan(db, { teamId, plan: 'lapsed' }, NOW)
  expect(await planOf(teamId)).toEqual({ plan: 'lapsed', trial_ends_at: null })
  const active = { name: 'Test', plan: 'active', trialEndsAt: NOW } as const
  await expect(createTeam(db, active, NOW)).rejects.toMatchObject({ code: 'validation_failed' })
})

test('tokens: a user or a site of another team is refused', async () => {
  const service = { db, now: () => NOW }
  const [mine, other] = [await createMember(service), await createMember(service)]
  const [site] =
    await db`insert into sites (team_id, domain) values (${other.teamId}, 'a.example') returning id`
  for (const wrong of [{ userId: other.userId }, { siteIds: [site!.id] }]) {
    const token = { ...mine, name: 'test', expiresAt: null, siteIds: null, ...wrong }
    await expect(createToken(db, token, NOW)).rejects.toMatchObject({ code: 'not_found' })
  }
})

test.each([
  ['active', null, true],
  ['trial', new Date(NOW.getTime() + 1), true],
  ['trial', NOW, false],
  ['lapsed', null, false],
  ['none', null, false],
] as const)('plans: %s with trial end %s is active: %s', (plan, trialEndsAt, active) => {
  expect(hasActivePlan({ plan, trialEndsAt }, NOW)).toBe(active)
})
