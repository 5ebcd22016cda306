import { join } from 'node:path'
import { openGeo } from '../../src/ingestion/edge/geo.ts'
import { startRevenueImports } from '../../src/money/import/import-worker.ts'
import { startWebhooks } from '../../src/outgoing/notifications/webhooks/webhook-worker.ts'
import { DAILY_EXPORT, runDailyExport } from '../../src/outgoing/transfer/daily/run-daily.ts'
import { openTarget } from '../../src/outgoing/transfer/daily/target.ts'
import { startImportWorker } from '../../src/outgoing/transfer/imports/worker.ts'
import { uploadLimits } from '../../src/outgoing/transfer/read/limits.ts'
import { folderOfServers, hasEmbeddedDatabase } from '../../src/platform/embedded/addresses.ts'
import { createLease } from '../../src/platform/redis/lease.ts'
import { watchDisk } from '../../src/platform/runtime/disk.ts'
import { createPool } from '../../src/platform/threads/pool.ts'
import { createRefresher, REFRESHING } from '../../src/storage/rollups/keep-refreshed.ts'
import { runTask } from '../../src/storage/rollups/protocol.ts'
import { startScheduler } from '../../src/storage/rollups/scheduler.ts'
import { type BackgroundReads, createBackgroundReads } from './background-reads.ts'
import { jobsOf } from './jobs.ts'
import type { Parts, Running } from './parts.ts'

/** Runs what is done beside storing; each has a lease, so that one process of all hosts does it. */
export async function startBackground(parts: Parts): Promise<Running> {
  const reads = createBackgroundReads(parts)
  const running = [
    startJobs(parts, reads),
    startMessages(parts, reads),
    await startImports(parts),
    startRevenueImports({ ...parts, db: parts.pools.imports }),
    await startDailyExport(parts),
  ]
  return {
    async stop() {
      await Promise.all(running.map(each => each.stop()))
      await reads.close()
    },
  }
}

function startJobs(parts: Parts, reads: BackgroundReads): Running {
  const { config, databaseUrl, pools, redis, log, now, threads } = parts
  // A rollup handles whole days at once: its own thread keeps it from delaying hits.
  const pool = createPool({
    entry: threads.rollup,
    threads: 1,
    tasksPerThread: 4,
    // A server runs other statements at the same time. The embedded database runs nothing else meanwhile: 20 s at most.
    workerData: { databaseUrl, timeout: hasEmbeddedDatabase(config) ? '20s' : '10min' },
  })
  const scheduler = startScheduler({
    db: pools.jobs,
    redis,
    rollUp: day => runTask(pool, 'rollUpDay', day),
    lease: createLease(redis, 'scheduler'),
    refreshing: createLease(redis, REFRESHING),
    log,
    now,
    jobs: jobsOf(parts, reads),
  })
  return {
    async stop() {
      await scheduler.stop()
      await pool.close()
    },
  }
}

const startMessages = ({ pools, redis, config, log, now }: Parts, { services }: BackgroundReads): Running =>
  startWebhooks({
    db: pools.webhooks,
    lease: createLease(redis, 'webhooks'),
    patterns: services.patterns,
    config,
    log,
    now,
  })

async function startImports({ config, pools, redis, log, now }: Parts): Promise<Running> {
  const disk = watchDisk({ folder: folderOfServers(config), minFreeBytes: config.importMinFreeBytes })
  const db = pools.imports
  const refresher = createRefresher({ db, lease: createLease(redis, REFRESHING), log, now })
  const imports = startImportWorker({
    db,
    refresher,
    limits: uploadLimits(config),
    log,
    geo: await openGeo(config.geoipDatabase),
    now,
    batchHits: hasEmbeddedDatabase(config) ? 1_000 : 2_000,
    folder: join(config.dataDir, 'imports'),
    async requireFreeDisk() {
      if (disk.isShort()) throw new Error('the disk is nearly full: imports need twice MIN_FREE_DISK')
    },
  })
  return {
    async stop() {
      disk.stop()
      await imports.stop()
      await refresher.stop()
    },
  }
}

async function startDailyExport({ config, pools, redis, log, now }: Parts): Promise<Running> {
  if (!config.exportTo) return { stop: async () => {} }
  const stop = runDailyExport({
    db: pools.jobs,
    target: await openTarget(config.exportTo),
    workFolder: join(config.dataDir, 'exports'),
    lease: createLease(redis, DAILY_EXPORT),
    log,
    now,
  })
  return { stop }
}
