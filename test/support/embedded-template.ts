import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../src/platform/config/config.ts'
import { connectDb } from '../../src/platform/db/connect.ts'
import { checkDatabase, migrate } from '../../src/platform/db/migrate.ts'
import { startDatabase } from '../../src/platform/embedded/database.ts'
import { lockStart } from '../../src/platform/embedded/lock.ts'
import { readDatabaseFiles } from '../../src/platform/embedded/memory-files.ts'
import { saveCompiledDatabase } from './compiled-database.js'
import { silentLog } from './log.ts'

export interface EmbeddedTemplate {
  /** The folder of a migrated embedded database. */
  files: string
  /** The machine code of the database. */
  compiled: string
}

/**
 * Returns a migrated embedded database. Making one takes 15 s of computing, so it is kept in `node_modules/.cache` under a hash of
 * everything that it is made of.
 */
export async function embeddedTemplate(): Promise<EmbeddedTemplate> {
  const cache = join(projectRoot, 'node_modules', '.cache', 'test-database')
  const folder = join(cache, fingerprint())
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    // Runs of tests may begin at the same time.
    const unlock = await lockStart(cache, 'servers.lock')
    try {
      if (!existsSync(folder)) await makeFolder(cache, folder)
    } finally {
      unlock()
    }
  }
  return {
    files: filesIn(folder),
    compiled: join(folder, COMPILED),
  }
}

const COMPILED = 'compiled-database'
const filesIn = (folder: string) => join(folder, 'data', 'database')

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
  await db.end()
  await database.close()
  await compileDatabase(folder)
}

/** Keeps the machine code of a database that has done some of what tests do. */
async function compileDatabase(folder: string): Promise<void> {
  const files = readDatabaseFiles(filesIn(folder))
  const database = await startDatabase({ files, log: silentLog })
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
    ...['migrate.ts', 'connect.ts'].map(name => join(projectRoot, 'src', 'platform', 'db', name)),
    ...readdirSync(join(projectRoot, 'src', 'platform', 'embedded'))
      .sort()
      .map(name => join(projectRoot, 'src', 'platform', 'embedded', name)),
    ...['compiled-database.js', 'embedded-template.ts', 'warm-up.ts'].map(name =>
      join(projectRoot, 'test', 'support', name),
    ),
    join(projectRoot, 'package-lock.json'),
  ]
  const hash = createHash('sha256').update(process.version)
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}
