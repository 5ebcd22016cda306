import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseUrl } from '../../src/embedded/paths.ts'
import { connectDb, type Db } from '../../src/infra/db.ts'
import { bootstrap } from '../../src/teams/bootstrap.ts'
import { newDataDir } from '../support/data-dir.ts'
import { type Load, underLoad } from '../support/load.ts'
import { type Primary, startPrimary } from '../support/primary.ts'
import { childrenOf } from '../support/processes.ts'
import { eventually, freePort, isReady } from '../support/service.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'

// The whole service with its own database and Redis, under 500 hits a second; what is killed is killed with SIGKILL.

let dataDir: string
let removeData: () => void
let primary: Primary
let db: Db
let token: string

beforeAll(async () => {
  ;({ dataDir, remove: removeData } = newDataDir())
  primary = startPrimary({
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    HTTP_WORKERS: '2',
    RATE_LIMIT_COLLECT: '0',
    RATE_LIMIT_API: '0',
    LOG_LEVEL: 'warn',
  })
  await eventually(() => isReady(primary.url), 40_000)
  db = connectDb(databaseUrl(dataDir), { max: 2, name: 'test' })
  token = (await bootstrap(db, new Date())).token!
})
afterAll(async () => {
  await db.end({ timeout: 5 })
  primary.kill('SIGTERM')
  await primary.exited
  removeData()
})

/** Every hit that was answered 202 is there once, and nothing twice. */
async function expectStoredOnce(site: TestSite, load: Load) {
  const read = () =>
    db<{ path: string }[]>`select path from events where site_no = ${site.siteNo} and type = 'pageview'`
  await expect
    .poll(
      async () => {
        const stored = new Set((await read().catch(() => [])).map(row => row.path))
        return [...load.accepted].filter(path => !stored.has(path)).length
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(0)
  const paths = (await read()).map(row => row.path)
  expect(new Set(paths).size).toBe(paths.length)
}

const childNamed = async (part: string) => (await childrenOf(primary.pid, part))[0]!
const redisPid = () => Number(JSON.parse(readFileSync(join(dataDir, 'redis.pid'), 'utf8')).pid)
const load = (site: TestSite, during: () => Promise<void>) =>
  underLoad({ urls: [primary.url], key: site.key }, during)

test.each([
  ['the ingest process', () => childNamed('ingest.js')],
  ['an HTTP worker, and the rollup threads in it,', () => childNamed('http.js')],
  ['Redis', async () => redisPid()],
  ['the database', () => childNamed('embedded-database.js')],
])(
  'when %s is killed, every 202 is stored exactly once and the service recovers by itself',
  async (_what, pid) => {
    const site = await createTestSite(db)
    const result = await load(site, async () => {
      await sleep(1_500)
      process.kill(await pid(), 'SIGKILL')
      await sleep(3_500)
    })
    expect(result.accepted.size).toBeGreaterThan(500)
    expect(
      [...result.refused.keys()].filter(outcome => !['503', 'ECONNRESET', 'EPIPE'].includes(outcome)),
    ).toEqual([])
    await expect.poll(() => isReady(primary.url), { timeout: 30_000 }).toBe(true)
    await expectStoredOnce(site, result)
  },
  120_000,
)

test('while Redis stands still for 20 seconds hits are answered 503 soon, and all goes on by itself after it', async () => {
  const site = await createTestSite(db)
  const result = await load(site, async () => {
    await sleep(1_000)
    process.kill(redisPid(), 'SIGSTOP')
    await sleep(20_000)
    process.kill(redisPid(), 'SIGCONT')
    await expect.poll(() => isReady(primary.url), { timeout: 15_000 }).toBe(true)
    await sleep(1_000)
  })
  expect([...result.refused.keys()]).toEqual(['503'])
  expect(result.refused.get('503')).toBeGreaterThan(1_000)
  await expectStoredOnce(site, result)
}, 120_000)

test('while the database stands still for 20 seconds hits are taken, reads are answered 503, and all is stored after it', async () => {
  const site = await createTestSite(db)
  let read: { status: number; ms: number } | undefined
  const result = await load(site, async () => {
    await sleep(1_000)
    const pid = await childNamed('embedded-database.js')
    process.kill(pid, 'SIGSTOP')
    const startedAt = performance.now()
    const answer = await fetch(`${primary.url}/api/sites`, { headers: { Authorization: `Bearer ${token}` } })
    read = { status: answer.status, ms: performance.now() - startedAt }
    await sleep(20_000 - read.ms)
    process.kill(pid, 'SIGCONT')
    await sleep(1_000)
  })
  expect(result.refused.size).toBe(0)
  expect(read!.status).toBe(503)
  await expectStoredOnce(site, result)
}, 120_000)

/** Would run for hours. */
const ENDLESS =
  'select count(*) from generate_series(1, 3000000) a, generate_series(1, 3000000) b where a = b + 1'
/** The search for a text does not look whether it is to end, and this one is the slowest there is: 10¹¹ steps. */
const DEAF = `select position('b' || repeat('a', 100000) in repeat('a', 1100000))`

test.each([
  ['ended', ENDLESS, 'a statement ran too long and was ended'],
  ['ended with its process', DEAF, 'a statement ran too long and cannot be ended'],
])(
  'while a statement keeps the database busy until it is %s, hits are taken, and each is stored once',
  async (_how, text, logged) => {
    const site = await createTestSite(db)
    const hasty = connectDb(databaseUrl(dataDir), {
      max: 1,
      name: 'test',
      settings: { statement_timeout: '2s' },
    })
    const result = await load(site, async () => {
      await sleep(500)
      await expect(hasty.unsafe(text)).rejects.toThrow()
      await sleep(500)
    })
    await hasty.end({ timeout: 1 })
    expect(result.refused.size).toBe(0)
    expect(primary.output()).toContain(logged)
    await expect.poll(() => isReady(primary.url), { timeout: 30_000 }).toBe(true)
    await expectStoredOnce(site, result)
  },
  120_000,
)

/** Replaces the HTTP workers, and waits until they are. */
async function reload() {
  const before = await childrenOf(primary.pid, 'http.js')
  primary.kill('SIGUSR2')
  await expect
    .poll(async () => (await childrenOf(primary.pid, 'http.js')).some(pid => before.includes(pid)), {
      timeout: 30_000,
    })
    .toBe(false)
}

test('ten reloads lose no 202 and refuse no connection', async () => {
  const site = await createTestSite(db)
  const result = await load(site, async () => {
    for (let roll = 0; roll < 10; roll++) await reload()
  })
  expect([...result.refused.entries()]).toEqual([])
  await expectStoredOnce(site, result)
}, 180_000)

test('a reload refuses no hit while the database answers late', async () => {
  const site = await createTestSite(db)
  const pid = await childNamed('embedded-database.js')
  const result = await load(site, async () => {
    await sleep(1_000)
    let isOver = false
    const reloading = reload().finally(() => {
      isOver = true
    })
    while (!isOver) {
      process.kill(pid, 'SIGSTOP')
      await sleep(1_200)
      process.kill(pid, 'SIGCONT')
      await sleep(100)
    }
    await reloading
  })
  expect([...result.refused.entries()]).toEqual([])
  await expectStoredOnce(site, result)
}, 120_000)
