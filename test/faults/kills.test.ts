import { beforeEach, expect, inject, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { DAY_MS } from '../../src/platform/lib/time.ts'
import { mergeNewStamps } from '../../src/storage/columns/stamps.ts'
import { enrichedHit } from '../support/hits.ts'
import { type Load, moreAccepted } from '../support/load.ts'
import { ofFile } from '../support/of-file.ts'
import { runs } from '../support/runs.ts'
import { eventually } from '../support/service.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { startLoadedServiceAnywhere } from './loaded-service.ts'
import { expectNoneRefused } from './none-refused.ts'

const service = ofFile(startLoadedServiceAnywhere)

// A test that failed may have left a process that is starting again.
beforeEach(() => service.whenReady())

test('faults: whichever process is killed, each accepted hit is stored once, and the service recovers by itself', async () => {
  const processes: [name: string, pids: () => Promise<number[]>][] = [
    ['the ingest process', () => service.childrenNamed('ingest.js')],
    ['an HTTP worker, and the rollup threads in it', () => service.childrenNamed('http.js')],
    ['Redis', async () => [service.redisPid()]],
  ]
  // Servers are killed in the tests of standbys and of Citus.
  if (!inject('databaseServer'))
    processes.push(['the database', () => service.childrenNamed('embedded-database.js')])
  const loads: [TestSite, Load][] = []
  for (const [name, pids] of processes) {
    const site = await createTestSite(service.db)
    const result = await service.load(site, load => killUnderLoad(load, pids))
    const refusals = [...result.refused.keys()].filter(
      outcome => !['503', 'ECONNRESET', 'EPIPE'].includes(outcome),
    )
    expect(refusals, `${name} was killed\n${endsOf(service.primary.output())}`).toEqual([])
    loads.push([site, result])
  }
  for (const [site, result] of loads) await service.expectStoredOnce(site, result)
})

async function killUnderLoad(load: Load, pids: () => Promise<number[]>): Promise<void> {
  await moreAccepted(load, 200)
  const before = await pids()
  process.kill(before[0]!, 'SIGKILL')
  // Between the end of a process and the start of its successor, Redis has no file with its pid.
  await eventually(async () => {
    const now = await pids().catch((): number[] => [])
    return now.length === before.length && !now.includes(before[0]!)
  })
  await service.whenReady()
  await moreAccepted(load, 200)
}

/** What the service wrote about processes that ended, and what is no line of its log: a stack of an error that ended one. */
const endsOf = (output: string): string =>
  output
    .split('\n')
    .filter(line => !line.startsWith('{') || /"level":[56]0/.test(line))
    .join('\n')

const KILLS = runs(2)
const DAYS = 12
/** Enough for columns that are stored. */
const DAILY = 600

test('faults: a columns process that is killed while it prepares a site answers the exact numbers afterwards', async () => {
  const site = await service.newSite()
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const at = (daysAgo: number, no: number) => today - daysAgo * DAY_MS + no * 1000
  for (let daysAgo = 1; daysAgo <= DAYS; daysAgo++) {
    const hits = Array.from({ length: DAILY }, (_, no) =>
      enrichedHit(site, at(daysAgo, no), { url: `/${no % 3}` }),
    )
    await storeHits(service.db, 'all', hits)
  }
  for (let kill = 0; kill < KILLS; kill++) {
    await service.db`delete from column_blocks where site_no = ${site.siteNo}`
    await killColumns()
    const answer = pageviewsOf(site)
    await eventually(async () => (await storedBlocks(site)) > 0)
    await killColumns()
    await answer.catch(() => undefined)
    await eventually(async () => (await pageviewsOf(site)) === (DAYS * DAILY) / 3)
  }
  const blocks = await storedBlocks(site)
  await storeHits(service.db, 'all', [enrichedHit(site, at(5, DAILY), { url: '/1' })])
  await mergeNewStamps(service.db, 1)
  expect(await storedBlocks(site)).toBe(blocks - 1)
  expect(await pageviewsOf(site)).toBe((DAYS * DAILY) / 3 + 1)
})

async function killColumns(): Promise<void> {
  const [pid] = await service.childrenNamed('columns.js')
  process.kill(pid!, 'SIGKILL')
  await eventually(async () => {
    const [now] = await service.childrenNamed('columns.js')
    return now !== undefined && now !== pid
  })
}

/** Pageviews of one path; `NaN` while they cannot be counted. */
async function pageviewsOf(site: TestSite): Promise<number> {
  const answer = await fetch(
    `${service.primary.url}/api/sites/${site.id}/overview?range=last_30_days&path=/1`,
    {
      headers: { Authorization: `Bearer ${service.token}` },
    },
  )
  if (answer.status === 503) return Number.NaN
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { pageviews: number }).pageviews
}

async function storedBlocks(site: TestSite): Promise<number> {
  const [row] =
    await service.db`select count(*)::int as blocks from column_blocks where site_no = ${site.siteNo}`
  return row!.blocks
}

const RELOADS = runs(2)

test(`faults: ${RELOADS} reloads lose no accepted hit and refuse no connection`, {
  tags: ['full'],
}, async () => {
  const site = await createTestSite(service.db)
  const result = await service.load(site, async () => {
    for (let roll = 0; roll < RELOADS; roll++) await service.reload()
  })
  expectNoneRefused(result)
  await service.expectStoredOnce(site, result)
})
