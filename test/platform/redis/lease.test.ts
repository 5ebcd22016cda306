import { expect, test } from 'vitest'
import { createLease, whenFree, whileHolding } from '../../../src/platform/redis/lease.ts'
import { deferred } from '../../support/deferred.ts'
import { useRedis } from '../../support/redis.ts'

const server = useRedis()

test('lease: one of two concurrent callers gets it and keeps it; different names do not exclude each other', async () => {
  const holders = [createLease(server.redis, 'race'), createLease(server.redis, 'race')]
  const held = await Promise.all(holders.map(lease => lease.hold()))
  expect(held.filter(Boolean)).toHaveLength(1)
  expect(await Promise.all(holders.map(lease => lease.hold()))).toEqual(held)
  expect(await createLease(server.redis, 'other').hold()).toBe(true)
})

test('lease: a released lease is free at once, and only its holder can release it', async () => {
  const [first, second] = [createLease(server.redis, 'release'), createLease(server.redis, 'release')]
  await first.hold()
  await second.release()
  expect(await second.hold()).toBe(false)
  await first.release()
  expect(await second.hold()).toBe(true)
  expect(await first.hold()).toBe(false)
})

test('lease: each hold extends it to 15 seconds', async () => {
  const lease = createLease(server.redis, 'prolong')
  await lease.hold()
  await server.redis.pexpire('lease:prolong', 1_000)
  await lease.hold()
  const left = await server.redis.pttl('lease:prolong')
  expect(left).toBeGreaterThan(10_000)
  expect(left).toBeLessThanOrEqual(15_000)
})

test('lease: an expired lease goes to the next caller, and its former holder has lost it', async () => {
  const [first, second] = [createLease(server.redis, 'expiry'), createLease(server.redis, 'expiry')]
  await first.hold()
  await server.redis.pexpire('lease:expiry', 0)
  expect(await second.hold()).toBe(true)
  expect(await first.hold()).toBe(false)
  await first.release()
  expect(await second.hold()).toBe(true)
})

test('lease: work under a lease excludes other work, which can skip or wait', async () => {
  const [first, second] = [createLease(server.redis, 'turns'), createLease(server.redis, 'turns')]
  const order: string[] = []
  const { promise: finished, resolve: finish } = deferred()
  const long = whileHolding(first, async () => {
    order.push('first')
    await finished
    return 1
  })
  await expect.poll(() => order).toEqual(['first'])
  expect(await whileHolding(second, async () => order.push('never'))).toBeUndefined()
  const patient = whenFree(second, async () => order.push('second'))
  finish()
  expect(await long).toEqual({ result: 1 })
  await patient
  expect(order).toEqual(['first', 'second'])
})

test('lease: it is free again when the work under it has failed', async () => {
  const lease = createLease(server.redis, 'failure')
  await expect(whileHolding(lease, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await createLease(server.redis, 'failure').hold()).toBe(true)
})
