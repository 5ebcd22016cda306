import { connectDb, type Db } from '../../src/platform/db/connect.ts'

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

export function connectPools(databaseUrl: string): Pools {
  return {
    hits: connectDb(databaseUrl, { max: 6, name: 'analytics-ingest', pool: 'ingest' }),
    replays: connectDb(databaseUrl, { max: 2, name: 'analytics-replays', pool: 'replays' }),
    jobs: connectDb(databaseUrl, { max: 2, name: 'analytics-jobs', pool: 'jobs' }),
    imports: connectDb(databaseUrl, { max: 3, name: 'analytics-imports', pool: 'imports' }),
    webhooks: connectDb(databaseUrl, { max: 4, name: 'analytics-webhooks', pool: 'webhooks' }),
  }
}

export async function endPools(pools: Pools): Promise<void> {
  await Promise.all(Object.values(pools).map((pool: Db) => pool.end({ timeout: 2 })))
}
