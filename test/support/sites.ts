import { randomUUID } from 'node:crypto'
import type { Db } from '../../src/platform/db/connect.ts'

export interface TestSite {
  siteNo: number
  id: string
  key: string
}

/** A site of a team of its own, made without the API. */
export async function createTestSite(db: Db, options: { timezone?: string } = {}): Promise<TestSite> {
  const [team] = await db`insert into teams (name, plan) values ('Test', 'active') returning id`
  const [site] = await db<TestSite[]>`
    insert into sites (team_id, domain, timezone)
    values (${team!.id}, ${`${randomUUID()}.example`}, ${options.timezone ?? 'UTC'})
    returning site_no as "siteNo", id, tracking_key as key`
  return site!
}
