import type { Session } from './session.ts'

/** A table is analysed anew when it has grown by half since, and by more than a few pages. */
const GROWTH = 1.5
const FEW_PAGES = 8
/** From so many columns on the sample is a tenth: 100 rows times the target are read, and each column of them is sorted. */
const WIDE_COLUMNS = 20
const WIDE_TARGET = 10
const TARGET = 100

/** Names of tables as SQL has them; those that were never analysed first, then the largest. */
const GROWN = `select format('%I.%I', nspname, relname)
  from (
    select nspname, relname, relpages, reltuples, pg_relation_size(pg_class.oid) / 8192 as pages
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'r' and relpersistence = 'p' and nspname not in ('pg_catalog', 'information_schema')
  ) as sized
  where pages > 0 and (reltuples < 0 or pages > ${GROWTH} * relpages + ${FEW_PAGES})
  order by reltuples >= 0, pages desc`

/** Each hypertable, and how many rows its chunks have as far as is known. */
const HYPERTABLES = `select format('%s %I.%I', coalesce(sum(chunk.reltuples) filter (where chunk.reltuples > 0), 0),
    schema_name, table_name)
  from _timescaledb_catalog.hypertable
  join pg_inherits on inhparent = to_regclass(format('%I.%I', schema_name, table_name))
  join pg_class as chunk on chunk.oid = inhrelid
  group by schema_name, table_name`

/**
 * What the planner knows of tables. Without it a fresh chunk of 50,000 hits counts as a handful of rows, and plans that are
 * good for those run for minutes.
 */
export class Statistics {
  private readonly session: Session
  private due: string[] = []
  /** Rows of each hypertable when it was analysed. */
  private readonly known = new Map<string, number>()

  constructor(session: Session) {
    this.session = session
  }

  /** Finds tables that are new or have grown. In a turn. */
  look(): void {
    this.due = [...new Set([...this.due, ...this.session.query(GROWN)])]
  }

  /** A table that was written to is due, whether it has grown or not. */
  add(table: string): void {
    if (!this.due.includes(table)) this.due.push(table)
  }

  /**
   * Analyses one table. In a turn; takes up to 0.1 s of it, whatever the size: only a sample is read.
   * @returns false when none was due
   */
  analyseOne(): boolean {
    const table = this.due.shift()
    if (table === undefined) return this.analyseHypertable()
    this.analyse(table)
    return true
  }

  /** A hypertable by itself: TimescaleDB would analyse all its chunks with it, in one statement. */
  private analyseHypertable(): boolean {
    for (const row of this.session.query(HYPERTABLES)) {
      const [rows, table] = [Number(row.slice(0, row.indexOf(' '))), row.slice(row.indexOf(' ') + 1)]
      if (rows <= GROWTH * (this.known.get(table) ?? 0)) continue
      this.known.set(table, rows)
      this.analyse(table, 'set local timescaledb.restoring = on;')
      return true
    }
    return false
  }

  private analyse(table: string, first = ''): void {
    const name = `'${table.replaceAll("'", "''")}'`
    // Dropped since it was listed: nothing to do.
    const columns = `select count(*) from pg_attribute where attrelid = to_regclass(${name}) and attnum > 0`
    const [count] = this.session.query(columns)
    if (Number(count) === 0) return
    const target = Number(count) >= WIDE_COLUMNS ? WIDE_TARGET : TARGET
    try {
      this.session.query(
        `begin; ${first} set local default_statistics_target = ${target}; analyze ${table}; commit`,
      )
    } catch (error) {
      this.session.query('rollback')
      throw error
    }
  }
}
