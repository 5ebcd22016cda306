import { setTimeout as sleep } from 'node:timers/promises'
import { purgeDeletedSites } from '../../src/outgoing/retention/purge-deleted-sites.ts'
import { applyRetention } from '../../src/outgoing/retention/retention-jobs.ts'
import { connectDb, type Db } from '../../src/platform/db/connect.ts'
import { checkDatabase, migrate } from '../../src/platform/db/migrate.ts'
import { DAY_MS, MINUTE_MS } from '../../src/platform/lib/time.ts'
import { OPEN_MS, readWatermark } from '../../src/storage/rollups/watermarks.ts'
import { secondsSince } from '../progress.ts'
import { onEnd } from './command.ts'
import { addSessions, fillSites, type ManySites, runRound } from './many-sites.ts'
import { memoryOf, type Usage, usageOf, usedBetween } from './processes.ts'
import { type BenchService, limitsFar, processesBeside, startService, type Target } from './service.ts'
import { bytesOfCachedSite, secondsToRefresh } from './site-cache.ts'
import {
  deleteSite,
  findActiveSites,
  isPurged,
  keepDetails,
  returnSites,
  takeSites,
} from './site-statements.ts'
import { median } from './table.ts'

/** Figures by what was measured, with its unit. */
export type SitesFigures = Map<string, number>

const SETTINGS = { ...limitsFar, INGEST_PROCESSES: '1', HTTP_WORKERS: '1', SITES_PER_TEAM: '100000' }
const ROUND_MS = 15 * MINUTE_MS
const CALLS = 20
/** Calls of a list of all sites, which takes long. */
const LONG_CALLS = 3
const STARTS = 3
/** Sites with traffic in one round. */
const ACTIVE_SITES = 100
/** Rounds without traffic; their median counts. */
const QUIET_ROUNDS = 5
/** After this time, the jobs of a new ingest process have run once. */
const SETTLE_MS = 20_000

/** Fills a database of its own next to that of the target, unless it is filled, and measures it. */
export async function measureSites(
  { data, redis }: Target,
  { sites, sessions, idleSeconds }: { sites: number; sessions: number; idleSeconds: number },
): Promise<SitesFigures> {
  const figures: SitesFigures = new Map()
  const own = await openDatabase(data!, sites)
  const { db } = own
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const filling = performance.now()
  const filled = await fillSites(db, { sites, sessions, today })
  if (filled.isNew) {
    figures.set('filling, s', secondsSince(filling))
    const past = await runRound(db, new Date(today + 6 * 60 * MINUTE_MS))
    figures.set('first refresh and rollups, s', past.aggregates + past.rollups)
  }
  const now = await measureRounds(db, filled, figures)
  const service = await measureStarts({ data: own.url, ...(redis && { redis }) }, figures)
  await measureIdle(service, idleSeconds, figures)
  await measureLists(service, filled, figures)
  figures.set('cached site, bytes', await bytesOfCachedSite(service))
  const active = await findActiveSites(db, { first: filled.first, last: filled.first + 999 })
  figures.set('look up 1,000 sites again, ms', 1_000 * (await secondsToRefresh(db, active)))
  await service.stop()
  await measurePurge(db, filled, now, figures)
  await measureRetention(db, now, figures)
  return figures
}

async function openDatabase(data: string, sites: number): Promise<{ url: string; db: Db }> {
  const url = new URL(data)
  url.pathname += `_${sites}`
  const name = decodeURIComponent(url.pathname.slice(1))
  const server = connectDb(data, { max: 1, name: 'analytics bench' })
  const existing = await server`select from pg_database where datname = ${name}`
  if (existing.length === 0) await server`create database ${server(name)}`
  await server.end()
  const db = connectDb(url.href, { max: 6, name: 'analytics bench' })
  onEnd(() => db.end({ timeout: 2 }))
  await checkDatabase(db)
  await migrate(db)
  return { url: url.href, db }
}

/**
 * Rounds of the scheduler without traffic, and with some. Times lie ahead of the clock: rounds follow each other at once.
 * @returns the time of the last round
 */
