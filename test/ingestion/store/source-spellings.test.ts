import { beforeEach, expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import type { Db } from '../../../src/platform/db/connect.ts'
import { allSpellings } from '../../../src/storage/events/source-spellings.ts'
import { dbOf, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { useOtherProcesses } from '../storing.ts'

const NOON = Date.UTC(2026, 2, 10, 12)

const database = useDatabase()
const db = dbOf(database)
let site: TestSite
beforeEach(async () => {
  site = await createTestSite(db)
})

const anotherProcess = useOtherProcesses(database)

/** Stores a visit of a new visitor from each source. */
const visits = (by: Db, partition: number, ...sources: string[]) =>
  storeHits(
    by,
    partition,
    sources.map((source, index) =>
      enrichedHit(site, NOON + index, { url: `/?utm_source=${encodeURIComponent(source)}` }),
    ),
  )

async function stored(): Promise<string[]> {
  const rows = await db<{ source: string }[]>`
    select source from sessions where site_no = ${site.siteNo} order by started_at, session_no`
  return rows.map(({ source }) => source)
}

test('sources: a site keeps its first spelling, and the listed one of a known source', async () => {
  await visits(db, 0, 'aCme', 'google', 'ACME', 'ÄRZTE', 'ärzte', 'GOOGLE')
  expect(await stored()).toEqual(['aCme', 'Google', 'aCme', 'ÄRZTE', 'ÄRZTE', 'Google'])
})

test('sources: processes and partitions that store at once agree on the first spelling', async () => {
  const processes = [db, anotherProcess(), anotherProcess()]
  const spellings = ['Partner', 'partner', 'PARTNER']
  await Promise.all(
    processes.map((by, index) => visits(by, index, spellings[index]!, 'Other', spellings[(index + 1) % 3]!)),
  )
  await visits(processes[1]!, 0, 'pARTNER')
  const partners = (await stored()).filter(source => source !== 'Other')
  expect(partners).toHaveLength(7)
  expect(new Set(partners).size).toBe(1)
  expect(spellings).toContain(partners[0])
})

test('sources: a filter means all spellings that sessions are stored with', async () => {
  await visits(db, 0, 'Acme', 'google')
  // As the upgrade finds them: sessions from before sources were one.
  await db`update source_spellings set spellings = spellings || array['google', 'acme'] where site_no = ${site.siteNo}`
  expect((await allSpellings(db, site.siteNo, ['ACME', 'new'])).sort()).toEqual(
    ['ACME', 'Acme', 'acme', 'google', 'new'].sort(),
  )
})

test('sources: the listed spelling comes before one that sessions are already stored with', async () => {
  await visits(db, 0, 'bing')
  await db`update source_spellings set spellings = '{bing}' where site_no = ${site.siteNo}`
  await visits(anotherProcess(), 0, 'bing')
  expect(await allSpellings(db, site.siteNo, ['BING'])).toEqual(['BING', 'Bing', 'bing'])
})
