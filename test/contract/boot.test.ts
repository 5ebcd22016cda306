// @module-tag full
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase } from '../../src/platform/embedded/database.ts'
import { connectRedis, whenReady } from '../../src/platform/redis/connect-redis.ts'
import { exited, ready, spawnEntry } from '../platform/embedded/spawn.ts'
import { compiledEnvironment } from '../support/compiled-environment.ts'
import { folderOfCase, folderOfFile } from '../support/data-dir.ts'
import { testDatabase } from '../support/database.ts'
import { silentLog } from '../support/log.ts'
import { type Primary, startPrimary } from '../support/primary.ts'
import { childrenOf, type RunningProcess, runningProcesses, stillRunning } from '../support/processes.ts'
import { privateRedis } from '../support/redis.ts'
import { eventually, freePort, PRIMARY } from '../support/service.ts'
import { request } from './requests.ts'

const run = promisify(execFile)

const dataDir = join(folderOfFile('boot'), 'data')
let port: number
let bootstrapped: { team_id: string; user_id: string; token: string }
let leftByBootstrap: RunningProcess[]
let service: Primary | undefined
/** How long its last start took here, ms. */
let startMs: number
beforeAll(async () => {
  port = await freePort()
  bootstrapped = await admin('bootstrap')
  leftByBootstrap = await leftOvers()
  await running()
  const { body: site } = await ask('POST', '/api/sites', { domain: 'example.com' })
  await ask('POST', '/api/collect', {
    key: site.tracking_key,
    hostname: 'example.com',
    url: { path: '/' },
  })
  await eventually(async () => (await pageviews()) === 1)
})
afterAll(() => stopped())

const start = (settings: NodeJS.ProcessEnv = {}) =>
  startPrimary({ PORT: String(port), DATA_DIR: dataDir, ...settings })

const isRunning = async () => service !== undefined && (await stillRunning([service.pid])).length > 0

/** Starts the service on the data folder unless it runs. */
async function running(): Promise<Primary> {
  if (service && (await isRunning())) return service
  const startedAt = performance.now()
  service = start()
  await service.ready()
  startMs = performance.now() - startedAt
  return service
}

async function stopped() {
  if (!service || !(await isRunning())) return
  service.kill('SIGTERM')
  await service.exited
}

async function admin(...args: string[]) {
  const { stdout } = await run('npm', ['run', '-s', 'admin', '--', ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, ...compiledEnvironment() },
  })
  return JSON.parse(stdout)
}

/** The private servers and everything else that was started for the data folder. */
async function leftOvers() {
  return (await runningProcesses()).filter(({ command }) => command.includes(dataDir))
}

const redisPid = () => JSON.parse(readFileSync(join(dataDir, 'redis.pid'), 'utf8')).pid as number

async function ask(method: string, path: string, body?: object) {
  const { status, json } = await request(`http://127.0.0.1:${port}${path}`, {
    method,
    token: bootstrapped.token,
    body,
  })
  return { status, body: json }
}

const pageviews = async () =>
  (await ask('GET', '/api/sites/example.com/overview?range=last_7_days')).body?.pageviews

test('start: wrong settings exit with 1 and one line for each', async () => {
  const refused = start({ PORT: 'eighty', ROLLUP_THREADS: '0' })
  expect(await refused.exited).toBe(1)
  expect(refused.output().trim().split('\n').sort()).toEqual([
    'error: PORT is "eighty"; allowed is a whole number from 0 to 65535: the TCP port of the HTTP listener',
    'error: ROLLUP_THREADS is "0"; allowed is a whole number from 1 to 64: threads a process',
  ])
})

test('start: a Redis that evicts keys exits with 1 and says what to do', async () => {
  const [database, redis] = await Promise.all([testDatabase(), privateRedis()])
  const client = connectRedis(redis.url, silentLog)
  await whenReady(client, 30_000)
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
  client.disconnect()
  const refused = start({
    PORT: '0',
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    SECRET_KEY: '0'.repeat(64),
  })
  expect(await refused.exited).toBe(1)
  expect(refused.errors()).toMatch(/^error: REDIS_URL has maxmemory-policy allkeys-lru: .*noeviction.*\n$/)
  await Promise.all([database.close(), redis.close()])
})

test('admin bootstrap: in an empty data folder it gives a token and leaves no process', () => {
  expect(bootstrapped).toEqual({
    team_id: expect.any(String),
    user_id: expect.any(String),
    token: expect.stringMatching(/^wa_/),
    created: true,
    setup_url: expect.stringContaining('/setup#'),
  })
  expect(leftByBootstrap).toEqual([])
})

test('admin bootstrap: while the service runs it finds the team and gives no second token', async () => {
  await running()
  expect(await admin('bootstrap')).toEqual({
    ...bootstrapped,
    token: null,
    created: false,
    setup_url: expect.stringContaining('/setup#'),
  })
  expect((await ask('GET', '/readyz')).status).toBe(200)
})

