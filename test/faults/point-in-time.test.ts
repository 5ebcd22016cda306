// @module-tag full
// @needs timescaledb
import { execFile } from 'node:child_process'
import { appendFileSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { projectRoot } from '../../src/config.ts'
import { connectDb } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { enrichedHit } from '../support/hits.ts'
import { needed } from '../support/needs.ts'
import { unprivileged } from '../support/postgres-pair.ts'
import { freePort } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'

/** The commands of docs/operations.md: the backup, and the restoration to a moment. */
const [BACK_UP, RESTORE] = /```sh\n( *pg_basebackup [\s\S]*?)```[\s\S]*?```sh\n( *cp -a [\s\S]*?)```/
  .exec(readFileSync(join(projectRoot, 'docs', 'operations.md'), 'utf8'))!
  .slice(1) as [string, string]

test('a copy of the server and its WAL bring a moment back as the documents say: what came until then, and nothing later', async () => {
  const bin = needed('timescaledb')
  const user = await unprivileged()
  const folder = mkdtempSync(join(tmpdir(), 'analytics-moment-'))
  const [data, restored, archive] = ['data', 'restored', 'archive'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(archive)
  for (const path of user ? [folder, archive] : []) chownSync(path, user!.uid, user!.gid)
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let moment = ''
  const run = (commands: string, pgData = data) =>
    promisify(execFile)('bash', ['-ec', commands], {
      ...user,
      cwd: folder,
      env: {
        ...process.env,
        PATH: `${bin}${delimiter}${process.env.PATH}`,
        DATABASE_URL: url,
        BACKUP: join(folder, 'backup'),
        ARCHIVE: archive,
        MOMENT: moment,
        PGDATA: pgData,
      },
    })
  const start = 'pg_ctl -w -l log start'
  const crash = 'pg_ctl -w -m immediate stop'
  onTestFinished(async () => {
    for (const each of [data, restored]) await run(crash, each).catch(() => {})
    rmSync(folder, { recursive: true, force: true })
  })

  await run('initdb -U postgres --auth=trust')
  appendFileSync(
    join(data, 'postgresql.conf'),
    `port = ${port}
    unix_socket_directories = '${folder}'
    shared_preload_libraries = 'timescaledb'
    timescaledb.telemetry_level = off
    archive_mode = on
    archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
  )
  await run(start)
  const db = connectDb(url, { max: 1, name: 'test' })
  try {
    await db`create extension timescaledb`
    await migrate(db)
    const site = await createTestSite(db)
    const store = (at: string) => storeHits(db, 'all', [enrichedHit(site, Date.parse(at))])
    await store('2026-02-01T12:00:00Z')
    await run(BACK_UP)
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
  await run(crash)

  mkdirSync(restored, { mode: 0o700 })
  if (user) chownSync(restored, user.uid, user.gid)
  await run(RESTORE, restored)
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
