import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { bootstrap } from '../../src/access/teams/accounts.ts'
import { connectDb, type Db } from '../../src/platform/db/connect.ts'
import { databaseUrl } from '../../src/platform/embedded/paths.ts'
import { newDataDir } from '../support/data-dir.ts'
import { testDatabase } from '../support/database.ts'
import { type Load, underLoad } from '../support/load.ts'
import { type Primary, startPrimary } from '../support/primary.ts'
import { childrenOf } from '../support/processes.ts'
import { eventually, freePort, isReady } from '../support/service.ts'
import type { TestSite } from '../support/sites.ts'
import { expectStoredOnce } from './stored-once.ts'

/** The whole service with its own database and Redis, which tests put under load. */
export interface LoadedService {
  primary: Primary
  db: Db
  dataDir: string
  /** Of the team "Default", role owner. */
  token: string
  /** Makes a site of the team through the API. */
  newSite(): Promise<TestSite>
  /** Sends hits until `during` resolves, 150 a second unless told otherwise. */
  load(site: TestSite, during: (load: Load) => Promise<void>, perSecond?: number): Promise<Load>
  /** Checks that each hit that was answered 202 is stored exactly once. */
  expectStoredOnce(site: TestSite, load: Load): Promise<void>
  /** Waits until it answers, with its database and its Redis. @throws Error with its output when it has ended */
  whenReady(): Promise<void>
  /** Pids of the child processes whose command line contains `part`. */
  childrenNamed(part: string): Promise<number[]>
  redisPid(): number
  /** Replaces the HTTP workers and waits until all of them are new. */
  reload(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts the service with its embedded database, or with one of its own on the server that tests run on.
 */
export async function startLoadedServiceAnywhere(): Promise<LoadedService> {
  if (!inject('databaseServer')) return startLoadedService()
  const database = await testDatabase()
  const service = await startLoadedService({ DATABASE_URL: database.url })
  return {
    ...service,
    async close() {
      await service.close()
      await database.close()
    },
  }
}

/** @param settings those that differ; with `DATABASE_URL`, the service runs on that database and a Redis of its own */
export async function startLoadedService(settings: NodeJS.ProcessEnv = {}): Promise<LoadedService> {
  const { dataDir, remove } = newDataDir()
  const primary = startPrimary({
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    HTTP_WORKERS: '2',
    RATE_LIMIT_COLLECT: '0',
    RATE_LIMIT_API: '0',
    ...(settings.DATABASE_URL && { SECRET_KEY: '0'.repeat(64) }),
    ...settings,
  })
  async function stop() {
    primary.kill('SIGTERM')
    await primary.exited
    remove()
  }
  try {
    // Not only until it answers: a start during which a process is killed fails, and ends the service.
    await primary.ready()
  } catch (error) {
    await stop()
    throw error
  }
  const db = connectDb(settings.DATABASE_URL ?? databaseUrl(dataDir), { max: 2, name: 'test' })
  const { token } = await bootstrap(db, { baseUrl: 'http://a.example' }, new Date())
  return {
    primary,
    db,
    dataDir,
    token: token!,
    newSite: () => newSite(primary.url, token!, db),
    load: (site, during, perSecond) => underLoad({ urls: [primary.url], key: site.key, perSecond }, during),
    expectStoredOnce: (site, load) => expectStoredOnce(db, site, load),
    async whenReady() {
      const ended = primary.exited.then(code => {
        throw new Error(`the service ended with ${code}:\n${primary.output()}`)
      })
      await Promise.race([ended, eventually(() => isReady(primary.url), 90_000)])
    },
    childrenNamed: part => childrenOf(primary.pid, part),
    redisPid: () => Number(JSON.parse(readFileSync(join(dataDir, 'redis.pid'), 'utf8')).pid),
    reload: () => reload(primary),
    async close() {
      await db.end({ timeout: 5 })
      await stop()
    },
  }
}

async function newSite(url: string, token: string, db: Db): Promise<TestSite> {
  const answer = await fetch(`${url}/api/sites`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ domain: `${randomUUID()}.example` }),
  })
  expect(answer.status).toBe(201)
  const site = (await answer.json()) as { id: string; tracking_key: string }
  const [row] = await db`select site_no as no from sites where id = ${site.id}`
  return { id: site.id, key: site.tracking_key, siteNo: row!.no }
}

async function reload(primary: Primary): Promise<void> {
  const before = await childrenOf(primary.pid, 'http.js')
  primary.kill('SIGUSR2')
  await expect
    .poll(async () => (await childrenOf(primary.pid, 'http.js')).some(pid => before.includes(pid)), {
      timeout: 90_000,
    })
    .toBe(false)
}
