import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeEach, expect, test } from 'vitest'
import { storeHits } from '../../../../src/ingestion/store/store.ts'
import { type DailyExportOptions, exportDays } from '../../../../src/outgoing/transfer/daily/export-days.ts'
import { FailedDays } from '../../../../src/outgoing/transfer/daily/failed-days.ts'
import { folderTarget } from '../../../../src/outgoing/transfer/daily/folder-target.ts'
import type { Target } from '../../../../src/outgoing/transfer/daily/target.ts'
import { temporaryFolder } from '../../../scripts/command.ts'
import { testDatabase, useDatabase } from '../../../support/database.ts'
import { enrichedHit } from '../../../support/hits.ts'
import { rollUpAll } from '../../../support/roll-up.ts'
import { createTestSite, type TestSite } from '../../../support/sites.ts'

const folder = temporaryFolder()
const workFolder = join(folder, 'work')
const database = useDatabase(testDatabase)
let site: TestSite
let now: Date

beforeEach(async () => {
  site = await createTestSite(database.db, { timezone: 'America/New_York' })
  now = new Date('2026-03-12T12:00:00Z')
})

const roll = () => rollUpAll(database.db, now)

/** Stores a hit of each time, and rolls up the days that are over. */
async function store(...times: string[]): Promise<void> {
  const hits = times.map(at => enrichedHit(site, Date.parse(at)))
  await storeHits(database.db, 0, hits)
  await roll()
}

function run(given: { target?: Target | undefined } & Partial<DailyExportOptions> = {}) {
  const { target = folderTarget(folder), signal = new AbortController().signal, ...options } = given
  const { siteNo } = site
  return exportDays({ db: database.db, target, workFolder, now: () => now }, { siteNo, signal, ...options })
}

/** Hits by day, as DuckDB reads them from the files of the site. */
async function readDays(): Promise<Record<string, number>> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const files = join(folder, `site=${site.id}`, '*', 'hits.parquet')
  const result = await connection.runAndReadAll(
    `select cast(date as varchar) as day, count(*)::int as hits from read_parquet('${files}', hive_partitioning = true) group by 1 order by 1`,
  )
  connection.closeSync()
  instance.closeSync()
  return Object.fromEntries(result.getRowObjects().map(({ day, hits }) => [String(day), Number(hits)]))
}

test('daily export: each local day has a file, also that of 23 hours', async () => {
  // 8 March begins at 05:00 UTC and ends at 04:00.
  const times = ['2026-03-08T04:59:59.999Z', '2026-03-08T05:00:00Z', '2026-03-09T03:59:59Z']
  await store(...times, '2026-03-09T04:00:00Z')
  expect(await run()).toMatchObject({ days: 3, hits: 4 })
  expect(await readDays()).toEqual({ '2026-03-07': 1, '2026-03-08': 2, '2026-03-09': 1 })
  expect(readdirSync(workFolder)).toEqual([])
})

test('daily export: a day is written once, though one was stopped, and again when its hits have changed', async () => {
  await store('2026-03-08T12:00:00Z', '2026-03-09T12:00:00Z')
  expect(await run({ signal: AbortSignal.abort() })).toMatchObject({ days: 0 })
  expect(await run()).toMatchObject({ days: 2 })
  expect(await run()).toEqual({ days: 0, hits: 0, bytes: 0, failed: 0 })
  await store('2026-03-09T13:00:00Z')
  expect(await run()).toMatchObject({ days: 1, hits: 2 })
  expect(await readDays()).toEqual({ '2026-03-08': 1, '2026-03-09': 2 })
})

test('daily export: a day is due when it is rolled up, 26 hours after its end, and one without hits never', async () => {
  now = new Date('2026-03-13T05:59:00Z')
  await store('2026-03-11T12:00:00Z')
  expect(await run()).toMatchObject({ days: 0 })
  now = new Date('2026-03-13T06:00:00Z')
  await roll()
  expect(await run()).toMatchObject({ days: 1, hits: 1 })
})

test('daily export: the file of a day whose hits were all deleted is empty afterwards', async () => {
  await store('2026-03-09T12:00:00Z', '2026-03-10T12:00:00Z')
  await run()
  const day = [new Date('2026-03-09T04:00:00Z'), new Date('2026-03-10T04:00:00Z')] as const
  await database.db`delete from events where site_no = ${site.siteNo} and at >= ${day[0]} and at < ${day[1]}`
  await database.db`
    update daily_rollups set pageviews = 0, sessions = 0 where site_no = ${site.siteNo} and starts_at = ${day[0]}`
  expect(await run()).toMatchObject({ days: 1, hits: 0 })
  expect(await readDays()).toEqual({ '2026-03-10': 1 })
})

