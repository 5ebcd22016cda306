// @module-tag full
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectDb } from '../../src/platform/db/connect.ts'
import { databaseUrl } from '../../src/platform/embedded/paths.ts'
import { eventually, isReady } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { useSmallDisk } from './small-disk.ts'

const DISK_MIB = 240
// The disk is to be full.
const small = useSmallDisk(DISK_MIB, { LOG_LEVEL: 'warn', MIN_FREE_DISK: '0' })

test.runIf(small.isMounted)(
  'faults: on a full disk hits are refused, nothing is corrupted, and free space ends the failure',
  async () => {
    const db = connectDb(databaseUrl(join(small.disk, 'data')), { max: 1, name: 'test' })
    const site = await createTestSite(db)
    const accepted: string[] = []
    const refused: number[] = []
    const send = async (path: string) => {
      const body = JSON.stringify({ key: site.key, hostname: 'example.com', url: { path } })
      const { status, headers } = await fetch(`${small.primary.url}/api/collect`, { method: 'POST', body })
      if (status === 202) return void accepted.push(path)
      expect(headers.get('Retry-After')).toMatch(/^\d+$/)
      refused.push(status)
    }

    for (let index = 0; index < 20; index++) await send(`/before/${index}`)
    const filler = join(small.disk, 'filler')
    expect(() => writeFileSync(filler, Buffer.alloc(DISK_MIB * 1024 * 1024))).toThrow(/ENOSPC/)
    await eventually(async () => {
      await send(`/full/${accepted.length + refused.length}`)
      return refused.length >= 20
    })
    expect(new Set(refused)).toEqual(new Set([503]))

    rmSync(filler)
    await eventually(() => isReady(small.primary.url), 90_000)
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
