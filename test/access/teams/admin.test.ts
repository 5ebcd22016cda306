import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { DEFAULT_SCOPES } from '../../../src/access/teams/caller.ts'
import { adminCommand } from '../../support/admin-command.ts'
import { authenticate } from '../../support/authenticate.ts'
import { sharedDatabase } from '../../support/database.ts'
import { ofFile } from '../../support/of-file.ts'

let teamId: string
let userId: string

const database = ofFile(sharedDatabase)
const command = ofFile(() => adminCommand({ databaseUrl: database.url, redisUrl: 'redis://127.0.0.1:1' }))
beforeAll(async () => {
  teamId = (await json('team:create', '--name', 'Acme')).team_id
  userId = (await json('user:create', '--team', teamId, '--email', 'a@example.com', '--role', 'owner'))
    .user_id
})

const admin = (...args: string[]) => command.run(args)

async function json(...args: string[]) {
  const { code, stdout, stderr } = await admin(...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

test('admin login: reset makes a link, list shows who signs in, disable and enable decide whether they may', async () => {
  const email = 'grace@example.com'
  await json('user:create', '--team', teamId, '--email', email, '--role', 'member')
  const link = await json('login:reset', '--email', 'Grace@Example.com')
  expect(link).toEqual({ email, purpose: 'setup', url: expect.stringContaining('/setup#') })
  const [login] = await database.db<{ id: string }[]>`
    insert into logins (email, password_hash) values (${email}, 'x') returning id`
  await database.db`update users set login_id = ${login!.id} where email = ${email}`
  const { logins } = await json('login:list')
  const nothing = { name: null, has_totp: false, passkeys: 0, disabled_at: null, last_login_at: null }
  const listed = { ...nothing, id: login!.id, email, teams: ['Acme'], has_password: true }
  expect(logins.find((each: { email: string }) => each.email === email)).toEqual(listed)
  expect((await json('login:reset', '--email', email)).url).toContain('/reset#')
  expect(await json('login:disable', '--email', email)).toMatchObject({ disabled: true, ended_sessions: 0 })
  expect((await admin('login:reset', '--email', email)).stderr).toMatch(/^error: .*disabled/)
  expect(await json('login:enable', '--email', email)).toMatchObject({ disabled: false })
  for (const command of ['login:reset', 'login:disable', 'login:enable']) {
    const { code, stderr } = await admin(command, '--email', 'nobody@example.com')
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: .*nobody@example\.com\n$/)])
  }
})

test('admin team:plan: it sets the plan', async () => {
  const args = ['--team', teamId, '--plan', 'trial', '--trial-ends-at', '2030-01-31']
  expect(await json('team:plan', ...args)).toEqual({ team_id: teamId, plan: 'trial' })
  const [team] = await database.db`select plan, trial_ends_at from teams where id = ${teamId}`
  expect(team).toEqual({ plan: 'trial', trial_ends_at: new Date('2030-01-31T00:00:00Z') })
})

