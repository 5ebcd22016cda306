import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPatroni, type PatroniCluster, patroniCluster } from '../support/patroni.ts'
import { eventually, isReady } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { type LoadedService, startLoadedService } from './loaded-service.ts'

describe.skipIf(!hasPatroni)('fail-over by Patroni', () => {
  let cluster: PatroniCluster
  let service: LoadedService
  beforeAll(async () => {
    cluster = await patroniCluster()
    service = await startLoadedService({ DATABASE_URL: cluster.url })
  }, 180_000)
  afterAll(async () => {
    await service?.close()
    await cluster?.close()
  })

  test('when the machine of the primary is lost, the service goes on within 10 s of the promotion, and each accepted hit is stored once', async () => {
    const site = await createTestSite(service.db)
    const lost = await cluster.leaderPort()
    const load = await service.load(site, async () => {
      await sleep(2_000)
      await cluster.killLeader()
      await eventually(async () => (await cluster.leaderPort().catch(() => lost)) !== lost, 60_000)
      await eventually(() => isReady(service.primary.url), 10_000)
      await sleep(1_000)
    })
    expect([...load.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
    await service.expectStoredOnce(site, load)
  }, 180_000)
})
