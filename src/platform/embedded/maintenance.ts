import type { Log } from './server-log.ts'
import type { Session } from './session.ts'
import { Statistics } from './statistics.ts'

/** Interval between two checks for due work; milliseconds. */
const TICK_MS = 5_000
/** Write-ahead log after which a checkpoint is due; a restart after a crash replays up to this much. */
const CHECKPOINT_BYTES = 64 * 1024 * 1024
/** Number of transactions after which a round of VACUUM is due. */
const VACUUM_TRANSACTIONS = 20_000
/** Time limit of a maintenance statement; no statement takes this long on a working disk. */
const LONGEST_MS = 600_000
/** A tick starts no further work after this time; milliseconds. */
const TICK_BUDGET_MS = 2_000

const WAL_BYTES = 'select (pg_current_wal_insert_lsn() - redo_lsn)::bigint from pg_control_checkpoint()'
const NEXT_TRANSACTION = 'select pg_snapshot_xmax(pg_current_snapshot())'
const TABLES = `select format('%I.%I', nspname, relname)
  from pg_class join pg_namespace n on n.oid = relnamespace
  where relkind = 'r' and relpersistence = 'p' and nspname <> 'information_schema' order by 1`

/**
 * Does the work of a server's background processes, which the module does not have: without checkpoints the
 * write-ahead log grows for ever, without VACUUM the tables do, and without statistics plans are guesses. The module does
 * not count dead rows either, so VACUUM visits every table; it skips pages that have not changed since the last round.
 */
export class Maintenance {
  private readonly session: Session
  private readonly log: Log
  private readonly timer: NodeJS.Timeout
  private readonly statistics: Statistics
  /** Bytes of the write-ahead log at the last tick. */
  private logBytes = ''
  /** Whether the last tick has left tables. */
  private isMore = true
  private vacuumedAt = 0
  private toVacuum: string[] = []
  private isBusy = false

  constructor(session: Session, log: Log) {
    this.session = session
    this.log = log
    this.statistics = new Statistics(session)
    this.timer = setInterval(() => void this.tick(), TICK_MS).unref()
  }

  /**
   * Runs a due checkpoint, then ANALYZE and VACUUM for some tables. Each table has its own turn, so clients can run between. It looks for
   * tables only when something was written since the last tick, or that one has left some.
   */
  async tick(): Promise<void> {
    if (this.isBusy) return
    this.isBusy = true
    try {
      const end = performance.now() + TICK_BUDGET_MS
      const isWritten = await this.inTurn(() => this.checkpoint(CHECKPOINT_BYTES))
      if (!isWritten && !this.isMore) return
      this.isMore = true
      await this.inTurn(() => this.statistics.look())
      while (this.isMore && performance.now() < end) {
        this.isMore = await this.inTurn(() => this.statistics.analyseOne() || this.vacuumOne())
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

  /** @returns whether anything was written since the call before */
  private checkpoint(dueBytes: number): boolean {
    const bytes = this.session.query(WAL_BYTES)[0]!
    const isWritten = bytes !== this.logBytes
    this.logBytes = bytes
    if (Number(bytes) >= dueBytes) this.session.query('checkpoint')
    return isWritten
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
    // The table was dropped after the list was made.
    if (this.session.query(`select to_regclass('${table.replaceAll("'", "''")}')`)[0] === '') return true
    this.session.query(`vacuum ${table}`)
    this.statistics.add(table)
    return true
  }
}
