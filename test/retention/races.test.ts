import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { dialect } from '../../src/db/dialect.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { newSite, pay, settle } from './retained-sites.ts'

const AT = Date.parse('2026-04-20T10:00:00Z')

let database: TestDatabase
let db: Db

// On Citus, a trigger of a distributed table cannot reach `sites`, which is on the coordinator.
const unlessCitus = test.skipIf(dialect().name === 'citus')

/** Every mark finds that the details of its site have just moved beyond it, as if another transaction had done it. */
beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  if (dialect().name === 'citus') return
  await db.unsafe(`
    create function move_details() returns trigger language plpgsql as $$
    begin
      update sites set details_from = '2026-05-22' where site_no = new.site_no;
      return new;
    end
    $$;
    create trigger move_details before insert on dirty_buckets
    for each row when (new.aggregate = 'hits') execute function move_details();`)
})
afterAll(() => database.close())

unlessCitus(
  'details that move while an old hit is stored: the batch is refused, and without the hit when it is tried again',
  async () => {
    const site = await newSite(db, { months: 1 })
    await storeHits(db, 0, [enrichedHit(site, Date.parse('2026-06-24T10:00:00Z'))])
    await settle(db)
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
    await pay(db, site, new Date(AT), randomUUID())
    const rows = async (table: string) =>
      (await db`select from ${db(table)} where site_no = ${site.siteNo}`).length
    expect(await rows('revenue')).toBe(1)
    expect(await rows('events')).toBe(0)
  },
)
