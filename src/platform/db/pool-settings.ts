/** Settings that sessions of each pool of connections have, by their PostgreSQL names. */
type PoolSettings = Record<string, string>

const IDLE = { idle_in_transaction_session_timeout: '30s' }

/**
 * There are few statements, and they handle few rows: planning each call, JIT compilation or starting parallel workers takes longer than
 * the statement itself. A generic plan still selects the chunks at run time.
 */
const ROLLUP = {
  plan_cache_mode: 'force_generic_plan',
  max_parallel_workers_per_gather: '0',
  work_mem: '32MB',
  jit: 'off',
}

/** All pools whose sessions differ from others. Behind PgBouncer, each has an entry of its own. */
export const POOL_SETTINGS = {
  http: { statement_timeout: '15s' },
  reads: {
    // A caller gets an answer after at most ten seconds.
    statement_timeout: '9s',
    work_mem: '32MB',
    // The planner takes 8 kB for each array of a group before there is a row in it. Beyond this memory it sorts all hits by the text
    // of their value instead, which takes more than twice as long as hashing them.
    hash_mem_multiplier: '4',
    // JIT compilation of such statements takes longer than running them.
    jit: 'off',
    // On rows that were never analysed, the planner expects one or two rows in a list of sessions and compares every session
    // with every entry: 50,000 hits kept the embedded database busy for minutes. Statements that look up single rows by an
    // index use `lateral`.
    enable_nestloop: 'off',
  },
  lag: { statement_timeout: '2s' },
  /** Of a caller, who gets an answer after at most ten seconds. */
  rollup: { ...ROLLUP, statement_timeout: '9s' },
  /** Of the scheduler. */
  rollups: { ...ROLLUP, statement_timeout: '10min' },
  // Without these limits a consumer that hangs or has crashed would keep the lock of its partition and block the others.
  ingest: { ...IDLE, tcp_keepalives_idle: '10', tcp_keepalives_interval: '5', tcp_keepalives_count: '3' },
  replays: IDLE,
  jobs: { ...IDLE, statement_timeout: '10min' },
  // Opening chunks of the columnstore for writing may take long.
  imports: { ...IDLE, statement_timeout: '0' },
  webhooks: { ...IDLE, statement_timeout: '1min' },
  // A migration has no time limit, and the decompression of chunks during an import may take long: the default limit of the
  // embedded database would cancel them.
  commands: { statement_timeout: '0' },
} satisfies Record<string, PoolSettings>

export type PoolName = keyof typeof POOL_SETTINGS
