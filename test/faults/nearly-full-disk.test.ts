// @module-tag full
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectDb } from '../../src/platform/db/connect.ts'
import { databaseUrl } from '../../src/platform/embedded/paths.ts'
import { eventually } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { useSmallDisk } from './small-disk.ts'

const DISK_MIB = 600
const MIN_FREE_MIB = 150
const small = useSmallDisk(DISK_MIB, { HTTP_WORKERS: '2', MIN_FREE_DISK: String(MIN_FREE_MIB) })

test.runIf(small.isMounted)(
  'faults: all workers refuse hits on a nearly full disk, and accept them when space is free again',
  async () => {
    const db = connectDb(databaseUrl(join(small.disk, 'data')), { max: 1, name: 'test' })
    const site = await createTestSite(db)
    const send = () =>
      fetch(`${small.primary.url}/api/collect`, {
        method: 'POST',
        // Each request uses a new connection, so that both workers get some.
        headers: { Connection: 'close' },
        body: JSON.stringify({ key: site.key, hostname: 'example.com', url: { path: '/' } }),
      })
    const statuses = async () =>
      new Set((await Promise.all(Array.from({ length: 20 }, send))).map(({ status }) => status))
    const areAll = (status: number) =>
      eventually(async () => {
        const all = await statuses()
        return all.size === 1 && all.has(status)
      })
    const times = (message: string) => small.primary.output().split(message).length - 1

    await areAll(202)
    const filler = join(small.disk, 'filler')
    const { bavail, bsize } = statfsSync(small.disk)
    writeFileSync(filler, Buffer.alloc(bavail * bsize - (MIN_FREE_MIB - 50) * 1024 * 1024))
    await areAll(503)
    expect((await send()).headers.get('retry-after')).toBe('30')
    expect(await (await fetch(`${small.primary.url}/readyz`)).json()).toMatchObject({
      message: 'Not ready: disk',
    })
    expect(await db`select count(*)::int as count from sites`).toEqual([{ count: 1 }])
    await expect.poll(() => times('the disk is nearly full'), { timeout: 60_000 }).toBe(1)

    rmSync(filler)
    await areAll(202)
    expect((await fetch(`${small.primary.url}/readyz`)).status).toBe(200)
    // Only one process logs it, at its own checks.
    await expect.poll(() => times('the disk has room again'), { timeout: 60_000 }).toBe(1)
    expect(small.primary.output()).not.toContain('"level":50')
    await db.end()
  },
)
