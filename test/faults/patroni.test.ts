// @module-tag full
// @needs timescaledb patroni etcd haproxy
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Haproxy, haproxy } from '../support/haproxy.ts'
import { moreAccepted } from '../support/load.ts'
import { type PatroniCluster, patroniCluster } from '../support/patroni.ts'
import { eventually, isReady } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { type LoadedService, startLoadedService } from './loaded-service.ts'

describe.each([
  { way: 'all servers named in DATABASE_URL', hasProxy: false },
  { way: 'one address, of HAProxy', hasProxy: true },
])('fail-over by Patroni, $way', ({ hasProxy }) => {
  let cluster: PatroniCluster
  let proxy: Haproxy | undefined
  let service: LoadedService
  beforeAll(async () => {
    cluster = await patroniCluster()
    proxy = hasProxy ? await haproxy(cluster) : undefined
    service = await startLoadedService({ DATABASE_URL: proxy?.url ?? cluster.url })
  })
  afterAll(async () => {
    await service?.close()
    await proxy?.close()
    await cluster?.close()
  })

  test('when the machine of the primary is lost, the service goes on within 10 s of the promotion, and each accepted hit is stored once', async () => {
    const site = await createTestSite(service.db)
    const lost = await cluster.leaderPort()
    const result = await service.load(site, async load => {
      await moreAccepted(load, 300)
      await cluster.killLeader()
      await eventually(async () => (await cluster.leaderPort().catch(() => lost)) !== lost, 60_000)
      await eventually(() => isReady(service.primary.url), 10_000)
      await moreAccepted(load, 200)
    })
    expect([...result.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
    await service.expectStoredOnce(site, result)
  })
})
