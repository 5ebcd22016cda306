import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { EnrichedHit, Hit } from '../../../src/ingestion/hit.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import type { RollupLimits } from '../../../src/storage/rollups/daily/day-values.ts'
import { OPEN_MS } from '../../../src/storage/rollups/watermarks.ts'
import { testDatabase, useDatabase } from '../../support/database.ts'
import { type Days, expectRollupsEqualColumns, type RolledUpSite } from '../../support/expect-rollups.ts'
import { enrichedHit } from '../../support/hits.ts'
import { rollUpAll } from '../../support/roll-up.ts'
import { createTestSite } from '../../support/sites.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
/** A Tuesday; the days before it have visits, too. */
export const TODAY = Date.UTC(2026, 2, 10)
/** When yesterday is over: no session of it goes on. */
export const OVER = TODAY + OPEN_MS
export const RANGES: Days[] = [
  { from: '2026-03-06', to: '2026-03-10' },
  { from: '2026-03-09', to: '2026-03-09' },
]

export const ADA = randomUUID()
export const BOB = randomUUID()

export const failed = (message: string) => ({ type: 'error', name: 'error', error: { message } }) as const

interface Options {
  timezone?: string
  ranges?: Days[]
  limits?: RollupLimits
  /** Keeps the existing sites and rollups; by default they are removed first. */
  isBeside?: boolean
}

/** Opens a database for the tests of a file, with sites whose days are rolled up. */
export function useStories() {
  const database = useDatabase(testDatabase)

  /** Removes all rollups and deletes all sites, so that no earlier test leaves days to roll up. */
  async function startAnew(): Promise<void> {
    const { db } = database
    await db`update watermarks set watermark = '-infinity', refreshed_to = '-infinity' where aggregate = 'daily_rollups'`
    await db`delete from rollup_spans`
    await db`delete from daily_rollups`
    await db`update sites set deleted_at = now()`
  }

  /** A site with daily rollups, and the steps that a test does with it. */
  async function begin({ timezone = 'UTC', ranges = RANGES, limits, isBeside }: Options = {}) {
    if (!isBeside) await startAnew()
    const site: RolledUpSite = { ...(await createTestSite(database.db, { timezone })), timezone }
    let now = OVER
    const story = {
      site,
      hit: (at: number, fields: Partial<Hit> = {}) =>
        enrichedHit(site, at, { title: `Title of ${fields.url ?? '/'}`, ...fields }),
      send: (...hits: EnrichedHit[]) => storeHits(database.db, 0, hits),
      /** Rolls up everything that is due, without comparing. */
      rollUpAgain: async (at: number) => {
        now = at
        await rollUpAll(database.db, new Date(at), limits)
      },
      /** Rolls up everything that is due, then compares. */
      rollUp: async (at: number) => {
        await story.rollUpAgain(at)
        const { unanswered } = await story.compare()
        if (!limits) expect(unanswered.filter(asked => !asked.includes('payment'))).toEqual([])
      },
      /** Compares results read from rollups and columns with results read from columns alone. */
      compare: (asked = ranges.slice(0, 1), dimensions?: string[]) =>
        expectRollupsEqualColumns(database.db, site, asked, new Date(now), dimensions),
    }
    return story
  }

  /** Sends visits on each of four days: pages, events, errors, engagement. */
  async function beginWithVisits(options?: Options) {
    const story = await begin(options)
    const { hit, send } = story
    for (let day = -4; day < 0; day++) {
      const hits = []
      for (let visit = 0; visit < 4; visit++) {
        const visitorId = visit === 0 ? ADA : visit === 1 ? BOB : randomUUID()
        const at = TODAY + day * DAY + (3 + 6 * visit) * HOUR + visit * 1_234
        const country = visit % 2 === 0 ? 'DE' : 'US'
        hits.push(
          hit(at, { visitorId, country, url: `/entry-${visit % 3}` }),
          hit(at + MINUTE, { type: 'engagement', visitorId, url: `/entry-${visit % 3}`, engagedMs: 7_001 }),
          hit(at + 2 * MINUTE, { visitorId, country, url: `/page-${(day + 4 + visit) % 5}` }),
        )
        if (visit === 3) continue
        const props = { plan: visit === 0 ? 'pro' : 'free', 'a "key"/é': `${visit}` }
        hits.push(
          hit(at + 3 * MINUTE, { type: 'event', name: 'signup', visitorId, url: '/done', props }),
          hit(at + 4 * MINUTE, { ...failed(`broken ${visit}`), visitorId, url: '/done' }),
        )
      }
      await send(...hits)
    }
    return story
  }

  return { database, begin, beginWithVisits }
}

export type Story = Awaited<ReturnType<ReturnType<typeof useStories>['begin']>>
