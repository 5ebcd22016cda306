// @module-tag full
import { expect, test } from 'vitest'
import { CLUSTER_TAGS } from '../../src/platform/redis/lanes.ts'
import { type Load, moreAccepted, underLoad } from '../support/load.ts'
import { ofFile } from '../support/of-file.ts'
import { type RedisServer, redisCluster } from '../support/redis-servers.ts'
import { eventually, isReady, startService } from '../support/service.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { expectNoneRefused } from './none-refused.ts'
import { expectStoredOnce } from './stored-once.ts'

const cluster = ofFile(() => redisCluster(3))
const service = ofFile(() =>
  startService({
    REDIS_URL: cluster.url,
    HITS_MIN_REPLICAS: '1',
    INGEST_PROCESSES: '2',
    TRUST_PROXY: '1',
    // Hits of a sender with a limit go to the lane that counts the sender.
    RATE_LIMIT_COLLECT: '1000000',
  }),
)

async function serversAre(role: 'master' | 'slave'): Promise<RedisServer[]> {
  const roles = await Promise.all(cluster.servers.map(server => cluster.cli(server, 'role')))
  return cluster.servers.filter((_, index) => roles[index]!.startsWith(role))
}

/** Hits of many senders, so that all lanes get some. */
const underLoadOfMany = (site: TestSite, during: (load: Load) => Promise<void>) =>
  underLoad({ urls: [service.url], key: site.key, senders: 100 }, during)

test('redis cluster: the slots of the lanes lie in all twelfths of the range', async () => {
  const slots = await Promise.all(
    CLUSTER_TAGS.map(async tag =>
      Number(await cluster.cli(cluster.servers[0]!, 'cluster', 'keyslot', `${tag}bull:hits:wait`)),
    ),
  )
  expect(slots.map(slot => Math.floor((slot * 12) / 16_384))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
})

test('redis cluster: hits of many senders are spread over all masters, and each is stored once', async () => {
  const site = await createTestSite(service.db)
  const queuedOn = async (master: RedisServer) =>
    Number(/cmdstat_lpush:calls=(\d+)/.exec(await cluster.cli(master, 'info', 'commandstats'))?.[1] ?? 0)
  const masters = await serversAre('master')
  const result = await underLoadOfMany(site, async load => {
    await moreAccepted(load, 200)
    await eventually(async () => {
      const queued = await Promise.all(masters.map(queuedOn))
      return queued.every(calls => calls > 3)
    })
  })
  expectNoneRefused(result)
  await expectStoredOnce(service.db, site, result)
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text()
  await expect.poll(metrics).toMatch(/^queue_jobs\{state="waiting"\} 0$/m)
  // A process that is too busy to answer in time is left out.
  await expect.poll(async () => processesIn(await metrics()).size).toBe(4)
})

/** Numbers of the processes with metrics: two HTTP workers and two ingest processes. */
const processesIn = (metrics: string) =>
  new Set(
    [...metrics.matchAll(/process_resident_memory_bytes\{role="(\w+)",pid="(\d+)"/g)].map(([, , pid]) => pid),
  )

test('redis cluster: while slots move to another master, each accepted hit is stored once', async () => {
  const site = await createTestSite(service.db)
  const [from, to] = (await serversAre('master')) as [RedisServer, RedisServer]
  const idOf = async (server: RedisServer) => (await cluster.cli(server, 'cluster', 'myid')).trim()
  const result = await underLoadOfMany(site, async load => {
    await moreAccepted(load, 100)
    const ids = ['--cluster-from', await idOf(from), '--cluster-to', await idOf(to)]
    const options = [...ids, '--cluster-slots', '3000', '--cluster-yes', '--cluster-pipeline', '50']
    await cluster.cli(from, '--cluster', 'reshard', `127.0.0.1:${from.port}`, ...options)
    await moreAccepted(load, 100)
  })
  expect([...result.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
  await expectStoredOnce(service.db, site, result)
})

test('redis cluster: when a master is killed, its replica takes over, and each accepted hit is stored once', async () => {
  const site = await createTestSite(service.db)
  const [master] = (await serversAre('master')) as [RedisServer]
  const replicas = await serversAre('slave')
  const result = await underLoadOfMany(site, async load => {
    await moreAccepted(load, 200)
    master.kill()
    await eventually(async () => {
      const roles = await Promise.all(replicas.map(replica => cluster.cli(replica, 'role')))
      return roles.some(role => role.startsWith('master'))
    })
    await eventually(() => isReady(service.url), 60_000)
    await moreAccepted(load, 200)
  })
  // It comes back as a replica.
  await master.start()
  await expect.poll(async () => (await serversAre('slave')).includes(master)).toBe(true)
  expect([...result.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
  await expectStoredOnce(service.db, site, result)
})
