// @module-tag full
// @needs timescaledb
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { connectDb, type Db } from '../../src/platform/db/connect.ts'
import { Unreplicated } from '../../src/platform/db/unreplicated.ts'
import { enrichedHit } from '../support/hits.ts'
import { moreAccepted } from '../support/load.ts'
import { ofFile } from '../support/of-file.ts'
import { postgresPair } from '../support/postgres-pair.ts'
import { eventually } from '../support/service.ts'
import type { TestSite } from '../support/sites.ts'
import { startLoadedService } from './loaded-service.ts'

// The embedded database has no standby: this needs PostgreSQL with TimescaleDB.
let standby: Db

const pair = ofFile(postgresPair)
const service = ofFile(() =>
  startLoadedService({
    DATABASE_URL: pair.primaryUrl,
    DATABASE_READ_URLS: pair.standbyUrl,
    READ_MAX_LAG: '1',
  }),
)
beforeAll(async () => {
  standby = connectDb(pair.standbyUrl, { max: 1, name: 'test' })
})
afterAll(async () => {
  await standby?.unsafe('select pg_wal_replay_resume()')
  await standby?.end()
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into it
async function call(method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(`${service.primary.url}/api/sites${path}`, {
    method,
    headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(answer.status).toBe(method === 'GET' ? 200 : 201)
  return answer.json()
}
const pageviews = async (site: TestSite): Promise<number> =>
  (await call('GET', `/${site.id}/overview?range=today`)).pageviews
const send = (site: TestSite) =>
  fetch(`${service.primary.url}/api/collect`, {
    method: 'POST',
    body: JSON.stringify({ key: site.key, hostname: 'example.com', url: { path: '/' } }),
  })

/** Waits until storing waits for the standby. */
const whenWaiting = (db: Db) =>
  eventually(async () => {
    const rows =
      await db`select from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'test'`
    return rows.length > 0
  })
async function cancelWaits(db: Db): Promise<void> {
  await whenWaiting(db)
  await db`
    select pg_cancel_backend(pid) from pg_stat_activity
    where wait_event = 'SyncRep' and application_name = 'test'`
}

test('hot standby: reads go to the standby', async () => {
  const site = await service.newSite()
  await send(site)
  await eventually(async () => (await pageviews(site)) === 1)
  await call('GET', `/${site.id}/overview?range=today&path=/`)
  const users = await eventually(async () => {
    const rows = await standby<{ name: string }[]>`
      select distinct application_name as name from pg_stat_activity where application_name like 'analytics%'`
    return rows.length >= 3 && rows.map(row => row.name).sort()
  })
  expect(users).toEqual(['analytics-lag', 'analytics-reads', 'analytics-rollup'])
})

test('hot standby: a change is seen at once, although the standby has not replayed it', async () => {
  const site = await service.newSite()
  await pageviews(site)
  await standby`select pg_wal_replay_pause()`
  const { id } = await call('POST', `/${site.id}/goals`, {
    name: 'Buys',
    match_type: 'event',
    match_value: 'buy',
  })
  expect((await call('GET', `/${site.id}/overview?range=today&goal=${id}`)).pageviews).toBe(0)
  await standby`select pg_wal_replay_resume()`
})

test('hot standby: a standby that stands still is left for the primary when it is too far behind, and nothing that was seen goes away', async () => {
  const site = await service.newSite()
  let isOver = false
  const readers = [1, 2, 3].map(async () => {
    const counts: number[] = []
    while (!isOver || counts.length <= 5) counts.push(await pageviews(site))
    return counts
  })
  const { accepted } = await service.load(site, async load => {
    for (const pauseMs of [2_000, 500, 3_000]) {
      await standby`select pg_wal_replay_pause()`
      await sleep(pauseMs)
      await standby`select pg_wal_replay_resume()`
      await moreAccepted(load, 150)
    }
  })
  isOver = true
  for (const counts of await Promise.all(readers)) {
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  }
  await eventually(async () => (await pageviews(site)) === accepted.size)
})

test('storing: a commit whose wait for the standby is cancelled is no success, and the next delivery waits for the standby', async () => {
  const site = await service.newSite()
  const hit = enrichedHit(site, Date.now())
  const outcomes: unknown[] = []
  await pair.withoutReplication(async () => {
    const first = storeHits(service.db, 0, [hit]).catch(error => error)
    await cancelWaits(service.db)
    outcomes.push(await first)
    const again = storeHits(service.db, 0, [hit])
    again.then(
      () => outcomes.push('stored again'),
      () => {},
    )
    await whenWaiting(service.db)
    outcomes.push('waits')
  })
  expect((await storeHits(service.db, 0, [hit])).repeated).toBe(1)
  expect(outcomes).toEqual([expect.any(Unreplicated), 'waits', 'stored again'])
})

test('hot standby: each reader sees no count go back, and none that is older than allowed', async () => {
  const site = await service.newSite()
  await standby`select pg_wal_replay_pause()`
  await send(site)
  // Within a second of lag the standby may answer without the hit; then the primary does.
  await eventually(async () => (await pageviews(site)) === 1)
  await standby`select pg_wal_replay_resume()`
  for (let read = 0; read < 50; read++) expect(await pageviews(site)).toBe(1)
})
