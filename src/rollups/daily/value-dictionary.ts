import { createHash } from 'node:crypto'
import { type Queryable, statement } from '../../infra/db.ts'

interface Named {
  digest: string
  valueId: number
}

const nameTexts = statement<Named>('number-values')
const findTexts = statement<Named>('find-value-ids')
const selectTexts = statement<{ valueId: number; text: string }>('read-dictionary-values')

/** Returns the first half of the SHA-256 of a text, in PostgreSQL's uuid notation. */
function digestOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** Returns the value ids of a site's texts. Texts without an id are added with `isNaming`, and left out without it. */
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
  return new Map(rows.map(({ digest, valueId }) => [byDigest.get(digest)!, valueId]))
}

/** Returns the texts of a site's value ids. Unknown ids are left out. */
export async function textsOf(
  db: Queryable,
  siteNo: number,
  valueIds: readonly number[],
): Promise<Map<number, string>> {
  if (valueIds.length === 0) return new Map()
  const rows = await selectTexts(db, siteNo, valueIds)
  return new Map(rows.map(({ valueId, text }) => [valueId, text]))
}

/** Compares two texts by their UTF-8 bytes, as `collate "C"` does. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const difference = rankOf(a.charCodeAt(index)) - rankOf(b.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Maps a UTF-16 unit to its rank in UTF-8 order: surrogates stand for characters above U+FFFF, so they sort last. */
const rankOf = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
