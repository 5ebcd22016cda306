import { createHash, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { projectRoot } from '../../src/config.ts'
import { connectDb } from '../../src/db/connect.ts'
import { checkDatabase, migrate } from '../../src/db/migrate.ts'
import { startDatabase } from '../../src/embedded/database.ts'
import { lockStart } from '../../src/embedded/lock.ts'
import { saveCompiledDatabase } from './compiled-database.js'
import { silentLog } from './log.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The files of a migrated embedded database, whatever server the tests run on. */
    databaseFolder: string
    /** The same as an archive. */
    databaseSnapshot: string
    /** The server that tests run on, and the name of its migrated template; empty when they run embedded. */
    databaseServer: string
    databaseTemplate: string
  }
}

const COMPILED = 'compiled-database'

/** Migrates one database, from which every test file gets a private copy. */
export default async function setup(project: TestProject) {
  await setUpEmbedded(project)
  return setUpServer(project, process.env.TEST_DATABASE_URL)
}

/**
 * Provides a migrated embedded database. Making one takes 10 s of computing, so it is kept in `node_modules/.cache` under a hash of
 * everything that it is made of.
 */
async function setUpEmbedded(project: TestProject): Promise<void> {
  const cache = join(projectRoot, 'node_modules', '.cache', 'test-database')
  const folder = join(cache, fingerprint())
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    // The two runs of `scripts/test` begin at the same time.
    const unlock = await lockStart(cache, 'servers.lock')
    try {
      if (!existsSync(folder)) await makeFolder(cache, folder)
    } finally {
      unlock()
    }
  }
  // Test workers and the processes that they start inherit it.
  process.env.COMPILED_DATABASE = join(folder, COMPILED)
  project.provide('databaseFolder', join(folder, 'data', 'database'))
  project.provide('databaseSnapshot', join(folder, 'migrated.tar'))
}

async function makeFolder(cache: string, folder: string): Promise<void> {
  const unfinished = mkdtempSync(join(cache, 'unfinished-'))
  await createDatabase(unfinished)
  renameSync(unfinished, folder)
}

async function createDatabase(folder: string): Promise<void> {
  const database = await startDatabase({ dataDir: join(folder, 'data'), log: silentLog })
  const db = connectDb(database.url, { max: 1, name: 'test-setup' })
  await checkDatabase(db)
  await migrate(db)
  writeFileSync(join(folder, 'migrated.tar'), Buffer.from(await (await database.dump()).arrayBuffer()))
  await db.end()
  await database.close()
  await compileDatabase(folder)
}

/** Keeps the machine code of a database that has done some of what tests do. */
async function compileDatabase(folder: string): Promise<void> {
  const snapshot = readFileSync(join(folder, 'migrated.tar'))
  const database = await startDatabase({ snapshot, log: silentLog })
  const db = connectDb(database.url, { max: 1, name: 'test-setup' })
  const { warmUp } = await import('./warm-up.ts')
  await warmUp(db)
  await db.end()
  saveCompiledDatabase(join(folder, COMPILED))
  await database.close()
}

/** A hash of the migrations, of the code that applies them, and of the versions of Node.js and of all packages. */
function fingerprint(): string {
  const migrations = join(projectRoot, 'sql', 'migrations')
  const files = [
    ...readdirSync(migrations)
      .sort()
      .map(name => join(migrations, name)),
    ...['migrate.ts', 'connect.ts'].map(name => join(projectRoot, 'src', 'db', name)),
    ...readdirSync(join(projectRoot, 'src', 'embedded'))
      .sort()
      .map(name => join(projectRoot, 'src', 'embedded', name)),
    join(projectRoot, 'test', 'support', 'compiled-database.js'),
    join(projectRoot, 'test', 'support', 'warm-up.ts'),
    join(projectRoot, 'package-lock.json'),
  ]
  const hash = createHash('sha256').update(process.version)
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}

async function setUpServer(project: TestProject, server: string | undefined) {
  if (!server) {
    project.provide('databaseServer', '')
    project.provide('databaseTemplate', '')
    return () => {}
  }
  // The set-up runs once for each project.
  const template = `analytics_test_${randomUUID().slice(0, 8)}`
  const admin = connectDb(server, { max: 1, name: 'test-setup' })
  await admin`create database ${admin(template)}`
  const url = new URL(server)
  url.pathname = `/${template}`
  const db = connectDb(url.href, { max: 1, name: 'test-setup' })
  await checkDatabase(db)
  await migrate(db)
  await db.end()
  project.provide('databaseServer', server)
  project.provide('databaseTemplate', template)
  return async () => {
    // Shared databases are still there.
    const ours = await admin<{ datname: string }[]>`
      select datname from pg_database where datname = ${template} or starts_with(datname, ${`${template}_`})`
    for (const { datname } of ours) await admin`drop database if exists ${admin(datname)} with (force)`
    await admin.end()
  }
}
