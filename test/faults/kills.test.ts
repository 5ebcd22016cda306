import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { type Load, moreAccepted } from '../support/load.ts'
import { runs } from '../support/runs.ts'
import { eventually } from '../support/service.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { type LoadedService, startLoadedServiceAnywhere } from './loaded-service.ts'
import { expectNoneRefused } from './none-refused.ts'

let service: LoadedService

beforeAll(async () => {
  service = await startLoadedServiceAnywhere()
})
// A test that failed may have left a process that is starting again.
beforeEach(() => service.whenReady())
afterAll(() => service?.close())

test('faults: whichever process is killed, each accepted hit is stored once, and the service recovers by itself', async () => {
  const processes: [name: string, pids: () => Promise<number[]>][] = [
    ['the ingest process', () => service.childrenNamed('ingest.js')],
    ['an HTTP worker, and the rollup threads in it', () => service.childrenNamed('http.js')],
    ['Redis', async () => [service.redisPid()]],
  ]
  // Servers are killed in the tests of standbys and of Citus.
  if (!inject('databaseServer'))
    processes.push(['the database', () => service.childrenNamed('embedded-database.js')])
  const loads: [TestSite, Load][] = []
  for (const [name, pids] of processes) {
    const site = await createTestSite(service.db)
    const result = await service.load(site, load => killUnderLoad(load, pids))
    const refusals = [...result.refused.keys()].filter(
      outcome => !['503', 'ECONNRESET', 'EPIPE'].includes(outcome),
    )
    expect(refusals, `${name} was killed\n${endsOf(service.primary.output())}`).toEqual([])
    loads.push([site, result])
  }
  for (const [site, result] of loads) await service.expectStoredOnce(site, result)
})

async function killUnderLoad(load: Load, pids: () => Promise<number[]>): Promise<void> {
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
}

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
