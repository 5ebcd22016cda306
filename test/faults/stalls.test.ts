// @module-tag full
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, inject, test } from 'vitest'
import { connectDb } from '../../src/platform/db/connect.ts'
import { databaseUrl } from '../../src/platform/embedded/paths.ts'
import { moreAccepted, moreRefused } from '../support/load.ts'
import { ofFile } from '../support/of-file.ts'
import { createTestSite } from '../support/sites.ts'
import { startLoadedServiceAnywhere } from './loaded-service.ts'
import { expectNoneRefused } from './none-refused.ts'

const service = ofFile(startLoadedServiceAnywhere)

// A test that failed may have left a process that is starting again.
beforeEach(() => service.whenReady())

/** Longer than any time limit of the service. */
const HANG_MS = 20_000
/** In 20 s these are enough, and storing them afterwards takes less. */
const HITS_PER_SECOND = 100

/** Stops a process, and continues it whatever happens meanwhile. */
async function whileStopped(pid: number, during: () => Promise<unknown>): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  try {
    await during()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}
/** A server of the user's is no child of the service. */
const withEmbedded = test.skipIf(inject('databaseServer'))
const databasePid = async () => (await service.childrenNamed('embedded-database.js'))[0]!

test('faults: while Redis hangs for 20 s, hits get a 503 quickly, and the service recovers by itself', async () => {
  const site = await createTestSite(service.db)
  const result = await service.load(
    site,
    async load => {
      await moreAccepted(load, 100)
      await whileStopped(service.redisPid(), () =>
        Promise.all([sleep(HANG_MS), moreRefused(load, '503', 500)]),
      )
      await service.whenReady()
      await moreAccepted(load, 100)
    },
    HITS_PER_SECOND,
  )
  expect([...result.refused.keys()]).toEqual(['503'])
  await service.expectStoredOnce(site, result)
})

withEmbedded(
  'faults: while the database hangs for 20 s, hits are accepted, reads get a 503, and all hits are stored afterwards',
  async () => {
    const site = await createTestSite(service.db)
    const read = async () => {
      const answer = await fetch(`${service.primary.url}/api/sites`, {
        headers: { Authorization: `Bearer ${service.token}` },
      })
      expect(answer.status).toBe(503)
    }
    const result = await service.load(
      site,
      async load => {
        await moreAccepted(load, 100)
        await whileStopped(await databasePid(), () => Promise.all([sleep(HANG_MS), read()]))
        await moreAccepted(load, 100)
      },
      HITS_PER_SECOND,
    )
    expectNoneRefused(result)
    await service.expectStoredOnce(site, result)
  },
)

/** Runs for hours unless it is cancelled. */
const ENDLESS =
  'select count(*) from generate_series(1, 3000000) a, generate_series(1, 3000000) b where a = b + 1'
/** PostgreSQL does not check for a cancellation while it searches a text. This search takes 10¹¹ steps. */
const DEAF = `select position('b' || repeat('a', 100000) in repeat('a', 1100000))`

withEmbedded.each([
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
    const result = await service.load(site, async load => {
      await moreAccepted(load, 100)
      await expect(hasty.unsafe(text)).rejects.toThrow()
      await moreAccepted(load, 100)
    })
    await hasty.end({ timeout: 1 })
    expectNoneRefused(result)
    await expect.poll(service.primary.output).toContain(logged)
    await service.whenReady()
    await service.expectStoredOnce(site, result)
  },
)

withEmbedded('faults: a reload refuses no hit while the database is slow', async () => {
  const site = await createTestSite(service.db)
  const pid = await databasePid()
  const result = await service.load(site, async load => {
    await moreAccepted(load, 100)
    let isOver = false
    const reloading = service.reload().finally(() => {
      isOver = true
    })
    while (!isOver) {
      await whileStopped(pid, () => sleep(1_200))
      // On a slow machine it needs longer to do a little.
      await sleep(100)
      for (let statement = 0; statement < 3; statement++) await service.db`select`
    }
    await reloading
  })
  expectNoneRefused(result)
  await service.expectStoredOnce(site, result)
})
