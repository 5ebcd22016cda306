import { setTimeout as sleep } from 'node:timers/promises'
import { cellOf, openReads, type ReadOptions, readCommand, type Timing } from './calls.ts'
import { numberOption, withCleanup } from './command.ts'
import { readCounters, untilStored } from './counters.ts'
import { STEADY_CONNECTIONS } from './measure-ingest.ts'
import { sentHits } from './senders.ts'
import { figure, formatTable, loadLine, machineLine, median } from './table.ts'
import { prepareWrk, requireWrk, sentLine } from './wrk.ts'

// Times the reads of 30 days on an idle service, then again while the same site receives hits.

const RANGE_DAYS = 30
/** Time until the rate of hits is steady; milliseconds. */
const SETTLE_MS = 3_000
/** The load ends with the reads; this is longer than they take. */
const LOAD_SECONDS = 86_400

const command = readCommand(
  'mixed',
  'times reads of 30 days while hits come in; the hits stay in the database',
)
  .addOption(numberOption('--rate <count>', 'hits a second', [1, 100_000]).default(1_000))
  .parse()

await withCleanup(async () => {
  const options = command.opts<ReadOptions & { rate: number }>()
  const { calls, rate } = options
  await requireWrk()
  const { service, surface, time } = await openReads(options, { TRUST_PROXY: '1' })
  const site = await service.api<{ tracking_key: string }>('GET', `/api/sites/${surface.siteId}`)
  const hits = { key: site.tracking_key, count: 20_000, addresses: 4_096, visitors: 10_000, seed: 2 }
  const send = prepareWrk(sentHits(hits))

  async function timeAll(): Promise<Map<string, Timing>> {
    const timings = new Map([['floor: GET /healthz', await time('/healthz')]])
    for (const endpoint of surface.endpoints) {
      timings.set(endpoint.name, await time(surface.url(endpoint, RANGE_DAYS)))
    }
    return timings
  }

  process.stdout.write(`${machineLine(new Date())}\n`)
  const idle = await timeAll()
  const before = await readCounters(service.url)
  const isRead = new AbortController()
  const load = { connections: STEADY_CONNECTIONS, seconds: LOAD_SECONDS, rate, signal: isRead.signal }
  const [sent, busy] = await Promise.all([
    send(service.url, load),
    sleep(SETTLE_MS)
      .then(timeAll)
      .finally(() => isRead.abort()),
  ])
  const accepted = sent.requests - sent.refused
  await untilStored(service.url, before, accepted)
  process.stdout.write(
    `${figure(accepted)} hits, all stored, at ${sentLine(sent)}\nMilliseconds, median / p99 of ${calls} warm ` +
      `calls, one at a time, in the 30 days to ${surface.until}. At the end ${loadLine()}.\n\n${tableOf(idle, busy)}\n`,
  )
})

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
