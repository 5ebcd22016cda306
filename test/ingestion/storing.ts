import { afterAll, beforeAll, expect } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import type { HitBatch } from '../../src/ingestion/hit.ts'
import { createProducer, type Producer } from '../../src/queue/producer.ts'
import type { RedisClient } from '../../src/redis/client.ts'
import { sharedDatabase, type TestDatabase } from '../support/database.ts'
import { connectTo, type TestRedis, testRedis } from '../support/redis.ts'
import type { TestSite } from '../support/sites.ts'

/** The database of a test file; open while its tests run. */
export function useDatabase(open: () => Promise<TestDatabase> = sharedDatabase): TestDatabase {
  const database = {} as TestDatabase
  beforeAll(async () => {
    Object.assign(database, await open())
  })
  afterAll(() => database.close())
  return database
}

interface Queue {
  redis: TestRedis
  connection: RedisClient
  producer: Producer<HitBatch>
}

/** The queue of hits of a test file. */
export function useQueue(): Queue {
  const queue = {} as Queue
  beforeAll(async () => {
    queue.redis = await testRedis()
    queue.connection = await connectTo(queue.redis)
    queue.producer = createProducer(queue.connection)
  })
  afterAll(async () => {
    queue.connection.disconnect()
    await queue.redis.close()
  })
  return queue
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
