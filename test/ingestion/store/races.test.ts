import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { readEvent } from '../../../src/money/processor/event.ts'
import { upsertFact } from '../../../src/money/processor/facts.ts'
import { recomputeSubscription } from '../../../src/money/subscriptions/recompute-subscription.ts'
import { lockProcessor } from '../../../src/money/transactions.ts'
import type { Transaction } from '../../../src/platform/db/connect.ts'
import { attributeAwaiting } from '../../../src/storage/events/attribution.ts'
import { useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { race } from '../../support/race.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { event, type Json, onDay, subscription } from '../../support/stripe.ts'

const database = useDatabase()

const START = Date.UTC(2026, 2, 4, 12)
const HOUR = 3_600_000

// The embedded database has one session: transactions run one after the other, so no change can be lost.
describe('store: concurrent changes of one row', { tags: ['native'] }, () => {
  test('a new visit number is kept while a hit of another partition is stored', async () => {
    const { db } = database
    const site = await createTestSite(db)
    const visitorId = randomUUID()
    const view = (at: number) => enrichedHit(site, at, { visitorId })
    await storeHits(db, 0, [view(START)])
    await race(
      db,
      tx => tx`update sessions set last_at = last_at + interval '1 second', duration_ms = 1000
        where site_no = ${site.siteNo}`,
      () => storeHits(db, 1, [view(START - 5 * HOUR)]),
    )
    const visits = await db`
      select visit_count as count, duration_ms as ms from sessions where site_no = ${site.siteNo} order by started_at`
    expect(visits).toEqual([
      { count: 1, ms: 0 },
      { count: 2, ms: 1000 },
    ])
  })

  const kept = async (tx: Transaction, site: TestSite, fields: Json, type: string, day: number) => {
    const { fact } = readEvent(JSON.stringify(event(type, subscription(fields), onDay(day))), new Date())!
    await lockProcessor(tx, site.siteNo)
    await upsertFact(tx, site.siteNo, fact)
    await recomputeSubscription(tx, { siteNo: site.siteNo, subscriptionId: fact.objectId })
  }

  const owner = async ({ siteNo }: TestSite) => {
    const rows = await database.db`
      select visitors.id, session_no is not null as "hasSession"
      from mrr_movements left join visitors using (site_no, visitor_no) where site_no = ${siteNo}`
    return rows.map(({ id, hasSession }) => ({ id, hasSession }))
  }

  test('the visitor that the processor named last is kept while the first visitor appears', async () => {
    const { db } = database
    const site = await createTestSite(db)
    const [first, last] = [randomUUID(), randomUUID()]
    const named = (visitor: string) => ({ id: 'sub_1', metadata: { visitor_id: visitor } })
    await storeHits(db, 0, [enrichedHit(site, START, { visitorId: last })])
    await db.begin(tx => kept(tx, site, named(first), 'customer.subscription.created', 9))
    // Stores the first session of the visitor, but does not attribute the movement that waits for it.
    await db`insert into visitors (visitor_no, site_no, id, first_seen_at, session_count)
      values (nextval('visitor_numbers'), ${site.siteNo}, ${first}, now(), 0)`
    await db`update visitors set session_count = 1, newest_session_at = other.newest_session_at, first_seen_at = other.first_seen_at
      from visitors as other where visitors.id = ${first} and other.id = ${last}`
    await race(
      db,
      async tx => {
        await attributeAwaiting(tx, [{ siteNo: site.siteNo, id: first }])
        await tx`update mrr_movements set visitor_no = (select visitor_no from visitors where id = ${first})
          where site_no = ${site.siteNo}`
      },
      () =>
        db.begin(tx =>
          kept(tx, site, { ...named(last), status: 'incomplete' }, 'customer.subscription.created', 1),
        ),
    )
    expect(await owner(site)).toMatchObject([{ id: last }])
  })
})
