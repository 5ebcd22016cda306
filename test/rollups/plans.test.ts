import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/infra/db.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { ROLLED_UP_DIMENSIONS } from '../../src/rollups/daily/dimensions.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { pairsThrownAway } from '../support/plan.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'

const DAY = Date.UTC(2026, 2, 10)
const DAY_MS = 86_400_000
const SESSIONS = 600
const HITS_A_SESSION = 3
const ROWS = SESSIONS * (HITS_A_SESSION + 1)

let database: TestDatabase
let db: Db
let site: TestSite

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  site = await createTestSite(db)
  const hits = Array.from({ length: SESSIONS * HITS_A_SESSION }, (_, index) => {
    const session = Math.floor(index / HITS_A_SESSION)
    const at = DAY + session * 60_000 + (index % HITS_A_SESSION) * 1_000
    const visitorId = `00000000-0000-4000-8000-${String(session).padStart(12, '0')}`
    return enrichedHit(site, at, { visitorId, url: `/page-${index % 50}`, title: `Page ${index % 50}` })
  })
  await storeHits(db, 0, hits)
})
afterAll(() => database.close())

const time = (at: number) => `'${new Date(at).toISOString()}'`

/** Returns one SQL array literal for each named column of `rows`. */
const columns = (rows: Record<string, unknown>[], ...names: string[]): string[] =>
  names.map(name => {
    const values = rows.map(row => (row[name] instanceof Date ? row[name].toISOString() : row[name]))
    return `'{${values.join(',')}}'`
  })
const within = [time(DAY), time(DAY + DAY_MS)]

/** Statements that read marked buckets from rows or change rows by a list, with their parameters. */
const OTHERS: [name: string, types: string[], parameters: () => Promise<string[]>][] = [
  [
    'read-hit-buckets',
    ['int[]', 'timestamptz[]', 'timestamptz[]'],
    async () => [`'{${site.siteNo}}'`, ...within.map(at => `array[${at}]::timestamptz[]`)],
  ],
  ['read-session-buckets', ['int', 'timestamptz', 'timestamptz'], async () => [`${site.siteNo}`, ...within]],
  [
    'read-revenue',
    ['int', 'timestamptz', 'timestamptz', 'text', 'timestamptz[]'],
    async () => [`${site.siteNo}`, ...within, "'USD'", `array[${within}]::timestamptz[]`],
  ],
  [
    'locate-log-page',
    ['int', 'timestamptz', 'timestamptz', 'text[]', 'int', 'int'],
    async () => [`${site.siteNo}`, ...within, "'{pageview,event}'", '10', '100'],
  ],
  [
    'update-visit-numbers',
    ['int[]', 'timestamptz[]', 'bigint[]', 'int[]'],
    async () => {
      const sessions = await db`select * from sessions where site_no = ${site.siteNo}`
      return columns(sessions, 'site_no', 'started_at', 'session_no', 'visit_count')
    },
  ],
  [
    'delete-dirty',
    ['text', 'int[]', 'timestamptz[]', 'bigint[]'],
    async () => {
      const marks = await db`select * from dirty_buckets where aggregate = 'sessions'`
      return ["'sessions'", ...columns(marks, 'site_no', 'bucket', 'version')]
    },
  ],
]

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

  test.each([
    ['a whole day', null],
    ['what a day grew by', DAY],
  ])(
    'rollups: no two lists of a day are compared row by row to count the values of %s',
    async (_, closedFrom) => {
      const compared = await pairsThrownAway(
        db,
        'count-slice-values',
        [
          'int',
          'timestamptz',
          'timestamptz',
          'timestamptz',
          'timestamptz',
          'timestamptz',
          'timestamptz',
          'text[]',
        ],
        [
          String(site.siteNo),
          time(DAY),
          time(DAY + DAY_MS),
          time(DAY),
          time(DAY + DAY_MS),
          closedFrom === null ? 'null' : time(closedFrom),
          time(DAY + 2 * DAY_MS),
          `'{${ROLLED_UP_DIMENSIONS.join(',')}}'`,
        ],
      )
      // Each row is combined with each dimension.
      expect(compared).toBeLessThanOrEqual(ROWS * ROLLED_UP_DIMENSIONS.length)
    },
  )

  test.each(OTHERS)('rollups: %s compares no two lists row by row', async (name, types, parameters) => {
    await db`update watermarks set watermark = 'infinity'`
    await db`delete from dirty_buckets`
    await db`
      insert into dirty_buckets (aggregate, site_no, bucket)
      select aggregate, ${site.siteNo}, bucket
      from (values ('hits'), ('sessions'), ('revenue')) as marked (aggregate),
        generate_series(${new Date(DAY)}::timestamptz, ${new Date(DAY + DAY_MS)}, interval '15 minutes') as bucket`
    expect(await pairsThrownAway(db, name, types, await parameters())).toBeLessThanOrEqual(ROWS)
  })
})
