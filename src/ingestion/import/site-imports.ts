import { createHmac, randomBytes } from 'node:crypto'
import { type Db, statement } from '../../infra/db.ts'
import type { Salts } from '../edge/visitor-ids.ts'

const DAY_MS = 86_400_000

const insertSecret = statement('insert-import-secret')
const findSecret = statement<{ secret: Buffer; hasRandomIds: boolean }>('find-import-secret')

export interface SiteImports {
  /**
   * The salts of the site's imported hits, by UTC day as those of live hits are. They come from a secret that stays, so
   * that the same line makes the same visitor whenever it is imported.
   */
  saltsAt: (at: number) => Salts
  /** Whether hits were imported by a release that made ids of the hash alone. */
  hasRandomIds: boolean
}

/** What a site's imports have in common. */
export async function loadSiteImports(db: Db, siteNo: number): Promise<SiteImports> {
  let [row] = await findSecret(db, siteNo)
  if (!row) {
    // Of two imports at once one wins, and both read what it wrote.
    await insertSecret(db, siteNo, randomBytes(32))
    ;[row] = await findSecret(db, siteNo)
  }
  const { secret, hasRandomIds } = row!
  const saltOf = (day: number) => createHmac('sha256', secret).update(String(day)).digest()
  let latest: { day: number; salts: Salts } | undefined
  function saltsAt(at: number): Salts {
    const day = Math.floor(at / DAY_MS)
    if (latest?.day !== day) latest = { day, salts: { today: saltOf(day), yesterday: saltOf(day - 1) } }
    return latest.salts
  }
  return { saltsAt, hasRandomIds }
}
