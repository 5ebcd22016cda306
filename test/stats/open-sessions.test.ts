// @module-tag full
import { expect, test } from 'vitest'
import type { EnrichedHit, HitType } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import type { ResolvedQuery } from '../../src/stats/filters/resolved-query.ts'
import { addMoney, expectAsFromRows, randomFilters } from '../support/compare-columns.ts'
import { testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { type Random, randomFrom } from '../support/random-values.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { sweep } from '../support/runs.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { useDatabase } from './stored-stream.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Each night is in a month of its own: the watermark of rollups never goes back. */
const midnightOf = (seed: number) => Date.UTC(2026, seed, 6)

const database = useDatabase(testDatabase)

const PATHS = ['/', '/docs', '/pricing']

/** What some visitors do from the evening until the next noon: sessions of minutes, and of hours across midnight. */
function hitsOfNight(site: TestSite, midnight: number, random: Random) {
  return Array.from({ length: 14 }, (_, visitor) => {
    const visitorId = `00000000-0000-4000-8000-${String(visitor).padStart(12, '0')}`
    const source = random.pick(['Google', 'Bing'])
    const hits: EnrichedHit[] = []
    let at = midnight - random.int(10 * HOUR)
    let path = random.pick(PATHS)
    for (let count = random.int(60); count >= 0; count--) {
      const kind = random.pick(['pageview', 'pageview', 'event', 'engagement'] as const)
      const type: HitType = hits.length === 0 ? 'pageview' : kind
      if (type !== 'engagement') path = random.pick(PATHS)
      const measured = type === 'engagement' && {
        engagedMs: 1_000 + random.int(9_000),
        scroll: random.int(100),
      }
      const name = type === 'event' ? { name: 'signup' } : {}
      const page = { visitorId, url: path, title: `Title of ${path}` }
      hits.push({ ...enrichedHit(site, at, { ...page, type, ...name, ...measured }), source })
      // Some sessions are over in between.
      at += random.chance(0.05) ? 40 * MINUTE : 1_000 + random.int(28 * MINUTE)
    }
    return hits
  }).flat()
}

const readColumns = async (siteNo: number, midnight: number) => {
  const [day] = await database.db`
    select
      session_parts as parts, session_columns_version as version, cardinality(open_session_nos) as open,
      open_sessions_from as "openFrom"
    from daily_rollups where site_no = ${siteNo} and starts_at = ${new Date(midnight - DAY)}`
  return day!
}

test.each(sweep([1, 2, 3, 4]))(
  'open sessions: columns of a day that has just ended, and rows of sessions that go on, are as all rows (night %i)',
  async seed => {
    const { db } = database
    const random = randomFrom(seed)
    const midnight = midnightOf(seed)
    const site = await createTestSite(db, { timezone: 'UTC' })
    const { siteNo } = site
    const hits = hitsOfNight(site, midnight, random).sort((a, b) => a.at - b.at)
    const slices = seed % 2 === 0 ? { hits: 5, shortestMs: HOUR } : undefined
    const services = { reads: db, rollups: inProcessPool(db), slices }
    const between = (from: number, to: number) => hits.filter(({ at }) => at >= from && at < to)
    const store = (from: number, to: number) => storeHits(db, 0, between(from, to))
    const range = { start: new Date(midnight - DAY), end: new Date(midnight + DAY) }
    const windows = [
      { start: range.start, end: new Date(midnight) },
      { start: new Date(midnight), end: range.end },
    ]
    const answeredAll = async (round: number) => {
      const dimensions = await randomFilters(db, siteNo, random)
      const filters = { dimensions, property: undefined }
      const resolved: ResolvedQuery = { siteNo, ...range, goal: undefined, filters }
      return expectAsFromRows({
        ...{ services, site, zone: 'UTC', resolved, windows, random },
        isMoneyUnfiltered: round % 2 === 1,
      })
    }
    const all = { traffic: 2, values: 3, money: 4 }

    await store(midnight - DAY, midnight + HOUR)
    await addMoney(db, siteNo, random)
    await rollUpAll(db, new Date(midnight + HOUR))
    expect(await readColumns(siteNo, midnight)).toMatchObject({ parts: null, version: null, open: 0 })

    // A late hit before midnight joins a session that began after it.
    const visitorId = '00000000-0000-4000-8000-00000000ffff'
    await storeHits(db, 0, [enrichedHit(site, midnight + 10 * MINUTE, { visitorId, url: '/' })])
    await storeHits(db, 0, [enrichedHit(site, midnight - 10 * MINUTE, { visitorId, url: '/early' })])
    // All hits before the watermark, which is a quarter of an hour back: sessions with one in the half hour before may go on.
    await store(midnight + HOUR, midnight + 2.25 * HOUR)
    await rollUpAll(db, new Date(midnight + 2.5 * HOUR))
    const early = await readColumns(siteNo, midnight)
    expect(early).toMatchObject({ parts: 1, version: expect.any(String) })
    expect(early.open).toBeGreaterThan(0)
    expect(await answeredAll(0)).toEqual(all)

    // They go on. The columns stay, however often the rollup of the day grows.
    await store(midnight + 2.25 * HOUR, midnight + 6 * HOUR)
    expect(await answeredAll(1)).toEqual(all)
    await rollUpAll(db, new Date(midnight + 5 * HOUR))
    expect(await readColumns(siteNo, midnight)).toEqual(early)
    await store(midnight + 6 * HOUR, midnight + 2 * DAY)
    expect(await answeredAll(2)).toEqual(all)

    // A late hit: the day counts from rows until it is rolled up again, with the sessions that were over meanwhile.
    const [first] = hits
    const late = { visitorId: first!.visitorId, url: '/late' }
    await storeHits(db, 0, [enrichedHit(site, midnight - 3 * HOUR, late)])
    await answeredAll(3)
    await rollUpAll(db, new Date(midnight + 12 * HOUR))
    const again = await readColumns(siteNo, midnight)
    expect(again.version).not.toBe(early.version)
    expect(again.open).toBeLessThanOrEqual(early.open)
    expect(await answeredAll(4)).toEqual(all)

    await rollUpAll(db, new Date(midnight + 3 * DAY))
    expect(await readColumns(siteNo, midnight)).toMatchObject({ parts: 1, open: 0, openFrom: null })
    expect(await answeredAll(5)).toEqual(all)
  },
)