async function measureRounds(db: Db, filled: ManySites, figures: SitesFigures): Promise<Date> {
  const [state] = await readWatermark(db, { aggregate: 'daily_rollups' })
  let now = state!.watermark! + OPEN_MS + 2 * ROUND_MS
  const quiet: number[] = []
  for (let round = 0; round < QUIET_ROUNDS; round++) {
    now += ROUND_MS
    const { aggregates, rollups } = await runRound(db, new Date(now))
    quiet.push(aggregates + rollups)
  }
  figures.set('round without traffic, ms', 1_000 * median(quiet))
  const [start, end] = [new Date(now - 14 * MINUTE_MS), new Date(now - MINUTE_MS)]
  await addSessions(db, filled, { sites: ACTIVE_SITES, count: ACTIVE_SITES * 10, start, end })
  now += 2 * ROUND_MS
  const { aggregates, rollups } = await runRound(db, new Date(now))
  figures.set(`round with ${ACTIVE_SITES} active sites, ms`, 1_000 * (aggregates + rollups))
  return new Date(now)
}

/** @returns the service of the last start */
async function measureStarts(target: Target, figures: SitesFigures): Promise<BenchService> {
  const starts: { service: BenchService; seconds: number; used: Usage }[] = []
  for (let start = 0; start < STARTS; start++) {
    await starts.at(-1)?.service.stop()
    const startedAt = performance.now()
    const service = await startService(target, SETTINGS)
    starts.push({ service, seconds: secondsSince(startedAt), used: usageOf(service.pid) })
  }
  figures.set('start until /readyz, s', median(starts.map(({ seconds }) => seconds)))
  for (const role of ['primary', 'http']) {
    const used = starts.map(start => start.used.get(role) ?? Number.NaN)
    figures.set(`start, CPU of ${role}, s`, median(used))
  }
  return starts.at(-1)!.service
}

/** CPU of the idle service with its jobs, and its memory then. */
async function measureIdle(service: BenchService, seconds: number, figures: SitesFigures): Promise<void> {
  await sleep(SETTLE_MS)
  const usage = async () => usageOf(service.pid, await processesBeside(service))
  const before = await usage()
  await sleep(seconds * 1_000)
  const used = usedBetween(before, await usage())
  for (const role of ['http', 'ingest', 'redis', 'database']) {
    figures.set(`idle, CPU of ${role}, ms/s`, (1_000 * (used.get(role) ?? 0)) / seconds)
  }
  const memory = memoryOf(service.pid, {})
  for (const role of ['primary', 'http', 'ingest', 'redis']) {
    figures.set(`memory of ${role}, MiB`, Math.max(...(memory.get(role) ?? []).map(({ mib }) => mib)))
  }
}

async function measureLists(service: BenchService, filled: ManySites, figures: SitesFigures): Promise<void> {
  const { db } = service
  const all = filled.last - filled.first + 1
  const lists = [
    { name: 'list of a team with ten sites, ms', count: 10, calls: CALLS },
    { name: 'list of a team with 1,000 sites, ms', count: 1_000, calls: LONG_CALLS },
    { name: 'list of a team with all sites, ms', count: all, calls: LONG_CALLS },
  ]
  for (const { name, count, calls } of lists) {
    await takeSites(db, { first: filled.first, last: filled.first + count - 1 })
    const times: number[] = []
    for (let call = 0; call < calls; call++) {
      const startedAt = performance.now()
      await service.api('GET', '/api/sites')
      times.push(performance.now() - startedAt)
    }
    figures.set(name, median(times))
    await returnSites(db)
  }
}

/** Purges the newest site that is left. */
async function measurePurge(db: Db, filled: ManySites, now: Date, figures: SitesFigures): Promise<void> {
  const siteNo = filled.last
  await deleteSite(db, { siteNo, at: new Date(now.getTime() - DAY_MS) })
  let [deleting, refreshing] = [0, 0]
  for (let isDone = false; !isDone; ) {
    const startedAt = performance.now()
    await purgeDeletedSites(db, now)
    deleting += secondsSince(startedAt)
    const { aggregates, rollups } = await runRound(db, now)
    refreshing += aggregates + rollups
    isDone = (await isPurged(db, { siteNo }))[0]!.isPurged
  }
  figures.set('purge of a site: deletions, s', deleting)
  figures.set('purge of a site: aggregates, s', refreshing)
}

/** A round of retention when all sites limit their details, and none has old ones. */
async function measureRetention(db: Db, now: Date, figures: SitesFigures): Promise<void> {
  await keepDetails(db, { months: 12 })
  const times: number[] = []
  for (let round = 0; round < QUIET_ROUNDS; round++) {
    const startedAt = performance.now()
    await applyRetention(db, now)
    times.push(performance.now() - startedAt)
  }
  await keepDetails(db, { months: null })
  figures.set('round of retention, ms', median(times))
}
