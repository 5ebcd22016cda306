import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { forgetExpired } from '../../../src/access/accounts/forget-expired.ts'
import { createTeam } from '../../../src/access/teams/accounts.ts'
import { testDatabase, useDatabase } from '../../support/database.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const before = (days: number) => new Date(NOW.getTime() - days * 86_400_000)

const database = useDatabase(testDatabase)

test('expired sessions and links go at once, invitations after 30 days, entries of the audit log after a year', async () => {
  const { db } = database
  const teamId = await createTeam(db, { name: 'Acme', plan: 'active' }, NOW)
  const [login] = await db<{ id: string }[]>`insert into logins (email) values ('a@example.com') returning id`
  const session = (expiresAt: Date) => db`
    insert into browser_sessions (login_id, hash, authenticated_at, network, last_used_at, expires_at, created_at)
    values (${login!.id}, ${randomBytes(32)}, ${NOW}, '', ${NOW}, ${expiresAt}, ${NOW})`
  const link = (expiresAt: Date) => db`
    insert into one_time_links (hash, purpose, email, expires_at)
    values (${randomBytes(32)}, 'setup', 'b@example.com', ${expiresAt})`
  const invitation = (expiresAt: Date) => db`
    insert into invitations (team_id, email, role, hash, invited_by, expires_at, created_at)
    values (${teamId}, ${randomUUID()}, 'member', ${randomBytes(32)}, 'Ada', ${expiresAt}, ${NOW})`
  const entry = (at: Date) => db`
    insert into audit_log (at, action, actor, network) values (${at}, 'login.failure', '', '')`
  const kept = [session(before(-0.001)), link(before(-0.001)), invitation(before(29.9)), entry(before(364))]
  const gone = Array.from({ length: 3 }, () => [
    session(before(0)),
    link(before(0)),
    invitation(before(30)),
    entry(before(367)),
  ])
  await Promise.all([...kept, ...gone.flat()])
  const counts = async () => {
    const [row] = await db`select
      (select count(*)::int from browser_sessions) as sessions, (select count(*)::int from one_time_links) as links,
      (select count(*)::int from invitations) as invitations, (select count(*)::int from audit_log) as entries`
    return row
  }
  expect(await forgetExpired(db, NOW, 2)).toBe(true)
  expect(await counts()).toEqual({ sessions: 2, links: 2, invitations: 2, entries: 2 })
  expect(await forgetExpired(db, NOW, 2)).toBe(false)
  expect(await counts()).toEqual({ sessions: 1, links: 1, invitations: 1, entries: 1 })
  expect(await forgetExpired(db, NOW, 2)).toBe(false)
})
