import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Role } from '../../../src/access/teams/caller.ts'
import type { Answer } from '../../support/api.ts'
import { acceptAs, acceptAsNew, invite, lookUp, newAddress, secretOf } from '../../support/invitations.ts'
import { actionsOf, proveNow, siteOf, type Teammate, teammate, wholeTeam } from '../../support/teammates.ts'
import { useApi } from './use-api.ts'

const DAY = 86_400_000

let now = new Date()
const api = useApi(() => ({ now: () => now }))

const later = async <Result>(ms: number, run: () => Promise<Result>): Promise<Result> => {
  const before = now
  now = new Date(now.getTime() + ms)
  try {
    return await run()
  } finally {
    now = before
  }
}
const list = async (person: Teammate) => (await person.ask('GET', '/api/invitations')).body
const resend = (person: Teammate, { body }: Answer) =>
  person.ask('POST', `/api/invitations/${body.id}/resend`)
const revoke = (person: Teammate, { body }: Answer) => person.ask('DELETE', `/api/invitations/${body.id}`)

test('invitations, making one: the link is shown once, not stored, and works for seven days', async () => {
  const { owner } = await wholeTeam(api)
  const email = newAddress()
  const made = await invite(owner, { email: ` ${email.toUpperCase()} `, role: 'viewer' })
  expect(made.status).toBe(201)
  const { url, mailed, ...listed } = made.body
  expect(url).toMatch(new RegExp(`^${api.services.config.baseUrl}/invite#[\\w-]{43}$`))
  expect(mailed).toBe(false)
  expect(listed).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    email,
    role: 'viewer',
    site_ids: null,
    invited_by: owner.email,
    expires_at: new Date(now.getTime() + 7 * DAY).toISOString(),
    created_at: now.toISOString(),
  })
  expect(await list(owner)).toEqual([listed])
  const secret = secretOf(made)
  const [row] = await api.services.db<{ text: string }[]>`
    select (select string_agg(invitations::text, '') from invitations)
      || (select string_agg(audit_log::text, '') from audit_log) as text`
  expect(row!.text).not.toContain(secret)
  expect((await later(7 * DAY - 1, () => lookUp(api, secret))).status).toBe(200)
  expect((await later(7 * DAY, () => lookUp(api, secret))).status).toBe(404)
  expect((await later(7 * DAY, () => acceptAsNew(api, secret))).status).toBe(404)
})

const OUTCOMES: [Role, Role, number][] = [
  ['owner', 'owner', 201],
  ['owner', 'admin', 201],
  ['owner', 'viewer', 201],
  ['admin', 'owner', 403],
  ['admin', 'admin', 201],
  ['admin', 'member', 201],
  ['member', 'viewer', 403],
  ['viewer', 'viewer', 403],
]
test('invitations, making one: each role invites others as what it may', async () => {
  const team = await wholeTeam(api)
  for (const [inviter, role, status] of OUTCOMES)
    expect([inviter, role, (await invite(team[inviter], { role })).status]).toEqual([inviter, role, status])
  expect(await list(team.owner)).toHaveLength(OUTCOMES.filter(([, , status]) => status === 201).length)
})

test('invitations, making one: a token of an owner invites in the name of its user, one that is limited to sites does not', async () => {
  const owner = await teammate(api, { name: 'Ada' })
  const body = { email: newAddress(), role: 'member' }
  const ask = (token: string) => api.call('POST', '/api/invitations', { token, body })
  const siteIds = [await siteOf(api, owner.teamId)]
  expect((await ask(await api.token(owner, { siteIds }))).status).toBe(403)
  const byToken = await ask(await api.token(owner))
  expect(byToken.body).toMatchObject({ invited_by: owner.email, url: null })
  const made = await invite(owner)
  expect(made.body.invited_by).toBe('Ada')
  expect((await lookUp(api, secretOf(made))).body.invited_by).toBe('Ada')
})

test('invitations, making one: members and viewers are limited to sites of the team', async () => {
  const { teamId, owner } = await wholeTeam(api)
  const site = await siteOf(api, teamId)
  const foreign = await siteOf(api, (await wholeTeam(api)).teamId)
  expect((await invite(owner, { site_ids: [site, site.toUpperCase()] })).body.site_ids).toEqual([site])
  for (const id of [foreign, randomUUID()])
    expect((await invite(owner, { site_ids: [site, id] })).status).toBe(404)
  expect((await invite(owner, { role: 'admin', site_ids: [site] })).status).toBe(422)
})

