import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { moreAccepted } from '../support/load.ts'
import { runs } from '../support/runs.ts'
import { eventually } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { type LoadedService, startLoadedServiceAnywhere } from './loaded-service.ts'
import { expectNoneRefused } from './none-refused.ts'

let service: LoadedService

beforeAll(async () => {
  service = await startLoadedServiceAnywhere()
})
// A test that failed may have left a process that is starting again.
beforeEach(() => service.whenReady())
afterAll(() => service?.close())

test.each([
  ['the ingest process', () => service.childrenNamed('ingest.js')],
  ['an HTTP worker, and the rollup threads in it,', () => service.childrenNamed('http.js')],
  ['Redis', async () => [service.redisPid()]],
  // Servers are killed in the tests of standbys and of Citus.
  ...(inject('databaseServer')
    ? []
    : [['the database', () => service.childrenNamed('embedded-database.js')] as const]),
] as const)(
  'faults: when %s is killed, each accepted hit is stored once, and the service recovers by itself',
  async (_what, pids) => {
    const site = await createTestSite(service.db)
    const result = await service.load(site, async load => {
      await moreAccepted(load, 200)
      const before = await pids()
      process.kill(before[0]!, 'SIGKILL')
      // Between the end of a process and the start of its successor, Redis has no file with its pid.
      await eventually(async () => {
        const now = await pids().catch((): number[] => [])
        return now.length === before.length && !now.includes(before[0]!)
      })
      await service.whenReady()
      await moreAccepted(load, 200)
    })
    expect(
      [...result.refused.keys()].filter(outcome => !['503', 'ECONNRESET', 'EPIPE'].includes(outcome)),
      endsOf(service.primary.output()),
    ).toEqual([])
    await service.expectStoredOnce(site, result)
  },
)

/** What the service wrote about processes that ended, and what is no line of its log: a stack of an error that ended one. */
const endsOf = (output: string): string =>
  output
    .split('\n')
    .filter(line => !line.startsWith('{') || /"level":[56]0/.test(line))
    .join('\n')

const RELOADS = runs(2)

test(`faults: ${RELOADS} reloads lose no accepted hit and refuse no connection`, {
  tags: ['full'],
}, async () => {
  const site = await createTestSite(service.db)
  const result = await service.load(site, async () => {
    for (let roll = 0; roll < RELOADS; roll++) await service.reload()
  })
  expectNoneRefused(result)
  await service.expectStoredOnce(site, result)
})
