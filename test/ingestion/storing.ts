import { afterEach, expect } from 'vitest'
import type { HitBatch } from '../../src/ingestion/hit.ts'
import { connectDb, type Db } from '../../src/platform/db/connect.ts'
import { createProducer } from '../../src/platform/queue/producer.ts'
import type { TestDatabase } from '../support/database.ts'
import { ofFile } from '../support/of-file.ts'
import { useRedis } from '../support/redis.ts'
import type { TestSite } from '../support/sites.ts'

/** The queue of hits of a test file. */
export function useQueue() {
  const redis = useRedis()
  const open = async () => ({
    ...{ url: redis.url, connection: redis.redis, producer: createProducer<HitBatch>(redis.redis) },
  })
  return ofFile(open)
}

/** More connections to a database, as of other processes or of the same one after a restart; they end with each test. */
export function useOtherProcesses(database: TestDatabase): () => Db {
  const others: Db[] = []
  afterEach(async () => {
    for (const other of others.splice(0)) await other.end({ timeout: 5 })
  })
  return () => {
    others.push(connectDb(database.url, { max: 4, name: 'test' }))
    return others.at(-1)!
  }
}

/** Sessions of a site, by visitor and time. */
export const sessionsOf = (db: Db, { siteNo }: TestSite) => db<
  { visitor: string; firstAt: Date; lastAt: Date; pageviews: number; visitCount: number; userId: string }[]
>`
  select visitors.id as visitor, first_at as "firstAt", last_at as "lastAt", pageviews,
    visit_count as "visitCount", user_id as "userId"
  from sessions join visitors using (site_no, visitor_no)
  where sessions.site_no = ${siteNo}
  order by visitor, first_at`
type Session = Awaited<ReturnType<typeof sessionsOf>>[number]

/** Throws unless the sessions of each visitor are apart and numbered; by visitor and time. */
export function expectNumberedVisits(sessions: readonly Session[]): void {
  for (const [index, session] of sessions.entries()) {
    const before = sessions[index - 1]
    const isFirst = before?.visitor !== session.visitor
    expect(session.visitCount).toBe(isFirst ? 1 : before!.visitCount + 1)
    if (!isFirst) expect(before!.lastAt.getTime()).toBeLessThan(session.firstAt.getTime())
  }
}
