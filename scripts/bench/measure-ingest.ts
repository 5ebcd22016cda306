import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '../../src/config.ts'
import { query } from '../../src/db/query.ts'
import { answersAt, freePort, startProgram } from './child.ts'
import { type Counters, readCounters, untilStored } from './counters.ts'
import { cpuSecondsOf, type Usage, usageOf, usedBetween } from './processes.ts'
import type { Sent } from './send.ts'
import { startSender } from './sender.ts'
import type { BenchService } from './service.ts'
import type { prepareWrk, WrkResult } from './wrk.ts'

export type Send = ReturnType<typeof prepareWrk>

export interface Load {
  connections: number
  seconds: number
}

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
/** First part of a steady load, whose response times are not counted; milliseconds. */
const SETTLE_MS = 5_000
/** Process ids of the server's sessions in this database, to read their resource usage when the server is on this machine. */
export const listBackends = query<void, { pid: number }>(
  'list-backends',
  'select pid from pg_stat_activity where datname = current_database()',
)

/** Measures a server that only parses the body, with the same number of workers as the service. */
export async function measureFloor(
  kind: 'node' | 'express',
  send: Send,
  load: Load & { workers: number },
  onEnd: (stop: () => unknown) => void,
): Promise<IngestRun> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = await startProgram({
    script: FLOOR,
    args: ['--kind', kind, '--port', String(port), '--workers', String(load.workers)],
    isReady: () => answersAt(url),
  })
  onEnd(server.stop)
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
export async function measureService(
  service: BenchService,
  redisPid: number | undefined,
  send: Send,
  load: Load,
): Promise<IngestRun> {
  const usage = async () => usageOf(service.pid, await foreignProcesses(service, redisPid))
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

/** Measures the service under a steady rate of hits that it can sustain. */
export async function measureSteady(
  service: BenchService,
  key: string,
  load: { rate: number; seconds: number },
  onEnd: (stop: () => unknown) => void,
): Promise<Sent & { waiting: number }> {
  const before = await readCounters(service.url)
  const settleMs = Math.min(SETTLE_MS, (load.seconds * 1_000) / 3)
  const sender = startSender({ url: service.url, key, rate: load.rate, settleMs })
  onEnd(() => sender.stop())
  await sleep(load.seconds * 1_000)
  const waiting = waitingOf(await readCounters(service.url), before)
  const sent = await sender.stop()
  await untilStored(service.url, before, sent.accepted)
  return { ...sent, waiting }
}

/** Returns processes that are not children of the service but work for it on this machine. */
async function foreignProcesses(service: BenchService, redisPid: number | undefined) {
  const backends = service.isEmbedded ? [] : (await listBackends(service.db)).map(({ pid }) => pid)
  return [
    { role: 'database', pids: backends },
    { role: 'redis', pids: service.hasOwnRedis || redisPid === undefined ? [] : [redisPid] },
  ].map(({ role, pids }) => ({ role, pids: pids.filter(pid => cpuSecondsOf(pid) !== undefined) }))
}

function runOf(wrk: WrkResult, used: Usage): IngestRun {
  const accepted = wrk.requests - wrk.refused
  const cpu = new Map([...used].map(([role, seconds]) => [role, (seconds * 1_000) / accepted]))
  return { accepted, acceptedPerSecond: accepted / wrk.seconds, wrk, cpu }
}
