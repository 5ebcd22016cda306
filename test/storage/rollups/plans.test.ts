import { beforeAll, describe, expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { ROLLED_UP_DIMENSIONS } from '../../../src/platform/dimensions/rolled-up.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { ofFile } from '../../support/of-file.ts'
import { pairsThrownAway } from '../../support/plan.ts'
import { createTestSite } from '../../support/sites.ts'

const DAY = Date.UTC(2026, 2, 10)
const DAY_MS = 86_400_000
const SESSIONS = 600
const HITS_A_SESSION = 3
const ROWS = SESSIONS * (HITS_A_SESSION + 1)

const db = dbOf(useDatabase(() => testDatabase({ isMaintained: false })))

const site = ofFile(() => createTestSite(db))
beforeAll(async () => {
  const hits = Array.from({ length: SESSIONS * HITS_A_SESSION }, (_, index) => {
    const session = Math.floor(index / HITS_A_SESSION)
    const at = DAY + session * 60_000 + (index % HITS_A_SESSION) * 1_000
    const visitorId = `00000000-0000-4000-8000-${String(session).padStart(12, '0')}`
    return enrichedHit(site, at, { visitorId, url: `/page-${index % 50}`, title: `Page ${index % 50}` })
  })
  await storeHits(db, 0, hits)
})

const time = (at: number) => `'${new Date(at).toISOString()}'`

/** Returns one SQL array literal for each named column of `rows`. */
const columns = (rows: Record<string, unknown>[], ...names: string[]): string[] =>
  names.map(name => {
    const values = rows.map(row => (row[name] instanceof Date ? row[name].toISOString() : row[name]))
    return `'{${values.join(',')}}'`
  })
const [start, noon, end] = [time(DAY), time(DAY + DAY_MS / 2), time(DAY + DAY_MS)]

const times = `array[${start},${end}]`
const ofSite = () => ({ siteNo: `${site.siteNo}`, start, end })

/** Statements that read marked buckets from rows or change rows by a list, with their parameters. */
const OTHERS: Record<string, () => Promise<Record<string, string>>> = {
  'read-hit-buckets': async () => ({
    siteNos: `'{${site.siteNo}}'`,
    starts: `array[${start}]::timestamptz[]`,
    ends: `array[${end}]::timestamptz[]`,
    refreshedTo: noon,
  }),
  'read-revenue': async () => ({ ...ofSite(), currency: "'USD'", edges: `${times}::timestamptz[]` }),
  'update-visit-numbers': async () => {
    const sessions = await db`select * from sessions where site_no = ${site.siteNo}`
    const names = ['site_no', 'started_at', 'session_no', 'visit_count']
    const [siteNos, starts, sessionNos, visitCounts] = columns(sessions, ...names)
    return { siteNos: siteNos!, starts: starts!, sessionNos: sessionNos!, visitCounts: visitCounts! }
  },
  'delete-dirty': async () => {
    const marks = await db`select * from dirty_buckets where aggregate = 'hits'`
    const [siteNos, buckets, versions] = columns(marks, 'site_no', 'bucket', 'version')
    return { aggregate: "'hits'", siteNos: siteNos!, buckets: buckets!, versions: versions! }
  },
}

// In this order: each state comes of the one before.
describe('rows in every state', { shuffle: false }, () => {
  describe.each([
    ['fresh rows without statistics', async () => {}],
    ['rows with statistics', async () => db`analyze`],
    [
      'rows with statistics of a table that was nearly empty',
      async () => {
        await db`update pg_class set reltuples = 1, relpages = 1 where relname like '_hyper_%_chunk' or relname = 'dirty_buckets'`
      },
    ],
    [
      'compressed rows',
      async () => {
        await db`select compress_chunk(chunk) from show_chunks('events') as chunk`
        await db`select compress_chunk(chunk) from show_chunks('sessions') as chunk`
      },
    ],
  ])('%s', (_, prepare) => {
    beforeAll(async () => {
      await prepare()
    })

    test('rollups: no two lists are compared row by row to count a day', async () => {
      const compared = await pairsThrownAway(db, 'count-day-values', {
        siteNo: String(site.siteNo),
        start,
        end,
        offsetStarts: `array[${start}]::timestamptz[]`,
        offsets: "'{3600}'",
        dimensions: `'{${ROLLED_UP_DIMENSIONS.join(',')}}'`,
      })
      // Each row is combined with each dimension.
      expect(compared).toBeLessThanOrEqual(ROWS * ROLLED_UP_DIMENSIONS.length)
    })

    test.each(Object.entries(OTHERS))(
      'rollups: %s compares no lists row by row',
      async (name, parameters) => {
        await db`update watermarks set watermark = 'infinity'`
        await db`delete from dirty_buckets`
        await db`
      insert into dirty_buckets (aggregate, site_no, bucket)
      select aggregate, ${site.siteNo}, bucket
      from (values ('hits'), ('revenue')) as marked (aggregate),
        generate_series(${new Date(DAY)}::timestamptz, ${new Date(DAY + DAY_MS)}, interval '15 minutes') as bucket`
        expect(await pairsThrownAway(db, name, await parameters())).toBeLessThanOrEqual(ROWS)
      },
    )
  })
})
