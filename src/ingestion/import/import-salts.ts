import { createHmac, randomBytes } from 'node:crypto'
import { type Db, statement } from '../../infra/db.ts'
import type { Salts } from '../edge/visitor-ids.ts'

const DAY_MS = 86_400_000

const insertSecret = statement('insert-import-secret')
const findSecret = statement<{ secret: Buffer }>('find-import-secret')

/**
 * The salts of a site's imported hits, by UTC day as those of live hits are. They come from a secret that stays, so
 * that the same line makes the same visitor whenever it is imported.
 */
export async function loadImportSalts(db: Db, siteNo: number): Promise<(at: number) => Salts> {
  let [row] = await findSecret(db, siteNo)
  if (!row) {
    // Of two imports at once one wins, and both read what it wrote.
    await insertSecret(db, siteNo, randomBytes(32))
    ;[row] = await findSecret(db, siteNo)
  }
  const { secret } = row!
  const saltOf = (day: number) => createHmac('sha256', secret).update(String(day)).digest()
  let latest: { day: number; salts: Salts } | undefined
  return at => {
    const day = Math.floor(at / DAY_MS)
    if (latest?.day !== day) latest = { day, salts: { today: saltOf(day), yesterday: saltOf(day - 1) } }
    return latest.salts
  }
}
