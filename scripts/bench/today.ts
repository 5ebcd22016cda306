import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR_MS, MINUTE_MS } from '../../src/platform/lib/time.ts'
import { formatDay, localDay, startOfDay } from '../../src/platform/time/local-time.ts'
import {
  asRefused,
  cellOf,
  openService,
  type ReadOptions,
  Refused,
  readCommand,
  type Timing,
  until,
} from './calls.ts'
import { numberOption, withCleanup } from './command.ts'
import { readCounters, untilStored } from './counters.ts'
import { addHits, findOrAddSite, lastSessionAt } from './fill-today.ts'
import { STEADY_CONNECTIONS } from './measure-ingest.ts'
import { sentHits } from './senders.ts'
import { figure, formatTable, loadLine, machineLine, median } from './table.ts'
import { prepareWrk, requireWrk, sentLine } from './wrk.ts'

// Times the reads of today of a site whose hits have ended, and of one that has had hits for an hour and goes on to have them.

/** The hits of the quiet site ended this long ago. */
const QUIET_MS = 1.5 * HOUR_MS
/** Time until the rate of hits is steady, milliseconds. */
const SETTLE_MS = 20_000
const EVENING = 18
/** The load ends with the reads; this is longer than they take. */
const LOAD_SECONDS = 86_400
/** Longest wait until columns are there. */
const PATIENCE_MS = 10 * MINUTE_MS

/** A breakdown of today that takes less time makes no columns of the time before. */
const WARM_MS = 1_000
const BREAKDOWN = '/stats/breakdown?range=today&dimension=path'

const READS: [name: string, path: string][] = [
  ['overview', '/overview?range=today'],
  ['timeseries visitors by hour', '/stats/timeseries?metric=visitors&group=hour'],
  ['timeseries sessions by hour', '/stats/timeseries?metric=sessions&group=hour'],
  ['timeseries bounce rate by hour', '/stats/timeseries?metric=bounce_rate&group=hour'],
  ['breakdown path', '/stats/breakdown?dimension=path'],
  ['breakdown source', '/stats/breakdown?dimension=source'],
  ['breakdown country', '/stats/breakdown?dimension=country'],
  ['breakdown exit page', '/stats/breakdown?dimension=exit_path'],
  ['page titles', '/stats/page-titles'],
  ['events timeseries', '/stats/events/timeseries'],
  ['events, page 1', '/stats/events'],
  ['errors', '/stats/errors'],
  ['goals', '/stats/goals'],
  ['live', '/stats/live'],
]

const command = readCommand(
  'today',
  'times reads of today while hits come in; makes its sites in the database, and continues them in the next run',
)
  .addOption(
    numberOption('--rate <count>', 'hits a second, now and in the hour before', [1, 100_000]).default(1_000),
  )
  .addOption(numberOption('--minutes <count>', 'minutes of hits before', [1, 600]).default(60))
  .parse()

