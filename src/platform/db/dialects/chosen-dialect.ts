import { CITUS } from './citus.ts'
import type { Dialect } from './dialect.ts'
import { TIMESCALEDB } from './timescaledb.ts'

export type { Dialect } from './dialect.ts'

const DIALECTS: Record<Dialect['name'], Dialect> = { timescaledb: TIMESCALEDB, citus: CITUS }

/** Threads and child processes inherit it: only the process that starts them asks the server. */
const VARIABLE = 'DATABASE_DIALECT'

/** Returns what differs on the server of this process. TimescaleDB until `useDialect` was called here or in the parent process. */
export const dialect = (): Dialect => (process.env[VARIABLE] === 'citus' ? CITUS : TIMESCALEDB)

/** Says which database this process and those that it starts work with. */
export function useDialect(name: Dialect['name']): Dialect {
  process.env[VARIABLE] = name
  return DIALECTS[name]
}
