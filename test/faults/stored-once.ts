import { expect } from 'vitest'
import type { Db } from '../../src/platform/db/connect.ts'
import type { Load } from '../support/load.ts'
import type { TestSite } from '../support/sites.ts'

/** Checks that each hit that was answered 202 is stored exactly once. */
export async function expectStoredOnce(db: Db, site: TestSite, load: Load): Promise<void> {
  const read = () =>
    db<{ path: string }[]>`select path from events where site_no = ${site.siteNo} and type = 'pageview'`
  await expect
    .poll(
      async () => {
        const stored = new Set((await read().catch(() => [])).map(row => row.path))
        return [...load.accepted].filter(path => !stored.has(path)).length
      },
      // On a machine that others keep busy, the ingest process alone takes most of a minute to start.
      { timeout: 120_000, interval: 500 },
    )
    .toBe(0)
  const paths = (await read()).map(row => row.path)
  expect(new Set(paths).size).toBe(paths.length)
}
