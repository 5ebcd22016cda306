import { query } from '../../src/db/query.ts'
import { DAY_MS, MINUTE_MS } from '../../src/lib/time.ts'
import { purgeDeletedSites } from '../../src/sites/purge-deleted-sites.ts'
import { secondsSince } from '../progress.ts'
import { benchCommand, numberOption, withCleanup } from './command.ts'
import { addSessions, fillSites, runRound } from './many-sites.ts'
import { memoryOf } from './processes.ts'
import { type BenchService, limitsOff, startService, type Target } from './service.ts'
import { figure, formatTable, machineLine, median } from './table.ts'

// Fills an empty database with many sites, and measures what might grow with all of them instead of the active ones.

const SETTINGS = { ...limitsOff, INGEST_PROCESSES: '0', HTTP_WORKERS: '1' }
const ROUND_MS = 15 * MINUTE_MS
const CALLS = 20

interface Options extends Target {
  sites: number
  sessions: number
}

const takeTeam = query<{ firstSite: number }>(
  'bench-take-sites',
  `update sites set team_id = (select id from teams where name = 'Benchmark')
  where site_no >= :firstSite::int and site_no < :firstSite::int + 10`,
)

const deleteSite = query<{ siteNo: number; at: Date }>(
  'bench-delete-site',
  'update sites set deleted_at = :at::timestamptz where site_no = :siteNo::int',
)

const isPurged = query<{ siteNo: number }, { isPurged: boolean }>(
  'bench-is-purged',
  'select purged_at is not null or domain = \'\' as "isPurged" from sites where site_no = :siteNo::int',
)

const command = benchCommand('sites', 'measures what many sites cost, of which few are active')
  .addOption(numberOption('--sites <count>', 'sites, ten to a team', [1_000, 100_000]).default(10_000))
  .addOption(numberOption('--sessions <count>', 'of all sites', [10_000, 100_000_000]).default(5_000_000))
  .parse()

await withCleanup(async () => {
  const { sites, sessions, ...target } = command.opts<Options>()
  if (target.data === undefined) throw new Error('say where to: --data postgres://…')
  const rows: [string, string][] = []
  const note = (what: string, value: number, unit: string) => rows.push([what, `${figure(value)} ${unit}`])

  const empty = await start(target)
  note('start, without sites', empty.seconds, 's')
  note('memory of an HTTP worker, without sites', empty.mib, 'MiB')
  const { db } = empty.service
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const filling = performance.now()
  const filled = await fillSites(db, { sites, sessions, today })
  note('filling', secondsSince(filling), 's')
  await takeTeam(db, { firstSite: filled.first })

  // Times lie ahead of the clock: rounds follow each other at once.
  let now = new Date(today + 6 * 60 * MINUTE_MS)
  const past = await runRound(db, now)
  note('first refresh of all aggregates', past.aggregates, 's')
  note('first rollups of all sites', past.rollups, 's')
  for (const active of [0, 10, 100, 1_000]) {
    const [start, end] = [new Date(now.getTime() - 14 * MINUTE_MS), new Date(now.getTime() - MINUTE_MS)]
    if (active > 0) await addSessions(db, filled, { sites: active, count: active * 10, start, end })
    now = new Date(now.getTime() + 2 * ROUND_MS)
    const round = await runRound(db, now)
    note(`round with ${active} active sites: aggregates`, round.aggregates, 's')
    note(`round with ${active} active sites: rollups`, round.rollups, 's')
  }

  const full = await start(target)
  note('start', full.seconds, 's')
  note('memory of an HTTP worker', full.mib, 'MiB')
  const times: number[] = []
  for (let call = 0; call < CALLS; call++) {
    const startedAt = performance.now()
    await full.service.api('GET', '/api/sites')
    times.push(performance.now() - startedAt)
  }
  note('list of a team with ten sites', median(times), 'ms')

  const siteNo = filled.last
  await deleteSite(db, { siteNo, at: new Date(now.getTime() - DAY_MS) })
  const purging = performance.now()
  for (let isDone = false; !isDone; ) {
    await purgeDeletedSites(db, now)
    await runRound(db, now)
    isDone = (await isPurged(db, { siteNo }))[0]!.isPurged
  }
  note('purge of a site', secondsSince(purging), 's')
  const title = `${sites} sites, ${figure(sessions)} sessions`
  process.stdout.write(`${machineLine(new Date())}\n${title}\n\n${formatTable(['what', 'figure'], rows)}\n`)
})

async function start(target: Target): Promise<{ service: BenchService; seconds: number; mib: number }> {
  const startedAt = performance.now()
  const service = await startService(target, SETTINGS)
  const seconds = secondsSince(startedAt)
  return { service, seconds, mib: Math.max(...(memoryOf(service.pid, {}).get('http') ?? [])) }
}
