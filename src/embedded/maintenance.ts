import type { Log } from './log.ts'
import type { Session } from './session.ts'
import { Statistics } from './statistics.ts'

/** How often it is looked whether there is something to do; milliseconds. */
const TICK_MS = 5_000
/** A checkpoint is due after so much write-ahead log: as much must be replayed after a crash. */
const CHECKPOINT_BYTES = 64 * 1024 * 1024
/** A round of VACUUM is due after so many transactions. */
const VACUUM_TRANSACTIONS = 20_000
/** What none of it takes on a disk that answers. */
const LONGEST_MS = 600_000
/** After which a tick begins no further work; milliseconds. */
const TICK_BUDGET_MS = 2_000

const WAL_BYTES = 'select (pg_current_wal_insert_lsn() - redo_lsn)::bigint from pg_control_checkpoint()'
const NEXT_TRANSACTION = 'select pg_snapshot_xmax(pg_current_snapshot())'
const TABLES = `select format('%I.%I', nspname, relname)
  from pg_class join pg_namespace n on n.oid = relnamespace
  where relkind = 'r' and relpersistence = 'p' and nspname <> 'information_schema' order by 1`

/**
 * What the background processes of a server do, which do not exist in the module: without checkpoints the
 * write-ahead log grows for ever, without VACUUM the tables do, and without statistics plans are guesses. Nothing counts
 * dead rows either, so every table is visited; pages that have not changed since are skipped by VACUUM itself.
 */
export class Maintenance {
  private readonly session: Session
  private readonly log: Log
  private readonly timer: NodeJS.Timeout
  private readonly statistics: Statistics
  private vacuumedAt = 0
  private toVacuum: string[] = []
  private isBusy = false

  constructor(session: Session, log: Log) {
    this.session = session
    this.log = log
    this.statistics = new Statistics(session)
    this.timer = setInterval(() => void this.tick(), TICK_MS).unref()
  }

  /** A checkpoint if one is due, what has to be analysed, and a part of a round of VACUUM: a turn of the clients' for each table. */
  async tick(): Promise<void> {
    if (this.isBusy) return
    this.isBusy = true
    try {
      const end = performance.now() + TICK_BUDGET_MS
      await this.inTurn(() => this.checkpoint(CHECKPOINT_BYTES))
      await this.inTurn(() => this.statistics.look())
      let isMore = true
      while (isMore && performance.now() < end) {
        isMore = await this.inTurn(() => this.statistics.analyseOne() || this.vacuumOne())
      }
    } catch (error) {
      this.log.warn({ err: error }, 'database maintenance failed')
    } finally {
      this.isBusy = false
    }
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private async inTurn<Result>(run: () => Result): Promise<Result> {
    await this.session.acquire()
    try {
      return this.session.allowing('maintenance', LONGEST_MS, run)
    } finally {
      this.session.release()
    }
  }

  private checkpoint(dueBytes: number): void {
    if (Number(this.session.query(WAL_BYTES)[0]) >= dueBytes) this.session.query('checkpoint')
  }

  /** @returns false when no round is due */
  private vacuumOne(): boolean {
    if (this.toVacuum.length === 0) {
      const next = Number(this.session.query(NEXT_TRANSACTION)[0])
      if (next - this.vacuumedAt < VACUUM_TRANSACTIONS) return false
      this.vacuumedAt = next
      this.toVacuum = this.session.query(TABLES)
    }
    const table = this.toVacuum.pop()!
    // Dropped since the list was made: nothing to do.
    if (this.session.query(`select to_regclass('${table.replaceAll("'", "''")}')`)[0] === '') return true
    this.session.query(`vacuum ${table}`)
    this.statistics.add(table)
    return true
  }
}
