import type { Log } from './log.ts'
import type { Session } from './session.ts'

/** How often it is looked whether there is something to do; milliseconds. */
const TICK_MS = 5_000
/** A checkpoint is due after so much write-ahead log: as much must be replayed after a crash. */
const CHECKPOINT_BYTES = 64 * 1024 * 1024
/** A round of VACUUM is due after so many transactions. */
const VACUUM_TRANSACTIONS = 20_000
/** What a tick may take of the session for VACUUM; a single large table can exceed it. Milliseconds. */
const VACUUM_BUDGET_MS = 100

const WAL_BYTES = 'select (pg_current_wal_insert_lsn() - redo_lsn)::bigint from pg_control_checkpoint()'
const NEXT_TRANSACTION = 'select pg_snapshot_xmax(pg_current_snapshot())'
const TABLES = `select format('%I.%I', nspname, relname)
  from pg_class join pg_namespace n on n.oid = relnamespace
  where relkind = 'r' and relpersistence = 'p' and nspname <> 'information_schema' order by 1`

/**
 * What the background processes of a server do, which do not exist in the module: without checkpoints the
 * write-ahead log grows for ever, without VACUUM the tables do. There are no statistics of dead rows
 * either, so every table is visited; pages that have not changed since are skipped by VACUUM itself.
 */
export class Maintenance {
  private readonly session: Session
  private readonly log: Log
  private readonly timer: NodeJS.Timeout
  private vacuumedAt = 0
  private toVacuum: string[] = []
  private isBusy = false

  constructor(session: Session, log: Log) {
    this.session = session
    this.log = log
    this.timer = setInterval(() => void this.tick(), TICK_MS).unref()
  }

  /** In its turn among the clients: a checkpoint if one is due, and a part of a round of VACUUM. */
  async tick(): Promise<void> {
    if (this.isBusy) return
    this.isBusy = true
    await this.session.acquire()
    try {
      this.session.useSettings('')
      this.checkpoint(CHECKPOINT_BYTES)
      this.vacuum()
    } catch (error) {
      this.log.warn({ err: error }, 'database maintenance failed')
    } finally {
      this.isBusy = false
      this.session.release()
    }
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private checkpoint(dueBytes: number): void {
    if (Number(this.session.query(WAL_BYTES)[0]) >= dueBytes) this.session.query('checkpoint')
  }

  private vacuum(): void {
    if (this.toVacuum.length === 0) {
      const next = Number(this.session.query(NEXT_TRANSACTION)[0])
      if (next - this.vacuumedAt < VACUUM_TRANSACTIONS) return
      this.vacuumedAt = next
      this.toVacuum = this.session.query(TABLES)
    }
    const end = performance.now() + VACUUM_BUDGET_MS
    while (this.toVacuum.length > 0 && performance.now() < end) {
      const table = this.toVacuum.pop()!
      // Dropped since the list was made: nothing to do.
      if (this.session.query(`select to_regclass('${table.replaceAll("'", "''")}')`)[0] === '') continue
      this.session.query(`vacuum (analyze) ${table}`)
    }
  }
}
