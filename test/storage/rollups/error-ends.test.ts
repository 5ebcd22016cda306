import { beforeAll, expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { tasks } from '../../../src/storage/rollups/tasks.ts'
import { OPEN_MS } from '../../../src/storage/rollups/watermarks.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { ofFile } from '../../support/of-file.ts'
import { rollUpAll } from '../../support/roll-up.ts'
import { createTestSite } from '../../support/sites.ts'

const [MINUTE, HOUR] = [60_000, 3_600_000]
/** In Berlin, the clocks are set forward on 29 March at 01:00 UTC; local days begin at 23:00 UTC, from then on at 22:00. */
const BEFORE = Date.UTC(2026, 2, 27, 23)
const CHANGE = BEFORE + 24 * HOUR
const AFTER = CHANGE + 23 * HOUR
const END = AFTER + 24 * HOUR

const FIRST = BEFORE + HOUR + 1
const LAST = AFTER + 5 * HOUR
const ERRORS = [FIRST, FIRST, BEFORE + 2 * HOUR, CHANGE - 1, CHANGE, AFTER - 1, AFTER, LAST]
const NEVER = '00000000-0000-4000-8000-000000000000'

const db = dbOf(useDatabase(testDatabase))
let errorId: string

const visitorId = (visitor: number) => `00000000-0000-4000-8000-${String(visitor).padStart(12, '0')}`
const thrown = { type: 'error', name: 'TypeError', error: { message: 'x is undefined' } } as const
const error = (visitor: number, at: number) =>
  enrichedHit(site, at, { visitorId: visitorId(visitor), ...thrown })

const site = ofFile(() => createTestSite(db, { timezone: 'Europe/Berlin' }))
beforeAll(async () => {
  await storeHits(db, 0, [
    // A session that begins on the day before the first error, and meets it.
    enrichedHit(site, BEFORE - 10 * MINUTE, { visitorId: visitorId(100) }),
    ...ERRORS.map((at, index) => error(100 + index, at)),
  ])
  const [group] = await db`select error_id as id from error_groups where site_no = ${site.siteNo}`
  errorId = group!.id
})

const ends = async () => [...(await tasks.findErrorEnds(db, { siteNo: site.siteNo, ids: [errorId, NEVER] }))]
const expectEnds = async (first: number, last: number) =>
  expect(await ends()).toEqual([[errorId, { first, last }]])

test('error ends: they come from rows without rollups, and are the same when some days and when all are rolled up', async () => {
  await expectEnds(FIRST, LAST)
  for (const over of [BEFORE, CHANGE, AFTER, END]) {
    await rollUpAll(db, new Date(over + OPEN_MS))
    await expectEnds(FIRST, LAST)
  }
})

test('error ends: of days without details they stay exact; of days that were rolled up before they were stored, the day is known', async () => {
  await db`update sites set details_from = ${new Date(AFTER)} where site_no = ${site.siteNo}`
  await db`delete from events where site_no = ${site.siteNo} and at < ${new Date(AFTER)}`
  await expectEnds(FIRST, LAST)
  const later = AFTER + 20 * HOUR
  await storeHits(db, 0, [error(1, later)])
  await expectEnds(FIRST, later)
  // The last column of the counts is the first time: its flag is one byte, each time six.
  await db`
    update daily_value_rollups set counts = substring(counts for length(counts) - 7)
    where site_no = ${site.siteNo} and dimension = 'error' and starts_at = ${new Date(BEFORE)}`
  await expectEnds(BEFORE, later)
  await db`delete from daily_rollups where site_no = ${site.siteNo} and starts_at = ${new Date(BEFORE)}`
  await expectEnds(CHANGE, later)
})
