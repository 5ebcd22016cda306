import { createHmac, randomBytes } from 'node:crypto'
import type { Db } from '../../infra/db.ts'
import type { Salts } from '../edge/visitor-ids.ts'

const DAY_MS = 86_400_000

export interface SiteImports {
  /**
   * Returns the salts of the site's imported hits, one a UTC day as for live hits. They derive from a permanent secret, so that
   * the same line gives the same visitor in every import.
   */
  saltsAt: (at: number) => Salts
}

/** Loads the state that all imports of a site share; creates its secret if missing. */
export async function loadSiteImports(db: Db, siteNo: number): Promise<SiteImports> {
  // When two imports run at once, the first insert wins and both read its row.
  await db`
    insert into import_secrets (site_no, secret) values (${siteNo}, ${randomBytes(32)}) on conflict (site_no) do nothing`
  const [row] = await db<{ secret: Buffer }[]>`select secret from import_secrets where site_no = ${siteNo}`
  const { secret } = row!
  const saltOf = (day: number) => createHmac('sha256', secret).update(String(day)).digest()
  let latest: { day: number; salts: Salts } | undefined
  function saltsAt(at: number): Salts {
    const day = Math.floor(at / DAY_MS)
    if (latest?.day !== day) latest = { day, salts: { today: saltOf(day), yesterday: saltOf(day - 1) } }
    return latest.salts
  }
  return { saltsAt }
}
