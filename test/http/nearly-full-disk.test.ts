import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../src/platform/config/config.ts'
import { folderOfServers } from '../../src/platform/embedded/addresses.ts'
import { databaseUrl } from '../../src/platform/embedded/paths.ts'
import { type DiskWatch, watchDisk } from '../../src/platform/runtime/disk.ts'
import { startApi } from '../support/api.ts'
import { folderOfFile } from '../support/data-dir.ts'
import { startIngestApi } from '../support/ingest-api.ts'
import { ofFile } from '../support/of-file.ts'
import { recordingLog } from '../support/recording-log.ts'

const MIB = 1024 * 1024
const folder = folderOfFile('space')
let free = 0
let disk: DiskWatch
const { log, lines } = recordingLog()

beforeAll(async () => {
  disk = watchDisk({ folder, minFreeBytes: 100 * MIB, log, measure: async () => free })
})
const api = ofFile(() => startApi({ disk }))
const ingest = ofFile(() => startIngestApi(api.services, api.services.config.redisUrl!))
afterAll(async () => {
  disk.stop()
})
beforeEach(() => haveFree(1_000))

const haveFree = async (mib: number) => {
  free = mib * MIB
  await disk.check()
}

async function siteWithKey() {
  const owner = await api.member()
  return { owner, ...(await api.site(owner, { domain: 'a.example' })) }
}

test('nearly full disk: hits and webhooks get 503 with Retry-After until there is space, reads work', async () => {
  const { owner, id, key } = await siteWithKey()
  const bodies = {
    collect: { url: { path: '/' } },
    event: { name: 'signup' },
    engage: { url: { path: '/' }, sd: 1, time: 1 },
    identify: { identifier: 'user-1' },
  }
  const send = (endpoint: string, more: object) => {
    const body = JSON.stringify({ key, hostname: 'a.example', ...more })
    return fetch(`${ingest.url}/api/${endpoint}`, { method: 'POST', body })
  }
  const webhook = () => api.call('POST', `/api/processor/webhook/${id}`, { body: {} })

  await haveFree(99)
  for (const [endpoint, body] of Object.entries(bodies)) {
    const answer = await send(endpoint, body)
    expect([endpoint, answer.status]).toEqual([endpoint, 503])
    expect(answer.headers.get('retry-after')).toBe('30')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/disk/) })
  }
  const refused = await webhook()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30'])
  expect((await api.call('GET', '/api/sites/a.example', { token: owner.token })).status).toBe(200)
  const ready = await api.call('GET', '/readyz')
  expect([ready.status, ready.body.message]).toEqual([503, 'Not ready: disk'])
  expect((await api.call('GET', '/healthz')).status).toBe(200)

  await haveFree(200)
  for (const [endpoint, body] of Object.entries(bodies)) expect((await send(endpoint, body)).status).toBe(202)
  expect((await webhook()).status).toBe(404)
  expect((await api.call('GET', '/readyz')).status).toBe(200)
})

test('nearly full disk: the log reports the start and the end once each', async () => {
  const messages = () => lines.map(({ level, msg }) => `${level} ${msg}`)
  lines.length = 0
  for (const mib of [99, 50, 100, 109]) await haveFree(mib)
  expect(disk.isShort()).toBe(true)
  expect(messages()).toEqual(['40 the disk is nearly full: hits are refused until there is room'])
  for (const mib of [110, 105, 100]) await haveFree(mib)
  expect(disk.isShort()).toBe(false)
  expect(messages().slice(1)).toEqual(['30 the disk has room again: hits are taken'])
})

test('nearly full disk: metrics contain the free space; an unknown or unwatched disk counts as having space', async () => {
  free = 123 * MIB
  const answer = await fetch(`${api.url}/metrics`)
  expect(await answer.text()).toMatch(new RegExp(`^disk_free_bytes ${123 * MIB}$`, 'm'))
  const all = Number.MAX_SAFE_INTEGER
  const watches = [
    watchDisk({ folder: join(folder, 'gone'), minFreeBytes: 1 }),
    watchDisk({ folder, minFreeBytes: 0 }),
    watchDisk({ folder: undefined, minFreeBytes: all }),
    // The real file system is measured.
    watchDisk({ folder, minFreeBytes: all }),
  ] as const
  for (const watch of watches) await watch.check()
  expect(watches.map(watch => watch.isShort())).toEqual([false, false, false, true])
  expect(await watches[2].freeBytes()).toBeUndefined()
  expect(await watches[1].freeBytes()).toBeGreaterThan(0)
  for (const watch of watches) watch.stop()
})

test('nearly full disk: only the folder of embedded servers is watched, also under PM2', () => {
  const key = { SECRET_KEY: '0'.repeat(64), DATA_DIR: folder }
  const foreign = { DATABASE_URL: 'postgres://h/d', REDIS_URL: 'redis://h' }
  const watched = (environment: NodeJS.ProcessEnv) => folderOfServers(loadConfig({ ...key, ...environment }))
  expect(watched({})).toBe(folder)
  expect(watched({ ...foreign, REDIS_URL: '' })).toBe(folder)
  expect(watched({ ...foreign, DATABASE_URL: databaseUrl(folder) })).toBe(folder)
  expect(watched(foreign)).toBeUndefined()
})

test('nearly full disk: imports stop while hits still have room, and a file must fit', async () => {
  const { owner, id } = await siteWithKey()
  const reserve = api.services.config.importMinFreeBytes / MIB
  const { token } = owner
  const create = (bytes: number) => {
    const body = { format: 'umami', file_name: 'a.zip', bytes }
    return api.call('POST', `/api/sites/${id}/imports`, { token, body })
  }
  await haveFree(reserve + 1)
  expect(await create(2 * MIB)).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  const { status, body } = await create(MIB)
  expect(status).toBe(201)
  const part = `/api/sites/${id}/imports/${body.id}/parts/0`
  const send = () => api.call('PUT', part, { token, body: Buffer.alloc(MIB) })
  await haveFree(reserve - 1)
  expect(disk.isShort()).toBe(false)
  expect(await send()).toMatchObject({ status: 503, body: { message: expect.stringMatching(/disk/) } })
  await haveFree(reserve)
  expect((await send()).status).toBe(204)
})
