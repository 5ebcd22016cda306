// @module-tag full
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { projectRoot } from '../../../../src/platform/config/config.ts'
import type { Db } from '../../../../src/platform/db/connect.ts'
import { dialect } from '../../../../src/platform/db/dialects/chosen-dialect.ts'
import { startDatabase } from '../../../../src/platform/embedded/database.ts'
import { compiledEnvironment } from '../../../support/compiled-environment.ts'
import { testDatabase } from '../../../support/database.ts'
import { silentLog } from '../../../support/log.ts'
import { eventually } from '../../../support/service.ts'
import { readAnswers, SECRET_KEY } from './fixture.ts'
import { restoredDump } from './restored.ts'
import { connect, expectSameAnswers, oldDataFolder, schemaOf, VERSION_0_2_0 } from './upgraded.ts'

const isCitus = dialect().name === 'citus'
const ADMIN = fileURLToPath(new URL('../../../../dist/scripts/admin.js', import.meta.url))
/** Numbers of all migrations after 0.2.0. */
const MISSING = readdirSync(join(projectRoot, 'sql', 'migrations'))
  .sort()
  .slice(10)
  .map(name => name.slice(0, 4))
/** An embedded database starts anew for each of them: 5 s of computing. */
const SOME = MISSING.filter((_, index) => index % 3 === 0)
const WITHIN_MS = 120_000

/** Starts a process that migrates before it does something else. */
function startMigrating(environment: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, [ADMIN, 'dead-letters:list'], {
    // No Redis is needed.
    env: { PATH: process.env.PATH, SECRET_KEY, REDIS_URL: 'redis://127.0.0.1:1', ...environment },
    stdio: 'ignore',
  })
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function migrateToTheEnd(environment: NodeJS.ProcessEnv): Promise<void> {
  const [code] = await once(startMigrating(environment), 'exit')
  expect(code).toBe(0)
}

/** Makes every migration call `stop` with its number before the next one begins. */
const stopAfterEach = (db: Db, stop: string) =>
  db.unsafe(`
    create function stop_after_migration() returns trigger language plpgsql as $$ begin ${stop}; return null; end $$;
    create trigger stop_after_migration after insert on migrations for each row execute function stop_after_migration()`)

/** Expects the schema of this version, and the answers of 0.2.0. */
async function expectUpgraded(db: Db, url: string, isFolder: boolean): Promise<void> {
  await db`drop function stop_after_migration() cascade`
  const fresh = await testDatabase()
  onTestFinished(() => fresh.close())
  expect(await schemaOf(db)).toEqual(await schemaOf(fresh.db))
  const answers = readAnswers(VERSION_0_2_0, { isFolder })
  await expectSameAnswers(
    { db, url },
    answers.filter((_, index) => index % 10 === 0),
  )
}

const countApplied = async (db: Db) => (await db`select from migrations`).length

test.skipIf(isCitus)(
  'upgrade: a process that is killed after any migration leaves a database that the next one upgrades',
  {
    tags: ['native'],
    timeout: 1_800_000,
  },
  async () => {
    const url = await restoredDump()
    const db = connect(url)
    const STOPS = 7_130_056
    await stopAfterEach(db, `perform pg_advisory_xact_lock_shared(${STOPS}, left(new.name, 4)::int)`)
    for (const number of MISSING) {
      const holder = await db.reserve()
      await holder`select pg_advisory_lock(${STOPS}, ${Number(number)})`
      const child = startMigrating({ DATABASE_URL: url })
      await eventually(async () => {
        expect(child.exitCode, `before migration ${number}`).toBeNull()
        const waiting =
          await db`select from pg_locks where locktype = 'advisory' and classid = ${STOPS} and not granted`
        return waiting.length > 0
      }, WITHIN_MS)
      await kill(child)
      await holder`select pg_advisory_unlock(${STOPS}, ${Number(number)})`
      holder.release()
      expect(await countApplied(db), `after migration ${number}`).toBe(10)
    }
    await migrateToTheEnd({ DATABASE_URL: url })
    await expectUpgraded(db, url, false)
  },
)

test.skipIf(isCitus)(
  'upgrade: an embedded database that is killed after a migration is upgraded by the next start',
  { timeout: 1_800_000 },
  async () => {
    const dataDir = oldDataFolder()
    const inFolder = (name: string) => join(dataDir, 'database', name)
    const open = async () => {
      const database = await startDatabase({ dataDir, log: silentLog })
      onTestFinished(() => database.close())
      return { database, db: connect(database.url) }
    }
    const before = await open()
    await stopAfterEach(
      before.db,
      `if pg_read_file('stop_at', 0, 4, true) = left(new.name, 4) then
      execute format('copy (select) to %L', current_setting('data_directory') || '/stopped');
      perform pg_sleep(600);
    end if`,
    )
    await before.db.end()
    await before.database.close()
    for (const number of SOME) {
      writeFileSync(inFolder('stop_at'), number)
      const child = startMigrating({ DATA_DIR: dataDir, ...compiledEnvironment() })
      await eventually(async () => {
        expect(child.exitCode, `before migration ${number}`).toBeNull()
        return existsSync(inFolder('stopped'))
      }, WITHIN_MS)
      await kill(child)
      rmSync(inFolder('stopped'))
    }
    rmSync(inFolder('stop_at'))
    await migrateToTheEnd({ DATA_DIR: dataDir, ...compiledEnvironment() })
    const { db, database } = await open()
    await expectUpgraded(db, database.url, true)
  },
)
