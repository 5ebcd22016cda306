import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { adminCommand, type Run } from '../support/admin-command.ts'
import { sharedDatabase, type TestDatabase } from '../support/database.ts'
import { ofFile } from '../support/of-file.ts'
import { testRedis } from '../support/redis.ts'

/** A folder for the tests of a file, which is removed after them. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'analytics-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts what the command line needs, for the tests of a file. It is there before their first `beforeAll`. */
export function startCommands(open: () => Promise<TestDatabase> = sharedDatabase) {
  return ofFile(async () => {
    const [database, redis] = await Promise.all([open(), testRedis()])
    const command = await adminCommand({ databaseUrl: database.url, redisUrl: redis.url })
    const close = () => Promise.all([command.close(), database.close(), redis.close()])
    return { database, redis, command, close }
  })
}

/** Expects that a command succeeds. @returns what it printed */
export function printed({ code, stdout, stderr }: Run) {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** Expects that a command ends with 1, and says in one line why. */
export function expectRefused({ code, stdout, stderr }: Run, reason: RegExp, given?: string): void {
  expect({ code, stdout }, given).toEqual({ code: 1, stdout: '' })
  expect(stderr, given).toMatch(/^error: [^\n]+\n$/)
  expect(stderr, given).toMatch(reason)
}
