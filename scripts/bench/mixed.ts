import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { day } from '../options.ts'
import { openAccount } from './account.ts'
import { createCaller, type Timing } from './calls.ts'
import { withCleanup } from './cleanup.ts'
import { readCounters, untilStored } from './counters.ts'
import { findSurface } from './endpoints.ts'
import { loadLine, machineLine } from './machine.ts'
import { benchCommand, numberOption } from './options.ts'
import type { Sent } from './send.ts'
import { startSender } from './sender.ts'
import { limitsOff, startService } from './service.ts'
import { figure, formatTable, median } from './table.ts'

// Times the reads of 30 days on an idle service, then again while the same site receives hits.

const RANGE_DAYS = 30
/** Time until the rate of hits is steady; milliseconds. */
const SETTLE_MS = 3_000

interface Options {
  data?: string
  redis?: string
  until?: string
  calls: number
  patience: number
  workers: number
  rate: number
}

const command = benchCommand(
  'mixed',
  'times reads of 30 days while hits come in; the hits stay in the database',
)
  .option('--until <date>', 'last day of the range; that of the newest hit unless given', day)
  .addOption(numberOption('--rate <count>', 'hits a second', [1, 100_000]).default(1_000))
  .addOption(numberOption('--calls <count>', 'warm calls of each', [3, 1_000]).default(20))
  .addOption(
    numberOption('--patience <seconds>', 'fewer calls, but three, when they take longer', [1, 600]).default(
      10,
    ),
  )
  .addOption(numberOption('--workers <count>', 'HTTP workers', [1, 256]).default(availableParallelism()))
  .parse()

await withCleanup(async onEnd => {
  const { data, redis, until, calls, patience, workers, rate } = command.opts<Options>()
  if (data === undefined) throw new Error('say what is read: --data postgres://… or --data <folder>')
  const settings = { ...limitsOff, TRUST_PROXY: '1', HTTP_WORKERS: String(workers) }
  const service = await startService({ data, redis }, settings, onEnd)
  const { api, token } = await openAccount(service, onEnd)
  const surface = await findSurface(api, until)
  const site = await api<{ tracking_key: string }>('GET', `/api/sites/${surface.siteId}`)
  const caller = createCaller({ url: service.url, token, calls, patienceMs: patience * 1_000 })
  onEnd(caller.close)

  async function timeAll(): Promise<Map<string, Timing>> {
    const timings = new Map([['floor: GET /healthz', await caller.time('/healthz')]])
    for (const endpoint of surface.endpoints) {
      timings.set(endpoint.name, await caller.time(surface.url(endpoint, RANGE_DAYS)))
    }
    return timings
  }

  process.stdout.write(`${machineLine(new Date())}\n`)
  const idle = await timeAll()
  const before = await readCounters(service.url)
  const sender = startSender({ url: service.url, key: site.tracking_key, rate })
  onEnd(() => sender.stop())
  await sleep(SETTLE_MS)
  const busy = await timeAll()
  const sent = await sender.stop()
  await untilStored(service.url, before, sent.accepted)
  process.stdout.write(
    `${describe(sent)}\nMilliseconds, median / p99 of ${calls} warm calls, one at a time, in the 30 days to ` +
      `${surface.until}. At the end ${loadLine()}.\n\n${tableOf(idle, busy)}\n`,
  )
})

function describe({ accepted, refused, perSecond, p50Ms, p99Ms }: Sent): string {
  return (
    `${figure(accepted)} hits at ${figure(perSecond)}/s, all stored, ${figure(refused)} refused, ` +
    `answered in ${figure(p50Ms)} ms (p99 ${figure(p99Ms)})`
  )
}

function tableOf(idle: Map<string, Timing>, busy: Map<string, Timing>): string {
  const ratios: number[] = []
  const lines = [...idle].map(([name, before]) => {
    const during = busy.get(name)!
    const ratio = during.median / before.median
    ratios.push(ratio)
    return [name, cellOf(before), cellOf(during), `× ${figure(ratio)}`]
  })
  lines.push(['median of the ratios', '', '', `× ${figure(median(ratios.slice(1)))}`])
  return formatTable(['read', 'idle', 'with hits', 'ratio'], lines)
}

function cellOf({ median: middle, p99 }: Timing): string {
  return `${figure(middle)} / ${figure(p99)}`
}
