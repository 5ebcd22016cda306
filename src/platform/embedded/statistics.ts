import type { Session } from './session.ts'

/** A table is analysed again when it has grown by half and by more than 8 pages. */
const GROWTH = 1.5
const FEW_PAGES = 8
/**
 * Tables with at least this many columns get a tenth of the sample: ANALYZE reads 300 rows times the target and sorts the sample
 * once for each column.
 */
const WIDE_COLUMNS = 20
const WIDE_TARGET = 10
const TARGET = 100

/** Quoted names of the tables to analyse: first the tables that were never analysed, then the largest. */
const GROWN = `select format('%I.%I', nspname, relname)
  from (
    select nspname, relname, relpages, reltuples, pg_relation_size(pg_class.oid) / 8192 as pages
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'r' and relpersistence = 'p' and nspname not in ('pg_catalog', 'information_schema')
  ) as sized
  where pages > 0 and (reltuples < 0 or pages > ${GROWTH} * relpages + ${FEW_PAGES})
  order by reltuples >= 0, pages desc`

/** Each hypertable with the estimated row count of its analysed chunks. */
const HYPERTABLES = `select format('%s %I.%I', coalesce(sum(chunk.reltuples) filter (where chunk.reltuples > 0), 0),
    schema_name, table_name)
  from _timescaledb_catalog.hypertable
  join pg_inherits on inhparent = to_regclass(format('%I.%I', schema_name, table_name))
  join pg_class as chunk on chunk.oid = inhrelid
  group by schema_name, table_name`

/**
 * Keeps the planner's statistics current. Without them the planner estimates a handful of rows for a new chunk of 50,000 hits,
 * and a plan that suits so few rows runs for minutes.
 */
export class Statistics {
  private readonly session: Session
  private due: string[] = []
  /** Rows of each hypertable when it was analysed. */
  private readonly known = new Map<string, number>()

  constructor(session: Session) {
    this.session = session
  }

  /** Finds tables that are new or have grown. Call it only during a turn. */
  look(): void {
    this.due = [...new Set([...this.due, ...this.session.query(GROWN)])]
  }

  /** Marks a table as due, even when it has not grown. */
  add(table: string): void {
    if (!this.due.includes(table)) this.due.push(table)
  }

  /**
   * Analyses one table. Call it only during a turn. Takes up to 0.1 s for any table size, because it reads only a sample.
   * @returns false when no table was due
   */
  analyseOne(): boolean {
    const table = this.due.shift()
    if (table === undefined) return this.analyseHypertable()
    this.analyse(table)
    return true
  }

  /** Analyses a hypertable without its chunks; by default TimescaleDB analyses all its chunks in the same statement. */
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
    // No columns: the table was dropped after it was listed.
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
