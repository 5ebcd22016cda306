// @module-tag full
import { expect, onTestFinished, test } from 'vitest'
import { expectStoredOnce } from '../faults/stored-once.ts'
import { type Load, moreAccepted, underLoad } from '../support/load.ts'
import { childrenOf, stillRunning } from '../support/processes.ts'
import { startService, type TestService } from '../support/service.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { within } from '../support/within.ts'

// Killed processes and reloads are in test/faults/kills.test.ts.

async function started(settings: NodeJS.ProcessEnv = {}): Promise<TestService> {
  const service = await startService(settings)
  onTestFinished(() => service.close())
  return service
}

const sendTo = (service: TestService, site: TestSite, during: (load: Load) => Promise<void>) =>
  underLoad({ urls: [service.url], key: site.key }, during)

test('processes: after SIGTERM under load, the next start stores the accepted hits', async () => {
  const service = await started()
  const site = await createTestSite(service.db)
  // Columns and ingest process begin after the HTTP workers.
  await expect.poll(() => childrenOf(service.pid)).toHaveLength(4)
  const children = await childrenOf(service.pid)
  let stopped: Promise<number | null> | undefined
  const load = await sendTo(service, site, async load => {
    await moreAccepted(load, 300)
    stopped = within(10_000, service.stop())
    await expect.poll(() => load.refused.size, { interval: 5 }).toBeGreaterThan(0)
    process.kill(service.pid, 'SIGTERM') // once more, while it drains
  })
  expect(await stopped).toBe(0)
  expect(await stillRunning(children)).toEqual([])
  expect(service.output()).not.toMatch(/"level":(50|60).*(stopping failed|could not finish)/)

  await started({ DATABASE_URL: service.databaseUrl, REDIS_URL: service.redisUrl })
  await expectStoredOnce(service.db, site, load)
})
