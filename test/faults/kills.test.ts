import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../support/runs.ts'
import { isReady } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { type LoadedService, startLoadedService } from './loaded-service.ts'

let service: LoadedService

beforeAll(async () => {
  service = await startLoadedService()
})
afterAll(() => service.close())

test.each([
  ['the ingest process', () => service.childNamed('ingest.js')],
  ['an HTTP worker, and the rollup threads in it,', () => service.childNamed('http.js')],
  ['Redis', async () => service.redisPid()],
  ['the database', () => service.childNamed('embedded-database.js')],
])(
  'faults: when %s is killed, each accepted hit is stored once, and the service recovers by itself',
  async (_what, pid) => {
    const site = await createTestSite(service.db)
    const result = await service.load(site, async () => {
      await sleep(1_500)
      process.kill(await pid(), 'SIGKILL')
      await sleep(3_500)
    })
    expect(result.accepted.size).toBeGreaterThan(500)
    expect(
      [...result.refused.keys()].filter(outcome => !['503', 'ECONNRESET', 'EPIPE'].includes(outcome)),
    ).toEqual([])
    await expect.poll(() => isReady(service.primary.url), { timeout: 30_000 }).toBe(true)
    await service.expectStoredOnce(site, result)
  },
  120_000,
)

const RELOADS = runs(2)

test(`faults: ${RELOADS} reloads lose no accepted hit and refuse no connection`, async () => {
  const site = await createTestSite(service.db)
  const result = await service.load(site, async () => {
    for (let roll = 0; roll < RELOADS; roll++) await service.reload()
  })
  expect([...result.refused.entries()]).toEqual([])
  await service.expectStoredOnce(site, result)
}, 180_000)
