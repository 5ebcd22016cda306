// @module-tag full
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bootstrap } from '../../src/access/teams/accounts.ts'
import { folderOfFile } from '../support/data-dir.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { moreAccepted, underLoad } from '../support/load.ts'
import { type Primary, startPrimary } from '../support/primary.ts'
import { type TestRedis, testRedis } from '../support/redis.ts'
import { eventually, freePort, isReady } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { expectNoneRefused } from './none-refused.ts'

// Two primaries that share only the database and Redis, like two hosts.

let database: TestDatabase
let redis: TestRedis
const folder = folderOfFile('hosts')
let hosts: Primary[]

beforeAll(async () => {
  ;[database, redis] = await Promise.all([testDatabase(), testRedis()])
  hosts = await Promise.all(
    ['first', 'second'].map(async name =>
      startPrimary({
        PORT: String(await freePort()),
        DATA_DIR: join(folder, name),
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        SECRET_KEY: '5'.repeat(64),
        RATE_LIMIT_COLLECT: '0',
        LOG_LEVEL: 'debug',
      }),
    ),
  )
  await Promise.all(hosts.map(host => eventually(() => isReady(host.url), 90_000)))
})
afterAll(async () => {
  for (const host of hosts) host.kill('SIGTERM')
  await Promise.all(hosts.map(host => host.exited))
  await redis.close()
  await database.close()
})

/**
 * The scheduled jobs that ended last on either host. A process that was late for 15 seconds loses the lease to another one, so
 * only the latest jobs tell who has it.
 */
const latestJobs = () =>
  hosts
    .flatMap(host => host.output().split('\n'))
    .filter(line => line.includes('"msg":"job done"'))
    .map(line => JSON.parse(line) as { time: string; pid: number; job: string })
    .sort((a, b) => a.time.localeCompare(b.time))
    .slice(-6)

test('faults: two hosts share hits, visitors and the scheduler lease', async () => {
  const site = await createTestSite(database.db)
  const { token } = await bootstrap(database.db, { baseUrl: 'http://a.example' }, new Date())
  const [team] = await database.db<
    { id: string }[]
  >`select team_id as id from users where email = 'owner@localhost'`
  await database.db`update sites set team_id = ${team!.id} where site_no = ${site.siteNo}`
  const load = await underLoad(
    { urls: hosts.map(host => host.url), key: site.key, perSecond: 300 },
    running => moreAccepted(running, 1_000),
  )
  expectNoneRefused(load)
  for (const host of hosts) {
    await expect
      .poll(
        async () => {
          const answer = await fetch(`${host.url}/api/sites/${site.id}/overview?range=last_7_days`, {
            headers: { Authorization: `Bearer ${token}` },
          })
          const { pageviews, visitors, sessions } = (await answer.json()) as Record<string, number>
          return { pageviews, visitors, sessions }
        },
        { timeout: 60_000, interval: 500 },
      )
      // One sender without a visitor id: its hits belong to one visitor on both hosts.
      .toEqual({ pageviews: load.accepted.size, visitors: 1, sessions: 1 })
  }
  await expect
    .poll(() => latestJobs().map(({ pid }, _, [first]) => pid === first!.pid), { timeout: 90_000 })
    .toEqual([true, true, true, true, true, true])
})
