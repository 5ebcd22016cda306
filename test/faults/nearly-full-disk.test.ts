// @module-tag full
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDb } from '../../src/db/connect.ts'
import { databaseUrl } from '../../src/embedded/paths.ts'
import { fillDataDir } from '../support/data-dir.ts'
import { type Primary, startPrimary } from '../support/primary.ts'
import { eventually, freePort, isReady } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'

const DISK_MIB = 600
const MIN_FREE_MIB = 150
const disk = mkdtempSync(join(tmpdir(), 'analytics-disk-'))
/** Only root can mount a small disk, where the kernel allows it. */
const isMounted = mount()
let primary: Primary

function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', disk], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

beforeAll(async () => {
  if (!isMounted) return
  fillDataDir(join(disk, 'data'))
  primary = startPrimary({
    PORT: String(await freePort()),
    DATA_DIR: join(disk, 'data'),
    HTTP_WORKERS: '2',
    RATE_LIMIT_COLLECT: '0',
    MIN_FREE_DISK: String(MIN_FREE_MIB),
  })
  await eventually(() => isReady(primary.url), 90_000)
})
afterAll(async () => {
  if (isMounted) {
    primary.kill('SIGTERM')
    await primary.exited
    execFileSync('umount', [disk])
  }
  rmdirSync(disk)
})

test.runIf(isMounted)(
  'faults: all workers refuse hits on a nearly full disk, and accept them when space is free again',
  async () => {
    const db = connectDb(databaseUrl(join(disk, 'data')), { max: 1, name: 'test' })
    const site = await createTestSite(db)
    const send = () =>
      fetch(`${primary.url}/api/collect`, {
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
    const times = (message: string) => primary.output().split(message).length - 1

    await areAll(202)
    const filler = join(disk, 'filler')
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(filler, Buffer.alloc(bavail * bsize - (MIN_FREE_MIB - 50) * 1024 * 1024))
    await areAll(503)
    expect((await send()).headers.get('retry-after')).toBe('30')
    expect(await (await fetch(`${primary.url}/readyz`)).json()).toMatchObject({ message: 'Not ready: disk' })
    expect(await db`select count(*)::int as count from sites`).toEqual([{ count: 1 }])
    await expect.poll(() => times('the disk is nearly full'), { timeout: 60_000 }).toBe(1)

    rmSync(filler)
    await areAll(202)
    expect((await fetch(`${primary.url}/readyz`)).status).toBe(200)
    // Only one process logs it, at its own checks.
    await expect.poll(() => times('the disk has room again'), { timeout: 60_000 }).toBe(1)
    expect(primary.output()).not.toContain('"level":50')
    await db.end()
  },
)
