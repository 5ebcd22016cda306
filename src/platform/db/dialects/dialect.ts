import type { PoolName } from '../pool-settings.ts'
import type { Db, Queryable } from '../queryable.ts'

/** What differs between TimescaleDB and Citus. Nothing else in the code may ask which of them the server has. */
export interface Dialect {
  name: 'timescaledb' | 'citus'
  /**
   * Checks that the extension can be used, and creates it where that is all that is missing.
   * @throws Error that says what is missing and how to get it
   */
  checkExtension(db: Db): Promise<void>
  /** @throws Error when a restore has left the database incomplete */
  requireWhole(db: Queryable): Promise<void>
  /** SQL that runs before the first migration of an empty database; undefined for none. */
  beforeMigrations(): string | undefined
  /** Returns what runs for a migration, whose text is written for TimescaleDB. */
  migration(name: string, text: string): string[]
  /** Returns the text of a statement that must be another one here; undefined where the common one will do. */
  statement(name: string): string | undefined
  /**
   * Returns the sites whose rows are on a server that does not answer, while `db` does. Takes as long as connecting to such a server.
   */
  unreachableSites(db: Db): Promise<number[]>
  /**
   * Returns the settings of the sessions of a pool.
   * @param settings those that do not depend on the database
   */
  sessionSettings(settings: Record<string, string>, pool?: PoolName): Record<string, string>
  /** Returns the error of a COPY with its SQLSTATE, also where the server leaves it out. */
  copyError(error: unknown): unknown
}
