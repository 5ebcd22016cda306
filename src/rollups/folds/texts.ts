import { createHash } from 'node:crypto'
import { type Queryable, statement } from '../../infra/db.ts'

interface Named {
  digest: string
  textNo: number
}

const nameTexts = statement<Named>('name-texts')
const findTexts = statement<Named>('find-texts')
const selectTexts = statement<{ textNo: number; text: string }>('read-texts')

/** The first half of its SHA-256, written as PostgreSQL writes a uuid. */
function digestOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** The numbers that a site's texts have in folds. Without `isNaming` those that have none are left out. */
export async function numbersOf(
  db: Queryable,
  siteNo: number,
  texts: readonly string[],
  { isNaming }: { isNaming: boolean },
): Promise<Map<string, number>> {
  if (texts.length === 0) return new Map()
  const byDigest = new Map(texts.map(text => [digestOf(text), text]))
  const digests = [...byDigest.keys()]
  const rows = isNaming
    ? await nameTexts(db, siteNo, digests, [...byDigest.values()])
    : await findTexts(db, siteNo, digests)
  return new Map(rows.map(({ digest, textNo }) => [byDigest.get(digest)!, textNo]))
}

/** The texts of a site's numbers; a number that is none of them is left out. */
export async function textsOf(
  db: Queryable,
  siteNo: number,
  textNos: readonly number[],
): Promise<Map<number, string>> {
  if (textNos.length === 0) return new Map()
  const rows = await selectTexts(db, siteNo, textNos)
  return new Map(rows.map(({ textNo, text }) => [textNo, text]))
}

/** By their bytes in UTF-8, as `collate "C"` does. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const difference = rankOf(a.charCodeAt(index)) - rankOf(b.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** A unit of UTF-16 in the order of UTF-8: halves of a pair, which stand for what is beyond U+FFFF, come last. */
const rankOf = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
