import { createHmac, randomBytes } from 'node:crypto'
import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import type { Salts } from '../edge/visitor-ids.ts'

const insertSecret = query<{ siteNo: number; secret: Buffer }>(
  'insert-import-secret',
  'insert into import_secrets (site_no, secret) values (:siteNo::int, :secret::bytea) on conflict (site_no) do nothing',
)

const findSecret = query<{ siteNo: number }, { secret: Buffer }>(
  'find-import-secret',
  'select secret from import_secrets where site_no = :siteNo::int',
)

/**
 * Returns the salts of the site's imported hits, one a UTC day as for live hits. They derive from a permanent secret, which the
 * first import creates: the same line gives the same visitor in every import of its format. Each format has salts of its own: a visitor of two
 * formats would be marked with one of them, and the undo of that one would take hits of the other.
 * @param importedAs format of another product; undefined for lines of this service itself
 */
export async function loadImportSalts(
  db: Db,
  siteNo: number,
  importedAs: string | undefined,
): Promise<(at: number) => Salts> {
  // When two imports run at once, the first insert wins and both read its row.
  await insertSecret(db, { siteNo, secret: randomBytes(32) })
  const [row] = await findSecret(db, { siteNo })
  const prefix = importedAs === undefined ? '' : `${importedAs}/`
  const saltOf = (day: number) => createHmac('sha256', row!.secret).update(`${prefix}${day}`).digest()
  let latest: { day: number; salts: Salts } | undefined
  return at => {
    const day = Math.floor(at / DAY_MS)
    if (latest?.day !== day) latest = { day, salts: { today: saltOf(day), yesterday: saltOf(day - 1) } }
    return latest.salts
  }
}
