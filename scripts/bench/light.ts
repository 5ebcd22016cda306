import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '../../src/platform/config/config.ts'
import { connectDb } from '../../src/platform/db/connect.ts'
import { databaseUrl } from '../../src/platform/embedded/paths.ts'
import { DAY_MS } from '../../src/platform/lib/time.ts'
import { secondsSince } from '../progress.ts'
import { answersAt, freePort, type StartedProcess, startProgram } from './child.ts'
import { benchCommand, numberOption, onEnd, withCleanup } from './command.ts'
import { fillSites } from './many-sites.ts'
import { type Memory, memoryOf, usageOf, usedBetween } from './processes.ts'
import { isEmbedded, type Target } from './service.ts'
import { figure, formatTable, loadLine, machineLine } from './table.ts'

// What the service takes when nobody uses it: memory and CPU of each process, and the time of a start.

interface Options extends Target {
  workers?: number
  sites: number
  starts: number
  idle: number
  against?: string
}

/** After this time, each job of a new ingest process has run once. */
const SETTLE_MS = 20_000

const command = benchCommand(
  'light',
  'measures memory and CPU of an idle service, and how long it takes to start',
)
  .addOption(numberOption('--workers <count>', 'HTTP workers; default: as the service decides', [1, 256]))
  .addOption(numberOption('--sites <count>', 'sites, ten to a team', [0, 100_000]).default(0))
  .addOption(numberOption('--starts <count>', 'starts; the fastest counts', [1, 50]).default(5))
  .addOption(numberOption('--idle <seconds>', 'how long the idle service is watched', [5, 600]).default(60))
  .option('--against <folder>', 'another version of this project, built, which starts in turn with this one')
  .parse()

/** A version of the service with data of its own. */
interface Version {
  name: string
  folder: string
  data: string
  /** Seconds of each start; the first one of an embedded database makes it. */
  starts: number[]
}

await withCleanup(async () => {
  const options = command.opts<Options>()
  process.stdout.write(`${machineLine(new Date())}\n`)
  const folders = [projectRoot, ...(options.against ? [resolve(options.against)] : [])]
  const versions = folders.map((folder, index): Version => {
    const isGiven = index === 0 && options.data !== undefined && isEmbedded(options)
    const data = isGiven ? resolve(options.data!) : mkdtempSync(join(tmpdir(), 'analytics-bench-'))
    if (!isGiven) onEnd(() => rmSync(data, { recursive: true, force: true }))
    return { name: index === 0 ? 'this' : 'other', folder, data, starts: [] }
  })
  // The first start of each makes its data; sites are made in it.
  for (let start = 0; start <= options.starts; start++) {
    for (const version of versions) {
      const { service, seconds } = await startVersion(version, options)
      version.starts.push(seconds)
      if (start === 0) await makeSites(version, options)
      await service.stop()
    }
  }
  const starts = versions.map(({ name, starts: [first, ...later] }) => [
    name,
    figure(first),
    figure(Math.min(...later)),
    figure(Math.max(...later)),
  ])
  process.stdout.write(`\n${formatTable(['seconds to /readyz', 'first', 'fastest', 'slowest'], starts)}\n`)
  for (const version of versions) {
    const { service } = await startVersion(version, options)
    process.stdout.write(`\n${await idleTable(version.name, service.pid, options.idle)}\n`)
    await service.stop()
  }
  process.stdout.write(`\n${loadLine()} at the end\n`)
})

async function startVersion(
  { folder, data }: Version,
  options: Options,
): Promise<{ service: StartedProcess; seconds: number }> {
  const port = await freePort()
  const startedAt = performance.now()
  const service = await startProgram({
    script: join(folder, 'dist/workers/primary.js'),
    settings: {
      PORT: String(port),
      DATA_DIR: data,
      LOG_LEVEL: 'warn',
      SITES_PER_TEAM: '100000',
      SECRET_KEY: randomBytes(32).toString('hex'),
      ...(!isEmbedded(options) && { DATABASE_URL: options.data! }),
      ...(options.redis && { REDIS_URL: options.redis }),
      ...(options.workers && { HTTP_WORKERS: String(options.workers) }),
    },
    isReady: () => answersAt(`http://127.0.0.1:${port}/readyz`),
  })
  return { service, seconds: secondsSince(startedAt) }
}

async function makeSites({ data }: Version, options: Options): Promise<void> {
  if (options.sites === 0) return
  const db = connectDb(isEmbedded(options) ? databaseUrl(data) : options.data!, {
    max: 1,
    name: 'analytics bench',
  })
  // They begin now: older ones would first have their days rolled up.
  await fillSites(db, { sites: options.sites, sessions: 0, today: Date.now() + 2 * DAY_MS })
  await db.end({ timeout: 2 })
}

/** Watches an idle service; its processes are sorted by memory. */
async function idleTable(name: string, pid: number, seconds: number): Promise<string> {
  await sleep(SETTLE_MS)
  const memory = memoryOf(pid, {})
  const before = usageOf(pid)
  await sleep(seconds * 1_000)
  const used = usedBetween(before, usageOf(pid))
  const percent = (role: string) => (100 * (used.get(role) ?? 0)) / seconds
  const sum = (of: keyof Memory) => [...memory.values()].flat().reduce((all, each) => all + each[of], 0)
  const rows = [...memory].map(([role, processes]) => [
    role,
    processes.map(({ mib }) => figure(mib)).join(' + '),
    processes.map(({ privateMib }) => figure(privateMib)).join(' + '),
    percent(role).toFixed(2),
  ])
  const cpu = [...used.values()].reduce((all: number, each) => all + each, 0)
  const total = ['all', figure(sum('mib')), figure(sum('privateMib')), ((100 * cpu) / seconds).toFixed(2)]
  return formatTable([`${name}, idle`, 'PSS, MiB', 'of it its own', 'CPU, % of a core'], [...rows, total])
}