test('daily export: days whose details are gone stay as they were exported', async () => {
  await store('2026-03-08T12:00:00Z', '2026-03-09T12:00:00Z')
  await database.db`
    update sites set details_from = '2026-03-09T04:00:00Z', details_moved_at = now() where site_no = ${site.siteNo}`
  expect(await run()).toMatchObject({ days: 1 })
  expect(Object.keys(await readDays())).toEqual(['2026-03-09'])
})

/** A folder in which files of some days cannot be put. */
const failingFor = (...days: string[]): Target => ({
  async put(name, file) {
    if (days.some(day => name.includes(day))) throw new Error('the bucket is away')
    await folderTarget(folder).put(name, file)
  },
})

test('daily export: a day that fails stops no other, and is tried again later, each time after a longer time', async () => {
  await store('2026-03-08T12:00:00Z', '2026-03-09T12:00:00Z', '2026-03-10T12:00:00Z')
  const failed = new FailedDays()
  const failures: string[] = []
  const attempt = (target?: Target) =>
    run({ target, failed, onFailure: ({ day }, error) => failures.push(`${day} ${error}`) })
  expect(await attempt(failingFor('03-09'))).toMatchObject({ days: 2, failed: 1 })
  expect(failures).toEqual(['2026-03-09 Error: the bucket is away'])
  expect(await readDays()).toEqual({ '2026-03-08': 1, '2026-03-10': 1 })
  expect(await attempt()).toMatchObject({ days: 0, failed: 0 })
  for (const [minutes, target, result] of [
    [5, failingFor('03-09'), { days: 0, failed: 1 }],
    [6, undefined, { days: 0, failed: 0 }],
    [4, undefined, { days: 1, failed: 0 }],
  ] as const) {
    now = new Date(now.getTime() + minutes * 60_000)
    expect(await attempt(target)).toMatchObject(result)
  }
  expect(await readDays()).toEqual({ '2026-03-08': 1, '2026-03-09': 1, '2026-03-10': 1 })
})

test('daily export: five failures in a row end it, because then the place of the files is away', async () => {
  await store(...Array.from({ length: 8 }, (_, index) => `2026-03-0${index + 1}T12:00:00Z`))
  const failed = new FailedDays()
  await expect(run({ target: failingFor('2026'), failed })).rejects.toThrow('the bucket is away')
  // The next run takes those that were not tried.
  expect(await run({ failed })).toMatchObject({ days: 3 })
})

test('daily export: after a change of the time zone each date has its new day, and a date without one an empty file', {
  tags: ['full'],
}, async () => {
  // 7 and 9 March in New York; 8 and 9 March in Tokyo.
  await store('2026-03-08T04:30:00Z', '2026-03-09T12:00:00Z')
  await run()
  expect(await readDays()).toEqual({ '2026-03-07': 1, '2026-03-09': 1 })
  await database.db`update sites set timezone = 'Asia/Tokyo' where site_no = ${site.siteNo}`
  // The rollups are still those of the old zone: their days have other dates.
  expect(await run()).toMatchObject({ days: 0 })
  await roll()
  expect(await run({ target: failingFor('03-08') })).toMatchObject({ days: 1, failed: 1 })
  // While a day around is due, the old file stays.
  expect(await readDays()).toEqual({ '2026-03-07': 1, '2026-03-09': 1 })
  expect(await run()).toMatchObject({ days: 2, hits: 1 })
  expect(await readDays()).toEqual({ '2026-03-08': 1, '2026-03-09': 1 })
  expect(await run()).toMatchObject({ days: 0 })
  await store('2026-03-06T16:00:00Z')
  expect(await run()).toMatchObject({ days: 1, hits: 1 })
  expect(await readDays()).toEqual({ '2026-03-07': 1, '2026-03-08': 1, '2026-03-09': 1 })
})

test('daily export: a zone 24 hours away gives the same days other dates', async () => {
  await database.db`update sites set timezone = 'Pacific/Honolulu' where site_no = ${site.siteNo}`
  await store('2026-03-08T12:00:00Z')
  await run()
  expect(await readDays()).toEqual({ '2026-03-08': 1 })
  await database.db`update sites set timezone = 'Pacific/Kiritimati' where site_no = ${site.siteNo}`
  await roll()
  expect(await run()).toMatchObject({ days: 2, hits: 1 })
  expect(await readDays()).toEqual({ '2026-03-09': 1 })
  expect(await run()).toMatchObject({ days: 0 })
})
