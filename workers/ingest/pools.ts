import { connectDb, type Db } from '../../src/db/connect.ts'

/** Connections of an ingest process. What may take long never takes one that hits wait for. */
export interface Pools {
  hits: Db
  replays: Db
  /** For jobs of the scheduler, and for the daily export. */
  jobs: Db
  /** For files, and for the past of payment processors. */
  imports: Db
  /** A slow receiver holds no connection, and long jobs do not delay messages. */
  webhooks: Db
}

const IDLE = { idle_in_transaction_session_timeout: '30s' }

export function connectPools(databaseUrl: string): Pools {
  return {
    hits: connectDb(databaseUrl, {
      max: 6,
      name: 'analytics-ingest',
      // Without these limits a consumer that hangs or has crashed would keep the lock of its partition and block the others.
      settings: {
        ...IDLE,
        tcp_keepalives_idle: '10',
        tcp_keepalives_interval: '5',
        tcp_keepalives_count: '3',
      },
    }),
    replays: connectDb(databaseUrl, { max: 2, name: 'analytics-replays', settings: IDLE }),
    jobs: connectDb(databaseUrl, {
      max: 2,
      name: 'analytics-jobs',
      settings: { ...IDLE, statement_timeout: '10min' },
    }),
    imports: connectDb(databaseUrl, {
      max: 3,
      name: 'analytics-imports',
      // Opening chunks of the columnstore for writing may take long.
      settings: { ...IDLE, statement_timeout: '0' },
    }),
    webhooks: connectDb(databaseUrl, {
      max: 4,
      name: 'analytics-webhooks',
      settings: { ...IDLE, statement_timeout: '1min' },
    }),
  }
}

export async function endPools(pools: Pools): Promise<void> {
  await Promise.all(Object.values(pools).map((pool: Db) => pool.end({ timeout: 2 })))
}