test('admin token:create: a token can be limited to sites by id and by domain, to scopes and to the past', async () => {
  const [a, b] = await database.db<{ id: string }[]>`
    insert into sites (team_id, domain) values (${teamId}, 'a.com'), (${teamId}, 'b.com') returning id`
  const create = (...args: string[]) => json('token:create', '--team', teamId, '--user', userId, ...args)
  const callerOf = ({ token }: { token: string }) => authenticate(database.db, `Bearer ${token}`, new Date())
  const made = await create('--site', 'a.com', '--site', b!.id)
  expect(Object.keys(made)).toEqual(['id', 'token'])
  const caller = await callerOf(made)
  expect([caller.tokenId, caller.siteIds, caller.scopes]).toEqual([
    made.id,
    [a!.id, b!.id],
    [...DEFAULT_SCOPES],
  ])
  const scoped = await create('--scope', 'ingest', '--scope', 'read')
  expect(await callerOf(scoped)).toMatchObject({ siteIds: null, scopes: ['read', 'ingest'] })
  const expired = await create('--expires-at', '2020-01-01T01:00:00+02:00')
  await expect(callerOf(expired)).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('admin user:create: a member or viewer can be limited to sites, and freed again, with the address in any case', async () => {
  const [site] = await database.db<{ id: string }[]>`
    insert into sites (team_id, domain) values (${teamId}, 'limited.example') returning id`
  const create = (email: string, ...args: string[]) =>
    json('user:create', '--team', teamId, '--email', email, ...args)
  const userOf = async (id: string) =>
    (await database.db`select email, role, site_ids as sites from users where id = ${id}`)[0]
  const limits = ['--site', 'limited.example', '--site', site!.id]
  const { user_id: id } = await create('Limited@example.com', '--role', 'viewer', ...limits)
  const email = 'limited@example.com'
  expect(await userOf(id)).toEqual({ email, role: 'viewer', sites: [site!.id] })
  expect(await create('limited@Example.com', '--role', 'member')).toEqual({ user_id: id })
  expect(await userOf(id)).toEqual({ email, role: 'member', sites: null })
})

test('admin: a wrong call exits with 1 and one line that gives the reason', async () => {
  const id = randomUUID()
  const refused: [args: string[], reason: RegExp][] = [
    [[], /no command/],
    [['nonsense'], /unknown command/],
    [['team:create'], /--name/],
    [['team:create', '--name', ''], /1 to 255/],
    [['team:create', '--name', 'x', '--plan', 'gold'], /active, trial, lapsed, none/],
    [['team:create', '--name', 'x', '--trial-ends-at', '2030-01-01'], /trial/],
    [['team:create', '--name', 'x', '--plan', 'trial', '--trial-ends-at', '2030-02-30'], /ISO 8601/],
    [['team:create', '--name', 'x', '--nonsense'], /unknown option/],
    [['team:plan', '--team', 'x', '--plan', 'none'], /UUID/],
    [['team:plan', '--team', id, '--plan', 'none'], /No such team/],
    [['user:create', '--team', id, '--email', 'a@b.c', '--role', 'owner'], /No such team/],
    [['user:create', '--team', id, '--email', 'nobody', '--role', 'owner'], /e-mail/],
    [['user:create', '--team', id, '--email', 'a@b.c', '--role', 'king'], /owner, admin, member/],
    [['token:create', '--team', id, '--user', id], /No such user/],
    [['token:create', '--team', id, '--user', id, '--scope', 'all'], /read, write, ingest/],
  ]
  for (const [args, reason] of refused) {
    const { code, stdout, stderr } = await admin(...args)
    expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' })
    expect(stderr).toMatch(/^error: [^\n]+\n$/)
    expect(stderr).toMatch(reason)
  }
})

test('admin user:create: sites of no team and sites of an admin are refused', async () => {
  await database.db`insert into sites (team_id, domain) values (${teamId}, 'own.example')`
  const create = (role: string, site: string) =>
    admin('user:create', '--team', teamId, '--email', 'x@example.com', '--role', role, '--site', site)
  const unknown = { code: 1, stderr: 'error: No such site\n' }
  expect(await create('viewer', 'unknown.example')).toMatchObject(unknown)
  expect((await create('admin', 'own.example')).stderr).toContain('site_ids must be null')
})

test('admin: as a process it prints and exits the same', { tags: ['full'] }, async () => {
  const asProcess = (...args: string[]) => command.run(args, {})
  const help = { code: 0, stdout: expect.stringContaining('token:create'), stderr: '' }
  for (const run of [asProcess, admin]) expect(await run('--help')).toEqual(help)
  expect(await asProcess('nonsense')).toEqual(await admin('nonsense'))
  const { code, stdout, stderr } = await asProcess('team:create', '--name', 'Process')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({ team_id: expect.any(String) })
})
