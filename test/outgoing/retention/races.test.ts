import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { moveDetailsFrom } from '../../../src/outgoing/retention/keep-numbers.ts'
import { dialect } from '../../../src/platform/db/dialects/chosen-dialect.ts'
import { markBuckets } from '../../../src/storage/rollups/dirty.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { race } from '../../support/race.ts'
import { detailsFrom, NOW, newSite, pay, settle } from './retained-sites.ts'

const AT = Date.parse('2026-04-20T10:00:00Z')
const OLD = Date.parse('2026-03-03T10:00:00Z')

const db = dbOf(useDatabase(testDatabase))

// On Citus, a trigger of a distributed table cannot reach `sites`, which is on the coordinator.
const unlessCitus = test.skipIf(dialect().name === 'citus')

// The embedded database has one session: transactions run one after the other.
test('retention: details of a day do not move while a transaction stores an old hit, which marks the day first', {
  tags: ['native'],
}, async () => {
  const site = await newSite(db, { months: 1 })
  await storeHits(db, 0, [enrichedHit(site, OLD), enrichedHit(site, NOW.getTime())])
  await settle(db)
  await race(
    db,
    tx => markBuckets(tx, 'hits', [{ siteNo: site.siteNo, at: OLD }]),
    () => moveDetailsFrom(db, NOW, () => true),
  )
  expect(await detailsFrom(db, site)).toBeNull()
  await settle(db)
  await moveDetailsFrom(db, NOW, () => true)
  expect(Date.parse((await detailsFrom(db, site))!)).toBeGreaterThan(OLD)
})

/** From here on, every mark finds that the details of its site have just moved beyond it, as if by another transaction. */
const moveWithMarks = async () => {
  await db.unsafe(`
    create or replace function move_details() returns trigger language plpgsql as $$
    begin
      update sites set details_from = '2026-05-22' where site_no = new.site_no;
      return new;
    end
    $$;
    create or replace trigger move_details before insert on dirty_buckets
    for each row when (new.aggregate = 'hits') execute function move_details();`)
}

unlessCitus(
  'details that move while an old hit is stored: the batch is refused, and without the hit when it is tried again',
  async () => {
    const site = await newSite(db, { months: 1 })
    await storeHits(db, 0, [enrichedHit(site, Date.parse('2026-06-24T10:00:00Z'))])
    await settle(db)
    await moveWithMarks()
    const hits = [enrichedHit(site, AT)]
    await expect(storeHits(db, 0, hits)).rejects.toMatchObject({ code: '40001' })
    expect(await db`select from events where site_no = ${site.siteNo} and at < '2026-06-01'`).toEqual([])
    await db`update sites set details_from = '2026-05-22' where site_no = ${site.siteNo}`
    expect(await storeHits(db, 0, hits)).toMatchObject({ stored: 0, expired: hits })
  },
)

unlessCitus(
  'details that move while an old payment is recorded: it is revenue, and no event of the log',
  async () => {
    const site = await newSite(db, { months: 1 })
    await settle(db)
    await moveWithMarks()
    await pay(db, site, new Date(AT), randomUUID())
    const rows = async (table: string) =>
      (await db`select from ${db(table)} where site_no = ${site.siteNo}`).length
    expect(await rows('revenue')).toBe(1)
    expect(await rows('events')).toBe(0)
  },
)
