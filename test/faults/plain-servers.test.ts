// @module-tag full
// @needs postgres pgbouncer
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectDb, type Db } from '../../src/platform/db/connect.ts'
import { createReplicas } from '../../src/platform/db/replicas.ts'
import { unreplicatedCommits } from '../../src/platform/db/unreplicated.ts'
import type { Position } from '../../src/platform/db/wal-position.ts'
import { silentLog } from '../support/log.ts'
import { type PgBouncer, pgbouncer } from '../support/pgbouncer.ts'
import { type PostgresPair, postgresPair } from '../support/postgres-pair.ts'
import { eventually } from '../support/service.ts'

// How the service connects to servers and chooses between them needs no TimescaleDB: Debian's PostgreSQL shows it. The whole service on
// such servers is in the files standby, database-failover and pgbouncer.

/** A pair of servers for the tests of a `describe`, and pools that are closed with it. */
function servers() {
  const pools: Db[] = []
  const all = {
    pair: undefined as unknown as PostgresPair,
    open(url: string, options: Partial<Parameters<typeof connectDb>[1]> = {}): Db {
      pools.push(connectDb(url, { max: 2, name: 'test', ...options }))
      return pools.at(-1)!
    },
  }
  beforeAll(async () => {
    all.pair = await postgresPair({ hasTimescale: false })
  })
  afterAll(async () => {
    await Promise.all(pools.map(db => db.end({ timeout: 5 })))
    await all.pair?.close()
  })
  return all
}

describe('a primary and a standby', () => {
  const all = servers()
  let primary: Db
  let standby: Db
  beforeAll(async () => {
    ;[primary, standby] = [all.open(all.pair.primaryUrl), all.open(all.pair.standbyUrl)]
    await primary`create table counted (number int)`
  })

  test('reads go to the standby, and to the primary while the standby has not replayed what was written or stands still', async () => {
    const seen = new Map<number, Position>()
    const replicas = createReplicas<string>({
      primary,
      replicas: [{ db: standby, source: 'standby' }],
      seen: {
        of: async siteNo => seen.get(siteNo) ?? 0n,
        raise: async (siteNo, position) => void seen.set(siteNo, position),
      },
      maxLagMs: 1_000,
      log: silentLog,
      now: () => performance.now(),
    })
    const answeredBy = (siteNo: number) =>
      replicas.read(
        siteNo,
        async source => source ?? 'primary',
        () => undefined,
      )
    await eventually(async () => (await answeredBy(1)) === 'standby')
    await standby`select pg_wal_replay_pause()`
    try {
      await primary.begin(async transaction => {
        await transaction`set local synchronous_commit = local`
        await transaction`insert into counted values (1)`
      })
      await replicas.note(1)
      expect(await answeredBy(1)).toBe('primary')
      await eventually(async () => (await answeredBy(2)) === 'primary')
    } finally {
      await standby`select pg_wal_replay_resume()`
    }
    await eventually(async () => (await answeredBy(1)) === 'standby')
  })

  test('a commit whose wait for the standby is cancelled is counted as unreplicated', async () => {
    const before = unreplicatedCommits()
    const storing = all.open(all.pair.primaryUrl, { name: 'storing' })
    await all.pair.withoutReplication(async () => {
      const commit = storing`insert into counted values (2)`.execute()
      await eventually(async () => {
        const cancelled = await primary`
          select pg_cancel_backend(pid) from pg_stat_activity
          where wait_event = 'SyncRep' and application_name = 'storing'`
        return cancelled.length > 0
      })
      await commit
    })
    expect(unreplicatedCommits()).toBe(before + 1)
  })

  describe('behind PgBouncer in transaction mode', () => {
    let bouncer: PgBouncer
    beforeAll(async () => {
      bouncer = await pgbouncer(all.pair.primaryUrl)
    })
    afterAll(() => bouncer?.close())

    test('sessions have the settings of their pool, before and after PgBouncer crashes', async () => {
      const pools = (['http', 'reads', undefined] as const).map(pool =>
        all.open(bouncer.url, { max: 1, ...(pool && { pool }) }),
      )
      const timeouts = () =>
        Promise.all(
          pools.map(async db => (await db`select current_setting('statement_timeout') as value`)[0]!.value),
        )
      expect(await timeouts()).toEqual(['15s', '9s', '0'])
      await bouncer.crash()
      await eventually(() =>
        timeouts().then(
          values => values.join() === '15s,9s,0',
          () => false,
        ),
      )
    })
  })
})

test('when the primary is gone, connections follow the promoted standby, which has each commit that was answered', async () => {
  const pair = await postgresPair({ hasTimescale: false })
  const db = connectDb(pair.url, { max: 2, name: 'test' })
  try {
    await db`create table counted (number int)`
    const answered: number[] = []
    const insert = async (number: number) => {
      await db`insert into counted values (${number})`
      answered.push(number)
    }
    for (let number = 1; number <= 50; number++) await insert(number)
    await pair.killPrimary()
    await expect(insert(51)).rejects.toThrow()
    await pair.promote()
    await eventually(() =>
      insert(52).then(
        () => true,
        () => false,
      ),
    )
    const stored = await db<{ number: number }[]>`select number from counted order by number`
    const numbers = stored.map(row => row.number)
    // 51 may have reached the standby before its answer was lost.
    expect(numbers.filter(number => number !== 51 || answered.includes(51))).toEqual(answered)
  } finally {
    await db.end({ timeout: 5 })
    await pair.close()
  }
})
