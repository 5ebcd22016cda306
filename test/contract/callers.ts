import { randomUUID } from 'node:crypto'
import { hashSecret } from '../../src/access/accounts/secrets.ts'
import { startSession } from '../../src/access/accounts/sessions.ts'
import { createTeam, createUser } from '../../src/access/teams/accounts.ts'
import type { Role } from '../../src/access/teams/caller.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { SECTIONS } from '../../src/platform/dimensions/sections.ts'
import { newShareSecret } from '../../src/stats/sharing/credentials.ts'
import { createMember, type MemberOptions } from '../support/member.ts'

/** Headers that a caller sends with each request. */
export type Headers = Record<string, string>

/** A team with a site, and another site that callers may be limited to. */
export interface Place {
  teamId: string
  siteId: string
  otherSiteId: string
}

const NOW = () => new Date()

export async function newPlace(db: Db, columns: { isPublic?: boolean } = {}): Promise<Place> {
  const teamId = await createTeam(db, { name: 'Acme', plan: 'active' }, NOW())
  const rows = await db<{ id: string }[]>`
    insert into sites (team_id, domain, is_public)
    values
      (${teamId}, ${`${randomUUID()}.example`}, ${columns.isPublic ?? false}),
      (${teamId}, ${`${randomUUID()}.example`}, false)
    returning id`
  return { teamId, siteId: rows[0]!.id, otherSiteId: rows[1]!.id }
}

const newUser = (db: Db, teamId: string, role: Role) =>
  createUser(db, { teamId, email: `${randomUUID()}@example.com`, role })

/** A bearer token of a new user, with every scope unless some are given. */
export async function token(
  db: Db,
  { teamId }: Pick<Place, 'teamId'>,
  options: Omit<MemberOptions, 'teamId'>,
): Promise<Headers> {
  const made = await createMember({ db, now: NOW }, { ...options, teamId })
  return { Authorization: `Bearer ${made.token}` }
}

/** The secret of a share that shows everything. */
export async function share(db: Db, { siteId }: Pick<Place, 'siteId'>): Promise<Headers> {
  const secret = newShareSecret()
  await db`
    insert into shares (site_no, name, hash, sections, created_at)
    select site_no, 'test', ${hashSecret(secret)}, ${[...SECTIONS]}::text[], ${NOW()} from sites where id = ${siteId}`
  return { Authorization: `Bearer ${secret}` }
}

/** A browser in which a new person has signed in, now unless a time is given, as the service's own pages use it. */
export async function browser(
  db: Db,
  place: Pick<Place, 'teamId'> | null,
  { role = 'owner', siteIds = null, at = NOW() }: { role?: Role; siteIds?: string[] | null; at?: Date } = {},
): Promise<Headers> {
  const [login] = await db<{ id: string }[]>`
    insert into logins (email) values (${`${randomUUID()}@example.com`}) returning id`
  if (place) {
    const userId = await newUser(db, place.teamId, role)
    await db`update users set login_id = ${login!.id}, site_ids = ${siteIds}::uuid[] where id = ${userId}`
  }
  const { secret } = await startSession(db, login!.id, { userAgent: 'test', network: '127.0.0.0/24' }, at)
  return { Cookie: `analytics_session=${secret}`, 'Sec-Fetch-Site': 'same-origin' }
}
