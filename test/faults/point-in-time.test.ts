// @module-tag full
// @needs timescaledb
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { connectDb } from '../../src/platform/db/connect.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { documentedCommands } from '../support/documented-commands.ts'
import { enrichedHit } from '../support/hits.ts'
import { postgresServers, urlOf } from '../support/postgres-servers.ts'
import { createTestSite } from '../support/sites.ts'

test('a copy of the server and its WAL bring a moment back as the documents say: what came until then, and nothing later', async () => {
  const servers = await postgresServers()
  onTestFinished(servers.close)
  const archive = servers.makeFolder('archive')
  const server = await servers.create('data', [
    'archive_mode = on',
    `archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
  ])
  const url = urlOf(server, 'postgres')
  const backup = join(servers.folder, 'backup')
  let moment = ''
  await servers.start(server)
  const db = connectDb(url, { max: 1, name: 'test' })
  try {
    await db`create extension timescaledb`
    await migrate(db)
    const site = await createTestSite(db)
    const store = (at: string) => storeHits(db, 'all', [enrichedHit(site, Date.parse(at))])
    await store('2026-02-01T12:00:00Z')
    const backUp = documentedCommands('pg_basebackup')
    await servers.run('bash', ['-ec', backUp], { DATABASE_URL: url, BACKUP: backup })
    // In a chunk that the copy does not have.
    await store('2026-03-01T12:00:00Z')
    const [now] = await db<{ at: string }[]>`select clock_timestamp()::text as at`
    moment = now!.at
    await store('2026-03-02T12:00:00Z')
    await db`select pg_switch_wal()`
    await expect
      .poll(
        async () =>
          (
            await db`select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) as done from pg_stat_archiver`
          )[0]!.done,
      )
      .toBe(true)
  } finally {
    await db.end({ timeout: 5 })
  }
  await servers.kill(server)

  await servers.run('bash', ['-ec', documentedCommands('cp -a "$BACKUP/."')], {
    BACKUP: backup,
    ARCHIVE: archive,
    MOMENT: moment,
    PGDATA: servers.makeFolder('restored'),
  })
  const back = connectDb(url, { max: 1, name: 'test' })
  try {
    await expect
      .poll(async () => (await back`select pg_is_in_recovery() as "isGoingOn"`)[0]!.isGoingOn)
      .toBe(false)
    // It refuses a database that is not whole.
    expect(await migrate(back)).toEqual([])
    const days = await back`select at::date::text as day from events order by at`
    expect(days.map(({ day }) => day)).toEqual(['2026-02-01', '2026-03-01'])
  } finally {
    await back.end({ timeout: 5 })
  }
})
