// @module-tag full
import { expect, test } from 'vitest'
import { moreAccepted, underLoad } from '../support/load.ts'
import { ofFile } from '../support/of-file.ts'
import { type RedisServer, redisWithSentinels } from '../support/redis-servers.ts'
import { eventually, isReady, startService } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { expectStoredOnce } from './stored-once.ts'

const redis = ofFile(redisWithSentinels)
const service = ofFile(() => startService({ REDIS_URL: redis.url, HITS_MIN_REPLICAS: '1' }))

/** A Sentinel that was stopped for two seconds does nothing for the next thirty: on a busy machine that happens more than once. */
const TILT_MS = 150_000
/** Twice that, and the load before and after. */
const WITHIN_MS = 400_000

/** A Sentinel ends the connections of a server that it makes a master. */
const isMaster = (server: RedisServer) =>
  redis.cli(server, 'role').then(
    role => role.startsWith('master'),
    () => false,
  )

const hit = (key: string) =>
  fetch(`${service.url}/api/collect`, {
    method: 'POST',
    body: JSON.stringify({ key, hostname: 'example.com', url: { path: '/one' } }),
  })

test('redis sentinel: hits that come one at a time are confirmed by the replica, too', async () => {
  const site = await createTestSite(service.db)
  for (let count = 0; count < 10; count++) expect((await hit(site.key)).status).toBe(202)
})

test(
  'redis sentinel: when the master is killed, the replica is the master, and each accepted hit is stored once',
  async () => {
    const [site, probed] = [await createTestSite(service.db), await createTestSite(service.db)]
    const [master, replica] = redis.servers as [RedisServer, RedisServer]
    const result = await underLoad({ urls: [service.url], key: site.key }, async load => {
      await moreAccepted(load, 200)
      master.kill()
      await eventually(() => isMaster(replica), TILT_MS)
      // The killed one comes back and follows the new master: from then on a hit can be on two servers again.
      await master.start()
      await eventually(async () => (await hit(probed.key)).status === 202, TILT_MS)
      await moreAccepted(load, 100)
    })
    expect([...result.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
    await eventually(() => isReady(service.url), 60_000)
    await expectStoredOnce(service.db, site, result)
  },
  WITHIN_MS,
)

test('redis sentinel: without a replica in reach, hits are answered 503, and 202 again when it is back', async () => {
  const site = await createTestSite(service.db)
  const roles = await Promise.all(redis.servers.map(server => redis.cli(server, 'role')))
  const replica = redis.servers[roles.findIndex(role => role.startsWith('slave'))]!
  replica.kill()
  const answer = await hit(site.key)
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(await answer.json()).toMatchObject({
    message: 'The queue reached 0 of the 1 replicas that must have a hit; try again shortly',
  })
  await replica.start()
  await eventually(async () => (await hit(site.key)).status === 202, 60_000)
})
