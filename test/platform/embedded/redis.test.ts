import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Redis as Client } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { identify, isAlive } from '../../../src/platform/embedded/lock.ts'
import { type Redis, startRedis } from '../../../src/platform/embedded/redis.ts'
import { folderOfCase } from '../../support/data-dir.ts'
import { sweep } from '../../support/runs.ts'
import { exited, ready, spawnEntry } from './spawn.ts'

const log = { info() {}, warn() {}, error() {} }
const folder = (name = 'redis') => folderOfCase(name)

async function start(dataDir: string): Promise<Redis> {
  const redis = await startRedis({ dataDir, log })
  onTestFinished(() => redis.stop())
  return redis
}

function connect(redis: Redis): Client {
  const client = new Client(redis.socketPath, { retryStrategy: null, maxRetriesPerRequest: 0 })
  client.on('error', () => {})
  onTestFinished(() => client.disconnect())
  return client
}

test('embedded Redis: it syncs each write before it answers, and never evicts', async () => {
  const client = connect(await start(folder('with a "space" and ')))
  expect(await client.config('GET', 'append*')).toEqual(
    expect.arrayContaining(['appendonly', 'yes', 'appendfsync', 'always']),
  )
  expect(await client.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction'])
  expect(await client.config('GET', 'port')).toEqual(['port', '0'])
})

test('embedded Redis: a data folder with a very long path gets a socket path within the limit of the kernel', {
  tags: ['full'],
}, async () => {
  const redis = await start(path.join(folder(), 'deep'.repeat(30)))
  expect(redis.socketPath.length).toBeLessThan(100)
  expect(await connect(redis).ping()).toBe('PONG')
})

test('embedded Redis: a killed server keeps acknowledged writes, and its exit is reported', async () => {
  const dataDir = folder()
  const first = await start(dataDir)
  const died = new Promise<void>(resolve => first.onExit(resolve))
  const client = connect(first)
  await client.set('acknowledged', 'yes')
  process.kill(first.pid, 'SIGKILL')
  await died
  const second = await start(dataDir)
  expect(second.pid).not.toBe(first.pid)
  expect(await connect(second).get('acknowledged')).toBe('yes')
})

test('embedded Redis: a server whose parent was killed is adopted and can be stopped', async () => {
  const dataDir = folder()
  const parent = await spawnEntry('workers/embedded-redis.ts', ['--data-dir', dataDir])
  await ready(parent)
  parent.kill('SIGKILL')
  await exited(parent)
  const redis = await start(dataDir)
  await connect(redis).set('adopted', 'yes')
  await redis.stop()
  expect(isAlive(identify(redis.pid))).toBe(false)
  expect(await connect(await start(dataDir)).get('adopted')).toBe('yes')
})

test('embedded Redis: a server that another process keeps is neither adopted nor stopped', {
  tags: ['full'],
}, async () => {
  const dataDir = folder()
  const redis = await start(dataDir)
  const other = await spawnEntry('workers/embedded-redis.ts', ['--data-dir', dataDir])
  expect(await exited(other)).toBe(1)
  expect(other.output()).toContain(`in use by process ${process.pid}`)
  expect(await connect(redis).ping()).toBe('PONG')
})

test.each(
  sweep([
    ['SIGINT', 0],
    ['SIGTERM', 0],
    ['SIGKILL', 1],
  ] as const),
)('embedded Redis: the process under PM2 and its server end on %s', async (signal, code) => {
  const dataDir = folder()
  const parent = await spawnEntry('workers/embedded-redis.ts', ['--data-dir', dataDir])
  await ready(parent)
  const { pid } = JSON.parse(readFileSync(path.join(dataDir, 'redis.pid'), 'utf8'))
  // The server dies, which is an error.
  if (code > 0) process.kill(pid, signal)
  else parent.kill(signal)
  expect(await exited(parent)).toBe(code)
  expect(isAlive(identify(pid))).toBe(false)
})

test.each([
  ['is missing', undefined, /install redis-server/],
  ['is too old', 'echo "Redis server v=6.0.16 sha=0"', /6\.0 is too old, 6\.2 is needed/],
  ['ends at once', 'test "$1" = --version && echo "Redis server v=7.0.0" || exit 3', /ended with 3/],
])('embedded Redis: the error names a redis-server that %s', async (_, script, message) => {
  const bin = folder()
  if (script) writeFileSync(path.join(bin, 'redis-server'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const { PATH } = process.env
  process.env.PATH = bin
  onTestFinished(() => {
    process.env.PATH = PATH
  })
  await expect(startRedis({ dataDir: folder(), log })).rejects.toThrow(message)
})