test('invitations, making one: an address has one invitation in a team, one in each team, and another after that has expired', async () => {
  const { owner, admin } = await wholeTeam(api)
  const email = newAddress()
  const answers = await Promise.all([invite(owner, { email }), invite(admin, { email })])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
  const again = await invite(admin, { email: email.toUpperCase(), role: 'viewer' })
  expect([again.status, again.body.errors.email[0]]).toEqual([422, expect.stringContaining('resend')])
  expect((await invite(await teammate(api), { email })).status).toBe(201)
  const old = answers.find(({ status }) => status === 201)!
  const fresh = await later(7 * DAY, async () => {
    await proveNow(api, owner)
    return invite(owner, { email, role: 'viewer' })
  })
  expect(fresh.status).toBe(201)
  expect((await list(owner)).map(({ id }: { id: string }) => id)).toEqual([fresh.body.id])
  expect((await lookUp(api, secretOf(old))).status).toBe(404)
})

test('invitations, making one: somebody of the team is not invited, neither by the address of their login nor by that of their user', async () => {
  const { owner, member } = await wholeTeam(api)
  expect((await invite(owner, { email: member.email })).status).toBe(422)
  await api.services.db`update logins set email = ${`new-${member.email}`} where id = ${member.loginId}`
  expect((await invite(owner, { email: `new-${member.email}` })).status).toBe(422)
  expect((await invite(owner, { email: member.email })).status).toBe(422)
})

test('invitations, making one: a team has at most 100 open invitations', async () => {
  const { teamId, owner } = await wholeTeam(api)
  await api.services.db`
    insert into invitations (team_id, email, role, hash, invited_by, expires_at, created_at)
    select ${teamId}, n || '@example.com', 'member', sha256((${teamId}::text || n)::bytea), 'x', ${new Date(now.getTime() + 1000)}, ${now}
    from generate_series(1, 99) as n`
  const answers = await Promise.all([invite(owner), invite(owner)])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 403])
  expect((await later(1000, () => invite(owner))).status).toBe(201)
})

test('invitations, making one: what is no address, role or list of sites is refused', async () => {
  const { owner } = await wholeTeam(api)
  const wrong: [field: string, ...values: unknown[]][] = [
    ['email', undefined, 5, null, 'nobody', '@example.com', 'a b@example.com', '"a b"@example.com'],
    ['email', 'a@example.com, b@example.com', 'Ada <a@example.com>', `${'a'.repeat(244)}@example.com`],
    ['email', 'a@example.com\r\nBcc: b@example.com'],
    ['role', undefined, 'king', {}],
    ['site_ids', [], { 0: 'x' }],
  ]
  for (const [field, ...values] of wrong) {
    for (const value of values) {
      const answer = await invite(owner, { [field]: value })
      expect([value, answer.status, Object.keys(answer.body.errors)]).toEqual([value, 422, [field]])
    }
  }
  expect(Object.keys((await invite(owner, { site_ids: [''] })).body.errors)).toEqual(['site_ids.0'])
  expect(await list(owner)).toEqual([])
})

test('invitations, resending and revoking: a resent invitation has a new link and seven new days, and the old link ends', async () => {
  const { owner, admin } = await wholeTeam(api)
  const made = await invite(owner)
  const again = await later(DAY, async () => {
    await proveNow(api, admin)
    return resend(admin, made)
  })
  expect(again.status).toBe(200)
  expect(again.body).toMatchObject({
    ...{ id: made.body.id, email: made.body.email, role: 'member', invited_by: admin.email },
    ...{ expires_at: new Date(now.getTime() + 8 * DAY).toISOString(), created_at: made.body.created_at },
  })
  expect(secretOf(again)).not.toBe(secretOf(made))
  expect((await lookUp(api, secretOf(made))).status).toBe(404)
  expect((await acceptAsNew(api, secretOf(made))).status).toBe(404)
  expect((await lookUp(api, secretOf(again))).status).toBe(200)
  expect(await list(owner)).toHaveLength(1)
  await later(9 * DAY, async () => {
    expect((await lookUp(api, secretOf(again))).status).toBe(404)
    await proveNow(api, owner)
    expect((await lookUp(api, secretOf(await resend(owner, made)))).status).toBe(200)
  })
})

