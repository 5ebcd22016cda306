// @module-tag full
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../src/platform/config/config.ts'
import { connectDb } from '../../../src/platform/db/connect.ts'
import type { Addresses } from '../../../src/platform/embedded/addresses.ts'
import { withServices } from '../../../src/platform/embedded/attach.ts'
import { startDatabase } from '../../../src/platform/embedded/database.ts'
import { isAlive } from '../../../src/platform/embedded/lock.ts'
import { startRedis } from '../../../src/platform/embedded/redis.ts'
import { newDataDir } from '../../support/data-dir.ts'
import { deferred } from '../../support/deferred.ts'
import { silentLog } from '../../support/log.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { exited, ready, spawnEntry } from './spawn.ts'

function folder() {
  const { dataDir, remove } = newDataDir()
  onTestFinished(remove)
  return { dataDir, config: loadConfig({ DATA_DIR: dataDir }) }
}

const redisIn = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, 'redis.pid'), 'utf8'))

async function ask({ databaseUrl }: Addresses) {
  const db = connectDb(databaseUrl, { max: 1, name: 'test' })
  try {
    const [row] = await db<{ answer: number }[]>`select 42 as answer`
    return row!.answer
  } finally {
    await db.end({ timeout: 2 })
  }
}

test('attach: a second command waits until the first has stopped its temporary servers', async () => {
  const { dataDir, config } = folder()
  const { log, lines } = recordingLog()
  const order: string[] = []
  const { promise: opened, resolve: open } = deferred()
  const first = withServices(config, silentLog, async addresses => {
    order.push('first begins')
    await opened
    const answer = await ask(addresses)
    order.push('first is done')
    return answer
  })
  await expect.poll(() => order).toEqual(['first begins'])
  const second = withServices(config, log, addresses => {
    order.push('second begins')
    return ask(addresses)
  })
  await expect
    .poll(() => lines)
    .toMatchObject([{ holder: process.pid, msg: expect.stringMatching(/^waiting/) }])
  open()
  expect(await Promise.all([first, second])).toEqual([42, 42])
  expect(order).toEqual(['first begins', 'first is done', 'second begins'])
  expect(isAlive(redisIn(dataDir))).toBe(false)
})

test('attach: commands share the servers of a running service and leave them running', async () => {
  const { dataDir, config } = folder()
  const redis = await startRedis({ dataDir, log: silentLog })
  onTestFinished(() => redis.stop())
  const database = await startDatabase({ dataDir, log: silentLog })
  onTestFinished(() => database.close())
  const answers = withServices(config, silentLog, async addresses => [
    await withServices(config, silentLog, ask),
    await ask(addresses),
  ])
  expect(await answers).toEqual([42, 42])
  expect(isAlive(redisIn(dataDir))).toBe(true)
})

test('attach: temporary servers stop when the work fails, and the next command can start its own, which its callees use', async () => {
  const { dataDir, config } = folder()
  const failing = withServices(config, silentLog, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(isAlive(redisIn(dataDir))).toBe(false)
  const work = () => withServices(config, silentLog, ask)
  expect(await withServices(config, silentLog, work, { sharesServers: true })).toBe(42)
  expect(isAlive(redisIn(dataDir))).toBe(false)
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'attach: %s stops temporary servers in order',
  async signal => {
    const { dataDir } = folder()
    const env = { DATA_DIR: dataDir, BASE_URL: '' }
    const holder = await spawnEntry('test/platform/embedded/hold-servers.ts', [], { env })
    await ready(holder)
    const redis = redisIn(dataDir)
    holder.kill(signal)
    expect(await exited(holder)).toBe(signal)
    expect(holder.output()).toContain('embedded database is closed')
    expect(isAlive(redis)).toBe(false)
  },
)
