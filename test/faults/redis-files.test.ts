// @module-tag full
import { execFile } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { folderOfCase, newDataDir } from '../support/data-dir.ts'
import { testDatabase } from '../support/database.ts'
import { documentedCommands } from '../support/documented-commands.ts'
import { type Load, moreAccepted, underLoad } from '../support/load.ts'
import { ofFile } from '../support/of-file.ts'
import { type Primary, startPrimary } from '../support/primary.ts'
import { singleRedis } from '../support/redis-servers.ts'
import { freePort } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { expectStoredOnce } from './stored-once.ts'

const database = ofFile(testDatabase)
const redis = ofFile(singleRedis)

/** Runs the service until `during` resolves, then stops it. */
async function whileServing(settings: NodeJS.ProcessEnv, during: (service: Primary) => Promise<unknown>) {
  const { dataDir, remove } = newDataDir()
  const service = startPrimary({
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    SECRET_KEY: '0'.repeat(64),
    RATE_LIMIT_COLLECT: '0',
    ...settings,
  })
  try {
    await service.ready()
    await during(service)
  } finally {
    service.kill('SIGTERM')
    await service.exited
    remove()
  }
}

/** Waits until no hit waits in Redis. */
const whenAllStored = ({ url }: Primary) =>
  expect
    .poll(async () => (await (await fetch(`${url}/metrics`)).text()).match(/^queue_jobs\{.*/gm) ?? ['none'], {
      timeout: 120_000,
      interval: 500,
    })
    .toSatisfy((lines: string[]) => lines.every(line => line.endsWith(' 0')))

/** Loses the data of Redis, and starts it with the files that `restore` brings back. */
async function restoreRedis(dir: string, restore: () => Promise<unknown>): Promise<void> {
  redis.server.kill()
  for (const name of readdirSync(dir)) if (name !== 'redis.conf') rmSync(join(dir, name), { recursive: true })
  await restore()
  await redis.server.start()
}

test('redis: files copied and brought back as the documents say have each hit that waited, and none counts twice', async () => {
  const folder = folderOfCase('redis-copy')
  const dir = (await redis.cli(redis.server, 'config', 'get', 'dir')).trim().split('\n')[1]!
  const run = (start: string) =>
    promisify(execFile)('bash', ['-ec', documentedCommands(start)], {
      env: { ...process.env, REDIS_URL: redis.url, REDIS_DIR: dir, BACKUP: join(folder, 'backup') },
    })
  const { db } = database
  const site = await createTestSite(db)
  let load: Load | undefined
  await whileServing({ INGEST_PROCESSES: '0' }, async ({ url }) => {
    load = await underLoad({ urls: [url], key: site.key }, each => moreAccepted(each, 200))
  })
  await run('REDIS_DIR=')
  expect(await db`select from events where site_no = ${site.siteNo}`).toHaveLength(0)

  // The second time, the database has the hits of the copy already.
  for (let time = 0; time < 2; time++) {
    await restoreRedis(dir, () => run('rm -rf "$REDIS_DIR"'))
    expect(Number(await redis.cli(redis.server, 'dbsize'))).toBeGreaterThan(10)
    await whileServing({}, whenAllStored)
    await expectStoredOnce(db, site, load!)
  }
})