test('invitations, resending and revoking: an expired invitation is listed for a month', async () => {
  const { owner } = await wholeTeam(api)
  await invite(owner)
  // The session has ended by then.
  const token = await api.token(owner)
  const makeAnother = (ms: number) =>
    later(ms, () =>
      api.call('POST', '/api/invitations', { token, body: { email: newAddress(), role: 'member' } }),
    )
  await makeAnother(37 * DAY - 1)
  expect(await list(owner)).toHaveLength(2)
  await makeAnother(37 * DAY)
  expect(await list(owner)).toHaveLength(2)
})

test('invitations, resending and revoking: a revoked invitation does not work; an admin neither resends nor revokes that of an owner', async () => {
  const { owner, admin } = await wholeTeam(api)
  const made = await invite(owner, { role: 'owner' })
  expect((await resend(admin, made)).status).toBe(403)
  expect((await revoke(admin, made)).status).toBe(403)
  expect((await lookUp(api, secretOf(made))).status).toBe(200)
  const again = await resend(owner, made)
  expect((await revoke(owner, made)).status).toBe(204)
  expect((await revoke(owner, made)).status).toBe(404)
  expect((await resend(owner, made)).status).toBe(404)
  expect((await acceptAsNew(api, secretOf(again))).status).toBe(404)
  expect(await list(owner)).toEqual([])
  const other = await invite(owner)
  expect((await revoke(admin, other)).status).toBe(204)
})

test('invitations, they end with the rights of who knows the link: who was removed or has left cannot come back by a link of their own', async () => {
  const { owner, admin } = await wholeTeam(api)
  const second = await teammate(api, { teamId: owner.teamId, role: 'admin' })
  const [kept, removed, left] = [await invite(owner), await invite(admin), await invite(second)]
  const resent = await resend(owner, await invite(admin))
  await owner.ask('DELETE', `/api/users/${admin.userId}`)
  await second.ask('POST', '/api/team/leave')
  expect((await acceptAs(admin, secretOf(removed))).status).toBe(404)
  expect((await acceptAs(second, secretOf(left))).status).toBe(404)
  for (const other of [kept, resent]) expect((await lookUp(api, secretOf(other))).status).toBe(200)
})

test('invitations, they end with the rights of who knows the link: who may not give a role any more, or hands the team over, cannot take it by a link of their own', async () => {
  // Links of other tests that did not work do not count.
  await api.services.redis.flushall()
  const { teamId, owner, admin } = await wholeTeam(api)
  const second = await teammate(api, { teamId, role: 'owner' })
  const linksOf = (person: Teammate) =>
    Promise.all((['owner', 'admin'] as const).map(role => invite(person, { role })))
  const statusesOf = (links: Answer[]) =>
    Promise.all(links.map(async link => (await lookUp(api, secretOf(link))).status))
  const [ofSecond, ofOwner] = [await linksOf(second), await linksOf(owner)]
  await owner.ask('PATCH', `/api/users/${second.userId}`, { role: 'admin' })
  expect(await statusesOf(ofSecond)).toEqual([404, 200])
  await owner.ask('PATCH', `/api/users/${second.userId}`, { role: 'member' })
  expect(await statusesOf(ofSecond)).toEqual([404, 404])
  await owner.ask('POST', `/api/users/${admin.userId}/transfer`, {})
  expect(await statusesOf(ofOwner)).toEqual([404, 200])
})

test('invitations: every change is in the audit log', async () => {
  const { teamId, owner } = await wholeTeam(api)
  const made = await invite(owner)
  await resend(owner, made)
  await revoke(owner, made)
  expect(await actionsOf(api, teamId)).toEqual(
    ['invitation.create', 'invitation.resend', 'invitation.revoke'].map(action => ({
      action,
      actor: owner.email,
      details: { email: made.body.email, role: 'member', site_ids: null },
    })),
  )
})
