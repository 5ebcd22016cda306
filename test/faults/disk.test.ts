// @module-tag full
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDb } from '../../src/db/connect.ts'
import { databaseUrl } from '../../src/embedded/paths.ts'
import { fillDataDir } from '../support/data-dir.ts'
import { type Primary, startPrimary } from '../support/primary.ts'
import { eventually, freePort, isReady } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'

const DISK_MIB = 240
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
    RATE_LIMIT_COLLECT: '0',
    LOG_LEVEL: 'warn',
    // The disk is to be full.
    MIN_FREE_DISK: '0',
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
  'faults: on a full disk hits are refused, nothing is corrupted, and free space ends the failure',
  async () => {
    const db = connectDb(databaseUrl(join(disk, 'data')), { max: 1, name: 'test' })
    const site = await createTestSite(db)
    const accepted: string[] = []
    const refused: number[] = []
    const send = async (path: string) => {
      const body = JSON.stringify({ key: site.key, hostname: 'example.com', url: { path } })
      const { status, headers } = await fetch(`${primary.url}/api/collect`, { method: 'POST', body })
      if (status === 202) return void accepted.push(path)
      expect(headers.get('Retry-After')).toMatch(/^\d+$/)
      refused.push(status)
    }

    for (let index = 0; index < 20; index++) await send(`/before/${index}`)
    const filler = join(disk, 'filler')
    expect(() => writeFileSync(filler, Buffer.alloc(DISK_MIB * 1024 * 1024))).toThrow(/ENOSPC/)
    await eventually(async () => {
      await send(`/full/${accepted.length + refused.length}`)
      return refused.length >= 20
    })
    expect(new Set(refused)).toEqual(new Set([503]))

    rmSync(filler)
    await eventually(() => isReady(primary.url), 90_000)
    await send('/after')
    expect(accepted).toContain('/after')
    await expect
      .poll(
        async () => {
          const rows = await db<
            { path: string }[]
          >`select path from events where site_no = ${site.siteNo} order by at, id`
          return rows.map(row => row.path)
        },
        { timeout: 60_000 },
      )
      .toEqual(accepted)
    await db.end()
  },
)