await withCleanup(async () => {
  const options = command.opts<ReadOptions & { rate: number; minutes: number }>()
  const { calls, rate, minutes } = options
  await requireWrk()
  const { service, time } = await openService(options, { TRUST_PROXY: '1' })
  const { db, api } = service
  const quiet = await findOrAddSite(api, db, { domain: 'quiet.example', timezone: zoneInTheEvening() })
  const { timezone } = quiet.site
  const busy = await findOrAddSite(api, db, { domain: 'busy.example', timezone })
  const today = localDay(timezone, Date.now())
  const day = startOfDay(timezone, today)
  if (quiet.isNew) {
    const end = Math.floor((Date.now() - QUIET_MS) / MINUTE_MS) * MINUTE_MS
    const start = end - minutes * MINUTE_MS
    if (start < day)
      throw new Error(`too little of the day (${timezone}) is over: begin later, or with fewer --minutes`)
    await addHits(db, quiet.site.siteNo, { start, end, rate })
    await api('POST', `/api/sites/quiet.example/goals/batch`, { event_names: ['signup'] })
    await api('POST', `/api/sites/busy.example/goals/batch`, { event_names: ['signup'] })
    await db.unsafe('analyze events, sessions, visitors')
  }
  const siteNo = busy.site.siteNo
  const since = await lastSessionAt(db, siteNo, Date.now() - minutes * MINUTE_MS)
  await addHits(db, siteNo, { start: since + 1, end: Date.now(), rate })

  async function timeAll(domain: string): Promise<Map<string, Timing | Refused>> {
    const date = formatDay(today)
    const timings = new Map<string, Timing | Refused>()
    for (const [name, path] of READS) {
      const asked =
        path.includes('range=') || name === 'live'
          ? path
          : `${path}${path.includes('?') ? '&' : '?'}from=${date}&to=${date}`
      timings.set(name, await time(`/api/sites/${domain}${asked}`).catch(asRefused))
    }
    return timings
  }

  // The first reads of a busy site make its columns; reads are slow until these are there.
  async function untilWarm(): Promise<void> {
    const began = performance.now()
    const isWarm = async () => {
      const at = performance.now()
      await api('GET', `/api/sites/busy.example${BREAKDOWN}`).catch(() => {})
      return performance.now() - at < WARM_MS
    }
    await until(isWarm, PATIENCE_MS, 'reads stay slow').catch(() => {})
    process.stdout.write(
      `Breakdowns were fast ${figure((performance.now() - began) / 1_000)} s after the first.\n`,
    )
  }

  process.stdout.write(`${machineLine(new Date())}\n`)
  const idle = await timeAll('quiet.example')
  const { tracking_key: key } = await api<{ tracking_key: string }>('GET', '/api/sites/busy.example')
  // Each browser sends a hit a minute, so that about as many sessions begin as in the hour before.
  const visitors = 60 * rate
  const send = prepareWrk(sentHits({ key, count: visitors, addresses: 4_096, visitors, seed: 2 }))
  const before = await readCounters(service.url)
  const isRead = new AbortController()
  const load = { connections: STEADY_CONNECTIONS, seconds: LOAD_SECONDS, rate, signal: isRead.signal }
  const [sent, loaded] = await Promise.all([
    send(service.url, load),
    sleep(SETTLE_MS)
      .then(untilWarm)
      .then(() => timeAll('busy.example'))
      .finally(() => isRead.abort()),
  ])
  const accepted = sent.requests - sent.refused
  await untilStored(service.url, before, accepted)
  process.stdout.write(
    `${figure(accepted)} hits, all stored, at ${sentLine(sent)}\nMilliseconds, median / p99 of ${calls} warm calls, one at a time, in ` +
      `today (${timezone}). At the end ${loadLine()}.\n\n${tableOf(idle, loaded)}\n`,
  )
})

/** Returns a time zone in which it is about six in the evening: enough of the day is over, and it does not end soon. */
function zoneInTheEvening(): string {
  const ahead = ((EVENING - new Date().getUTCHours() + 36) % 24) - 12
  // The signs of these names are those of POSIX: zones east of Greenwich have a minus.
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

function tableOf(idle: Map<string, Timing | Refused>, busy: Map<string, Timing | Refused>): string {
  const ratios: number[] = []
  const lines = [...idle].map(([name, before]) => {
    const during = busy.get(name)!
    const isTimed = !(before instanceof Refused || during instanceof Refused)
    const ratio = isTimed ? during.median / before.median : Number.NaN
    ratios.push(Number.isNaN(ratio) ? Number.POSITIVE_INFINITY : ratio)
    return [name, cellOf(before), cellOf(during), `× ${figure(ratio)}`]
  })
  lines.push(['median of the ratios', '', '', `× ${figure(median(ratios))}`])
  return formatTable(['read', 'quiet site', 'with hits', 'ratio'], lines)
}
