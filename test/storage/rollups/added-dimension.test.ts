// @module-tag full
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import type { RolledUpSite } from '../../support/expect-rollups.ts'
import { enrichedHit } from '../../support/hits.ts'
import { readSite } from '../../support/read-services.ts'
import { loadVersion, type ServiceVersion } from '../../support/service-version.ts'
import { createTestSite } from '../../support/sites.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const TODAY = Date.UTC(2026, 2, 10)
const NOW = new Date(TODAY + 18 * HOUR)
/** Days that are rolled up, and the last two, which are not over. */
const RANGES = [
  { from: '2026-03-03', to: '2026-03-10' },
  { from: '2026-03-08', to: '2026-03-09' },
]

const db = dbOf(useDatabase(testDatabase))
/** The version that rolled the old days up, and the one that has two dimensions more. */
let old: ServiceVersion
let added: ServiceVersion
let site: RolledUpSite

const themeOf = ({ country }: { country?: string }) => (country === 'DE' ? 'dark' : 'light')

beforeAll(async () => {
  // The migration of the new dimension of sessions; the one of hits has a column already.
  await db`alter table events add column theme text not null default ''`
  await db`alter table sessions add column theme text not null default ''`
  old = await loadVersion()
  const dimensions = { theme: { level: 'session' }, query: { level: 'hit' } } as const
  added = await loadVersion(dimensions, hit => ({ theme: themeOf(hit) }))
})

/** Visits of a day. */
function visits(day: number, from: number, to: number) {
  return Array.from({ length: to - from }, (_, index) => {
    const visit = from + index
    const visitorId = randomUUID()
    const at = TODAY + day * DAY + (visit + 1) * 3 * HOUR
    const country = visit % 3 === 0 ? 'DE' : 'FR'
    return [
      enrichedHit(site, at, { visitorId, country, url: `/?page=${visit % 2}`, title: 'Home' }),
      enrichedHit(site, at + MINUTE, { visitorId, country, type: 'event', name: 'signup', url: '/?done' }),
    ]
  }).flat()
}

/** A site with a week of old days, rolled up by the old version, one of them empty, and two days that are not over. */
beforeEach(async () => {
  await db`update sites set deleted_at = now()`
  // Without it, the newest day that is over would have no rollup before the watermark moves.
  await db`update watermarks set watermark = '-infinity', refreshed_to = '-infinity' where aggregate = 'daily_rollups'`
  site = { ...(await createTestSite(db)), timezone: 'UTC' }
  for (const day of [-7, -6, -5, -3, -2, -1, 0]) await old.storeHits(db, 0, visits(day, 0, 4))
  await old.rollUpAll(db, NOW)
  await db`update sessions set theme = case country when 'DE' then 'dark' else 'light' end`
  await db`update events set theme = case country when 'DE' then 'dark' else 'light' end`
})

const hashes = async () => {
  const rows = await db<{ hash: string }[]>`
    select distinct dimensions_hash as hash from daily_rollups where site_no = ${site.siteNo}`
  return rows.map(({ hash }) => hash)
}

/**
 * Compares what both versions read from rollups with columns; the new one has its dimensions, too.
 * @returns how many rolled-up days the new one reads
 */
async function expectRightNumbers(): Promise<number> {
  const { days } = await added.expectRollupsEqualColumns(db, site, RANGES, NOW, ['country', 'theme', 'query'])
  await old.expectRollupsEqualColumns(db, site, RANGES, NOW, ['country', 'path'])
  return days
}

async function visitorsByTheme(from: string, to: string): Promise<Record<string, number>> {
  const { BreakdownQuery, getBreakdown, readServices } = added
  const query = BreakdownQuery.parse({ from, to, dimension: 'theme' })
  const { rows } = await getBreakdown(readServices(db, NOW), readSite(site, 'UTC'), query)
  return Object.fromEntries(rows.map(({ value, visitors }) => [value, visitors]))
}

test('added dimension: days rolled up without the dimension have its values before and after they are rolled up again', async () => {
  expect(await hashes()).toEqual([old.hash])
  expect(added.hash).not.toBe(old.hash)
  expect(await visitorsByTheme('2026-03-03', '2026-03-09')).toEqual({ dark: 12, light: 12 })
  expect(await expectRightNumbers()).toBe(0)
  await added.rollUpAll(db, NOW)
  expect(await hashes()).toEqual([added.hash])
  expect(await visitorsByTheme('2026-03-03', '2026-03-09')).toEqual({ dark: 12, light: 12 })
  expect(await expectRightNumbers()).toBe(6)
})

test('added dimension: new hits are filled and counted on days of either version', async () => {
  await added.storeHits(db, 0, [...visits(-1, 4, 6), ...visits(-6, 4, 5)])
  await expectRightNumbers()
  await added.rollUpAll(db, NOW)
  expect(await visitorsByTheme('2026-03-03', '2026-03-09')).toEqual({ dark: 12, light: 15 })
  expect(await expectRightNumbers()).toBe(6)
})

test('added dimension: two versions that roll up in turn give right numbers at every time', async () => {
  for (const version of [added, old, added]) {
    await added.storeHits(db, 0, visits(-2, 6, 7))
    await expectRightNumbers()
    await version.rollUpAll(db, NOW)
    expect(await hashes()).toEqual([version.hash])
    await expectRightNumbers()
  }
})

test('added dimension: a version whose round is stopped leaves days of both versions, and all numbers are right', async () => {
  await db`
    update daily_rollups set dimensions_hash = 'of a third version'
    where site_no = ${site.siteNo} and starts_at < ${new Date(TODAY - 4 * DAY)}`
  await expectRightNumbers()
  await added.rollUpAll(db, NOW)
  expect(await hashes()).toEqual([added.hash])
  await expectRightNumbers()
})
