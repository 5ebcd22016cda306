import { join } from 'node:path'
import { projectRoot } from '../../src/platform/config/config.ts'
import { answersAt, freePort, startProgram } from './child.ts'
import { type Counters, readCounters, untilStored } from './counters.ts'
import { type Usage, usageOf, usedBetween } from './processes.ts'
import { type BenchService, processesBeside } from './service.ts'
import type { Load, prepareWrk, WrkResult } from './wrk.ts'

export type Send = ReturnType<typeof prepareWrk>

/** One run of one server under one load. */
export interface IngestRun {
  /** Hits that were answered 202. */
  accepted: number
  acceptedPerSecond: number
  /** Rate from the first request to the last stored hit; undefined when the server stores nothing. */
  storedPerSecond?: number
  /** Number of accepted hits that are not yet stored when the load ends. */
  waiting?: number
  wrk: WrkResult
  /** CPU seconds per 1,000 accepted hits, by role. */
  cpu: Usage
}

const FLOOR = join(projectRoot, 'dist/scripts/bench/floor.js')
const WARM_UP_SECONDS = 2
/** First part of a steady load, whose response times are not counted. */
const SETTLE_SECONDS = 5
/** Connections of a steady load: more than are needed, so that a slow answer delays no other hit. */
export const STEADY_CONNECTIONS = 256
/** Measures a server that only parses the body, with the same number of workers as the service. */
export async function measureFloor(
  kind: 'node' | 'express',
  send: Send,
  load: Load & { workers: number },
): Promise<IngestRun> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = await startProgram({
    script: FLOOR,
    args: ['--kind', kind, '--port', String(port), '--workers', String(load.workers)],
    isReady: () => answersAt(url),
  })
  try {
    await send(url, { ...load, seconds: WARM_UP_SECONDS })
    const before = usageOf(server.pid)
    const wrk = await send(url, load)
    const used = usedBetween(before, usageOf(server.pid))
    const all = [...used.values()].reduce((sum, seconds) => sum + seconds, 0)
    return runOf(wrk, new Map([['all', all]]))
  } finally {
    await server.stop()
  }
}

/** Warms up the service: the measurement must not include JIT compilation and new connections. */
export async function warmUp(service: BenchService, send: Send): Promise<void> {
  const before = await readCounters(service.url)
  const wrk = await send(service.url, { connections: 64, seconds: WARM_UP_SECONDS })
  await untilStored(service.url, before, wrk.requests - wrk.refused)
}

/** Measures the service until all accepted hits are stored. */
export async function measureService(service: BenchService, send: Send, load: Load): Promise<IngestRun> {
  const usage = async () => usageOf(service.pid, await processesBeside(service))
  const [countedBefore, usedBefore] = [await readCounters(service.url), await usage()]
  const startedAt = performance.now()
  const wrk = await send(service.url, load)
  const waiting = waitingOf(await readCounters(service.url), countedBefore)
  const counted = await untilStored(service.url, countedBefore, wrk.requests - wrk.refused)
  const seconds = (performance.now() - startedAt) / 1_000
  const run = runOf(wrk, usedBetween(usedBefore, await usage()))
  return { ...run, storedPerSecond: (counted.stored - countedBefore.stored) / seconds, waiting }
}

const waitingOf = (now: Counters, before: Counters) =>
  now.accepted - before.accepted - (now.settled - before.settled)

/** Measures the service under a steady rate of hits that it can sustain, after a first part of the load in which both sides compile. */
export async function measureSteady(
  service: BenchService,
  send: Send,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<WrkResult & { waiting: number; cpu: Usage }> {
  const usage = async () => usageOf(service.pid, await processesBeside(service))
  const before = await readCounters(service.url)
  const settleSeconds = Math.min(SETTLE_SECONDS, Math.ceil(seconds / 3))
  const load = { connections: STEADY_CONNECTIONS, rate }
  const settled = await send(service.url, { ...load, seconds: settleSeconds })
  const usedBefore = await usage()
  const sent = await send(service.url, { ...load, seconds: Math.max(1, seconds - settleSeconds) })
  const { cpu } = runOf(sent, usedBetween(usedBefore, await usage()))
  const waiting = waitingOf(await readCounters(service.url), before)
  await untilStored(service.url, before, settled.requests - settled.refused + sent.requests - sent.refused)
  return { ...sent, waiting, cpu }
}

function runOf(wrk: WrkResult, used: Usage): IngestRun {
  const accepted = wrk.requests - wrk.refused
  const cpu = new Map([...used].map(([role, seconds]) => [role, (seconds * 1_000) / accepted]))
  return { accepted, acceptedPerSecond: accepted / wrk.seconds, wrk, cpu }
}
