import { Agent, request } from 'node:http'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { day } from '../options.ts'
import { benchCommand, numberOption, onEnd } from './command.ts'
import { findSurface, type Surface } from './endpoints.ts'
import { type BenchService, limitsFar, startService, type Target } from './service.ts'
import { figure, median, quantile } from './table.ts'

/** Warm-up calls before the timed calls: at least one, at most WARM_CALLS, and none starts after WARM_MS milliseconds. */
const WARM_CALLS = 5
const WARM_MS = 250

export interface Timing {
  /** Milliseconds from sending the request to the last byte of the answer. */
  median: number
  p99: number
  calls: number
}

export interface ReadOptions extends Target {
  until?: string
  calls: number
  patience: number
  workers: number
}

/** Creates the command line of a measurement of reads. */
export const readCommand = (name: string, description: string): Command =>
  benchCommand(name, description)
    .option('--until <date>', 'last day of the ranges; that of the newest hit unless given', day)
    .addOption(numberOption('--calls <count>', 'warm calls of each', [3, 1_000]).default(20))
    .addOption(
      numberOption('--patience <seconds>', 'fewer calls, but three, when they take longer', [1, 600]).default(
        10,
      ),
    )
    .addOption(numberOption('--workers <count>', 'HTTP workers', [1, 256]).default(availableParallelism()))

const ASK_MS = 1_000

/** Starts a service on a seeded database, and finds what to read. @returns as `openService` */
export async function openReads(
  options: ReadOptions,
  settings: Record<string, string> = {},
): Promise<{ service: BenchService; surface: Surface; time: (path: string) => Promise<Timing> }> {
  const opened = await openService(options, settings)
  return { ...opened, surface: await findSurface(opened.service.api, options.until) }
}

/** Asks every second until the answer is true. @throws Error with `complaint` after `patienceMs` */
export async function until(isDone: () => Promise<boolean>, patienceMs: number, complaint: string) {
  const startedAt = performance.now()
  while (!(await isDone())) {
    if (performance.now() - startedAt > patienceMs) throw new Error(complaint)
    await sleep(ASK_MS)
  }
}

/**
 * Starts a service on a database.
 * @returns `time`: times several sequential calls over one keep-alive connection, after some warm-up calls. It makes fewer than
 * `options.calls` calls, but at least three, when all together take longer than `options.patience` seconds. It throws an Error
 * when the status of an answer is not 200
 */
export async function openService(
  options: ReadOptions,
  settings: Record<string, string> = {},
): Promise<{ service: BenchService; time: (path: string) => Promise<Timing> }> {
  if (options.data === undefined) throw new Error('say what is read: --data postgres://… or --data <folder>')
  const service = await startService(options, {
    ...limitsFar,
    HTTP_WORKERS: String(options.workers),
    ...settings,
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onEnd(() => agent.destroy())

  async function time(path: string): Promise<Timing> {
    const call = () => callOnce(service.url + path, service.token, agent)
    const startedAt = performance.now()
    const times: number[] = []
    await untilPrepared(call)
    for (let warm = 0; warm < WARM_CALLS; warm++) {
      await call()
      if (performance.now() - startedAt > WARM_MS) break
    }
    while (times.length < options.calls) {
      if (times.length >= 3 && performance.now() - startedAt > options.patience * 1_000) break
      times.push(await call())
    }
    return { median: median(times), p99: quantile(times, 0.99), calls: times.length }
  }
  return { service, time }
}

/** Longest wait for columns that are made for the first time, milliseconds. */
const PREPARING_MS = 5 * 60_000

/** Calls until the answer is not being prepared. */
async function untilPrepared(call: () => Promise<number>): Promise<void> {
  for (const startedAt = performance.now(); ; ) {
    try {
      await call()
      return
    } catch (error) {
      const isPreparing = error instanceof Refused && error.status === 503
      if (!isPreparing || performance.now() - startedAt > PREPARING_MS) throw error
    }
  }
}

/** Median and p99, or the status of a read that was not answered. */
export const cellOf = (timing: Timing | Refused): string =>
  timing instanceof Refused ? String(timing.status) : `${figure(timing.median)} / ${figure(timing.p99)}`

/** A read whose answer has another status than 200: too slow, usually. */
export class Refused extends Error {
  readonly status: number | undefined

  constructor(url: string, status: number | undefined) {
    super(`GET ${url} answers ${status}`)
    this.status = status
  }
}

/** Returns what a table shows instead of a time. @throws any other error */
export function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error
  throw error
}

function callOnce(url: string, token: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const sent = request(url, { agent, headers: { authorization: `Bearer ${token}` } }, answer => {
      answer.resume()
      answer.on('error', reject)
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - startedAt)
        else reject(new Refused(url, answer.statusCode))
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
