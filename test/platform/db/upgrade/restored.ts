import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { inject, onTestFinished } from 'vitest'
import { createDatabase, dropDatabase } from '../../../support/test-servers.ts'
import { dumpIn } from './fixture.ts'
import { VERSION_0_2_0 } from './upgraded.ts'

const run = promisify(execFile)
/** A dump can only be restored with the version that it is from. */
const TIMESCALEDB = '2.28.0'

/** Restores the dump of 0.2.0 as docs/operations.md says; returns the URL of the database, which goes with the test. */
export async function restoredDump(): Promise<string> {
  const server = inject('databaseServer')
  const name = `${inject('databaseTemplate')}_upgrade_${randomUUID().slice(0, 8)}`
  await createDatabase([server], name)
  onTestFinished(() => dropDatabase([server], name))
  const url = new URL(server)
  url.pathname = `/${name}`
  const psql = (...commands: string[]) =>
    run('psql', [url.href, '-q', ...commands.flatMap(each => ['-c', each])])
  await psql(
    `create extension if not exists timescaledb version '${TIMESCALEDB}'`,
    'select timescaledb_pre_restore()',
  )
  await run('pg_restore', ['-d', url.href, '--exit-on-error', '--no-owner', dumpIn(VERSION_0_2_0)])
  await psql('select timescaledb_post_restore()', 'analyze')
  return url.href
}
