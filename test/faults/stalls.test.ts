import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDb } from '../../src/db/connect.ts'
import { databaseUrl } from '../../src/embedded/paths.ts'
import { isReady } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { type LoadedService, startLoadedService } from './loaded-service.ts'

let service: LoadedService

beforeAll(async () => {
  service = await startLoadedService()
})
afterAll(() => service.close())

test('faults: while Redis hangs for 20 s, hits get a 503 quickly, and the service recovers by itself', async () => {
  const site = await createTestSite(service.db)
  const result = await service.load(site, async () => {
    await sleep(1_000)
    process.kill(service.redisPid(), 'SIGSTOP')
    await sleep(20_000)
    process.kill(service.redisPid(), 'SIGCONT')
    await expect.poll(() => isReady(service.primary.url), { timeout: 30_000 }).toBe(true)
    await sleep(1_000)
  })
  expect([...result.refused.keys()]).toEqual(['503'])
  expect(result.refused.get('503')).toBeGreaterThan(1_000)
  await service.expectStoredOnce(site, result)
}, 120_000)

test('faults: while the database hangs for 20 s, hits are accepted, reads get a 503, and all hits are stored afterwards', async () => {
  const site = await createTestSite(service.db)
  let read: { status: number; ms: number } | undefined
  const result = await service.load(site, async () => {
    await sleep(1_000)
    const pid = await service.childNamed('embedded-database.js')
    process.kill(pid, 'SIGSTOP')
    const startedAt = performance.now()
    const answer = await fetch(`${service.primary.url}/api/sites`, {
      headers: { Authorization: `Bearer ${service.token}` },
    })
    read = { status: answer.status, ms: performance.now() - startedAt }
    await sleep(20_000 - read.ms)
    process.kill(pid, 'SIGCONT')
    await sleep(1_000)
  })
  expect(result.refused.size).toBe(0)
  expect(read!.status).toBe(503)
  await service.expectStoredOnce(site, result)
}, 120_000)

/** Runs for hours unless it is cancelled. */
const ENDLESS =
  'select count(*) from generate_series(1, 3000000) a, generate_series(1, 3000000) b where a = b + 1'
/** PostgreSQL does not check for a cancellation while it searches a text. This search takes 10¹¹ steps. */
const DEAF = `select position('b' || repeat('a', 100000) in repeat('a', 1100000))`

test.each([
  ['ended', ENDLESS, 'a statement ran too long and was ended'],
  ['ended with its process', DEAF, 'a statement ran too long and cannot be ended'],
])(
  'faults: while a statement blocks the database until it is %s, hits are accepted and stored once',
  async (_how, text, logged) => {
    const site = await createTestSite(service.db)
    const hasty = connectDb(databaseUrl(service.dataDir), {
      max: 1,
      name: 'test',
      settings: { statement_timeout: '2s' },
    })
    const result = await service.load(site, async () => {
      await sleep(500)
      await expect(hasty.unsafe(text)).rejects.toThrow()
      await sleep(500)
    })
    await hasty.end({ timeout: 1 })
    expect(result.refused.size).toBe(0)
    expect(service.primary.output()).toContain(logged)
    await expect.poll(() => isReady(service.primary.url), { timeout: 30_000 }).toBe(true)
    await service.expectStoredOnce(site, result)
  },
  120_000,
)

test('faults: a reload refuses no hit while the database is slow', async () => {
  const site = await createTestSite(service.db)
  const pid = await service.childNamed('embedded-database.js')
  const result = await service.load(site, async () => {
    await sleep(1_000)
    let isOver = false
    const reloading = service.reload().finally(() => {
      isOver = true
    })
    while (!isOver) {
      process.kill(pid, 'SIGSTOP')
      await sleep(1_200)
      process.kill(pid, 'SIGCONT')
      await sleep(100)
    }
    await reloading
  })
  expect([...result.refused.entries()]).toEqual([])
  await service.expectStoredOnce(site, result)
}, 120_000)
