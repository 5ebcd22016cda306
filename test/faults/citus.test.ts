// @module-tag full
// @needs citus
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startCitus } from '../support/citus-cluster.ts'
import { folderOfFile } from '../support/data-dir.ts'
import { type Load, moreAccepted } from '../support/load.ts'
import { ofFile } from '../support/of-file.ts'
import { freePort } from '../support/service.ts'
import type { TestSite } from '../support/sites.ts'
import { startLoadedService } from './loaded-service.ts'

/** Longer than any time limit of the service. */
const HANG_MS = 20_000

const folder = folderOfFile('citus')
const cluster = ofFile(async () => startCitus(folder, [await freePort(), await freePort(), await freePort()]))
const service = ofFile(() => startLoadedService({ DATABASE_URL: cluster.url }))

/** Where the rows of a site are: its shard, and the ports of the worker that has it and of the other one. */
async function placeOf(siteNo: number): Promise<{ shard: number; port: number; otherPort: number }> {
  const [place] = await service.db<{ shard: number; port: number }[]>`
    select shardid as shard, nodeport as port
    from pg_dist_shard_placement
    where shardid = get_shard_id_for_distribution_column('events', ${siteNo}::int)`
  const other = cluster.workers.find(({ port }) => port !== place!.port)!
  return { ...place!, otherPort: other.port }
}

/** Makes a site whose rows are on the worker with this port. */
async function siteOn(port: number): Promise<TestSite> {
  for (;;) {
    const site = await service.newSite()
    if ((await placeOf(site.siteNo)).port === port) return site
  }
}

const workerAt = (port: number) => cluster.workers.find(each => each.port === port)!

async function storedOf({ siteNo }: TestSite): Promise<number> {
  const [row] = await service.db<{ count: number }[]>`
    select count(*)::int as count from events where site_no = ${siteNo}`
  return row!.count
}

test('a coordinator of Citus with two workers: a worker that is killed and started again loses no accepted hit, and stores none twice', async () => {
  const site = await service.newSite()
  const worker = workerAt((await placeOf(site.siteNo)).port)
  const load = await service.load(site, async () => {
    await sleep(2_000)
    await worker.kill()
    await sleep(3_000)
    await worker.start()
    await sleep(2_000)
  })
  expect([...load.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
  expect(load.accepted.size).toBeGreaterThan(500)
  await service.expectStoredOnce(site, load)
})

test('a coordinator of Citus with two workers: while a worker is down, hits of sites on the other one are stored, and its own afterwards', async () => {
  const [lost, kept] = await Promise.all(cluster.workers.map(({ port }) => siteOn(port)))
  const worker = cluster.workers[0]!
  let ofLost: Load
  const ofKept = await service.load(kept!, async keptLoad => {
    ofLost = await service.load(lost!, async lostLoad => {
      await moreAccepted(lostLoad, 200)
      await worker.kill()
      // One after the other: what was accepted while the worker was down is stored while it is down.
      for (let round = 0; round < 2; round++) {
        await Promise.all([moreAccepted(lostLoad, 300), moreAccepted(keptLoad, 300)])
        const accepted = keptLoad.accepted.size
        await expect.poll(() => storedOf(kept!), { timeout: 60_000 }).toBeGreaterThanOrEqual(accepted)
      }
      await worker.start()
      await moreAccepted(lostLoad, 200)
    })
  })
  for (const load of [ofKept, ofLost!])
    expect([...load.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
  await service.expectStoredOnce(kept!, ofKept)
  await service.expectStoredOnce(lost!, ofLost!)
})

test('a coordinator of Citus with two workers: while a worker hangs for 20 s, hits are accepted, and all are stored once afterwards', async () => {
  const site = await service.newSite()
  const worker = workerAt((await placeOf(site.siteNo)).port)
  const load = await service.load(site, async load => {
    await moreAccepted(load, 100)
    await worker.whileStopped(() => Promise.all([sleep(HANG_MS), moreAccepted(load, 300)]))
    await moreAccepted(load, 100)
  })
  expect([...load.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
  await service.expectStoredOnce(site, load)
})

test('a coordinator of Citus with two workers: a coordinator that is killed and started again loses no accepted hit, and stores none twice', async () => {
  const site = await service.newSite()
  const load = await service.load(site, async load => {
    await moreAccepted(load, 200)
    await cluster.coordinator.kill()
    await moreAccepted(load, 300)
    await cluster.coordinator.start()
    await moreAccepted(load, 200)
  })
  expect([...load.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
  await service.expectStoredOnce(site, load)
})

test('a coordinator of Citus with two workers: a shard that is moved to the other worker while hits come in loses none, and stores none twice', async () => {
  const site = await service.newSite()
  const { shard, port, otherPort } = await placeOf(site.siteNo)
  const load = await service.load(site, async () => {
    await sleep(1_000)
    await service.db`
      select citus_move_shard_placement(
        ${shard}, '127.0.0.1', ${port}, '127.0.0.1', ${otherPort}, shard_transfer_mode => 'force_logical'
      )`
    await sleep(1_000)
  })
  expect([...load.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
  expect((await placeOf(site.siteNo)).port).toBe(otherPort)
  await service.expectStoredOnce(site, load)
})

test('a coordinator of Citus with two workers: while the cluster empties a worker in the background, no accepted hit is lost, and none is stored twice', async () => {
  const site = await service.newSite()
  const { port, otherPort } = await placeOf(site.siteNo)
  const holdShards = (isWanted: boolean) =>
    service.db`select citus_set_node_property('127.0.0.1', ${port}, 'shouldhaveshards', ${isWanted})`
  await holdShards(false)
  const load = await service.load(site, async () => {
    await sleep(1_000)
    await service.db`select citus_rebalance_start(drain_only => true, shard_transfer_mode => 'force_logical')`
    await service.db`select citus_rebalance_wait()`
    await sleep(1_000)
  })
  await holdShards(true)
  expect([...load.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
  expect(await moves()).toEqual([{ status: 'done' }])
  expect((await placeOf(site.siteNo)).port).toBe(otherPort)
  expect(load.accepted.size).toBeGreaterThan(500)
  await service.expectStoredOnce(site, load)
})

/** How the moves of the newest background job have ended. */
const moves = () =>
  service.db<{ status: string }[]>`
    select distinct status::text from pg_dist_background_task
    where job_id = (select max(job_id) from pg_dist_background_job)`