test('start: a second start on the same data folder names the process that holds it', async () => {
  const { pid } = await running()
  const redis = redisPid()
  const children = await childrenOf(pid)
  const second = start({ PORT: String(await freePort()) })
  expect(await second.exited).toBe(1)
  expect(second.errors()).toMatch(
    new RegExp(`^error: .* is in use by process ${pid}; a data folder is never opened twice\n$`),
  )
  expect(redisPid()).toBe(redis)
  expect(await stillRunning([redis, ...children])).toEqual([redis, ...children])
  expect(await childrenOf(pid)).toEqual(children)
  expect(await pageviews()).toBe(1)
})

test('start: a second start leaves servers alone that are processes of their own, as under PM2', async () => {
  const own = folderOfCase('boot')
  const servers = await Promise.all(
    ['database', 'redis'].map(name => spawnEntry(`workers/embedded-${name}.ts`, ['--data-dir', own])),
  )
  await Promise.all(servers.map(ready))
  const before = JSON.parse(readFileSync(join(own, 'redis.pid'), 'utf8')).pid as number
  for (const settings of [{}, { DATABASE_URL: 'postgres://localhost/none', SECRET_KEY: 'a'.repeat(64) }]) {
    const second = start({ DATA_DIR: own, PORT: String(await freePort()), ...settings })
    expect(await second.exited).toBe(1)
    expect(second.errors()).toMatch(
      /^error: .* is in use by process \d+; a data folder is never opened twice\n$/,
    )
    expect(second.output()).not.toMatch(/adopted|stopped/)
  }
  expect(await stillRunning([before])).toEqual([before])
  for (const server of servers) server.kill('SIGTERM')
  await Promise.all(servers.map(exited))
})

test('stop: when the primary is killed the other processes end, and the next start succeeds at once', async () => {
  const killed = await running()
  const children = await childrenOf(killed.pid, 'dist/workers')
  expect(children).toHaveLength(4)
  const usualMs = startMs
  killed.kill('SIGKILL')
  await expect.poll(() => stillRunning([killed.pid])).toEqual([])
  await running()
  // On a slow machine every start is slow.
  expect(startMs).toBeLessThan(3 * usualMs + 10_000)
  await expect.poll(() => stillRunning(children)).toEqual([])
  expect(await pageviews()).toBe(1)
})

test.for([
  ['SIGTERM', 'kill'],
  // As a terminal does with Ctrl-C, and when it is closed.
  ['SIGINT', 'killGroup'],
  ['SIGHUP', 'killGroup'],
] as const)(
  'stop: %s exits with 0, leaves no process, and the next start has the data',
  async ([signal, kill]) => {
    const ended = await running()
    const processes = [redisPid(), ...(await childrenOf(ended.pid))]
    ended[kill](signal)
    expect(await ended.exited).toBe(0)
    expect(await stillRunning(processes)).toEqual([])
    expect(await leftOvers()).toEqual([])
    expect(ended.errors()).toBe('')
    expect(ended.output()).toContain('embedded database is closed')
    await running()
    expect(await pageviews()).toBe(1)
  },
)

test('stop: Ctrl-C during a start exits with 0 and leaves no process', async () => {
  await stopped()
  const starting = start()
  await expect.poll(starting.output, { interval: 5 }).toContain('private redis-server is ready')
  starting.killGroup('SIGINT')
  expect(await starting.exited).toBe(0)
  await expect.poll(leftOvers).toEqual([])
})

test('start: a port in use exits with 1 before any server starts', async () => {
  await stopped()
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  try {
    const refused = start()
    expect(await refused.exited).toBe(1)
    expect(refused.errors()).toBe(
      `error: PORT is ${port}, HOST is 127.0.0.1; allowed is an address to listen at: another program listens there already\n`,
    )
    expect(await leftOvers()).toEqual([])
  } finally {
    other.close()
  }
})

test('start: it waits until an admin command has stopped its temporary servers', async () => {
  await stopped()
  const command = await spawnEntry('test/platform/embedded/hold-servers.ts', [], {
    env: { DATA_DIR: dataDir, BASE_URL: '' },
  })
  await ready(command)
  const redis = redisPid()
  service = start()
  // It holds the folder now, and touches no server.
  await expect.poll(() => existsSync(join(dataDir, 'service.lock'))).toBe(true)
  command.kill('SIGTERM')
  expect(await exited(command)).toBe('SIGTERM')
  await service.ready()
  expect(redisPid()).not.toBe(redis)
  expect(service.output()).not.toContain('redis-server ended')
  expect(await pageviews()).toBe(1)
})

test('ingest process: started before the primary (PM2), it waits for the tables', async () => {
  const database = await startDatabase({ log: silentLog })
  const redis = await privateRedis()
  const servers = { DATABASE_URL: database.url, REDIS_URL: redis.url, SECRET_KEY: '0'.repeat(64) }
  const ingest = fork(PRIMARY.replace('primary.js', 'ingest.js'), {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'debug', ...servers },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  let output = ''
  ingest.stdout!.on('data', chunk => {
    output += chunk
  })
  await expect.poll(() => output).toContain('"job":"forget expired keys"')
  expect(output).toContain('"job":"compress"')
  expect(output).not.toContain('job failed')
  ingest.send('shutdown')
  expect(await once(ingest, 'exit')).toEqual([0, null])
  await Promise.all([database.close(), redis.close()])
})
