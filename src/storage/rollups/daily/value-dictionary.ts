import { createHash } from 'node:crypto'
import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'

interface Entry {
  digest: string
  valueId: number
}

const addValueIds = query<{ siteNo: number; digests: readonly string[]; values: readonly string[] }, Entry>(
  'add-value-ids',
)

const findValueIds = query<{ siteNo: number; digests: readonly string[] }, Entry>(
  'find-value-ids',
  `
  select sha256 as digest, value_id as "valueId"
  from value_dictionary
  where site_no = :siteNo::int and sha256 = any(:digests::uuid[])`,
)

const readValues = query<{ siteNo: number; valueIds: readonly number[] }, { valueId: number; value: string }>(
  'read-dictionary-values',
  `
  select value_id as "valueId", value
  from value_dictionary
  where site_no = :siteNo::int and value_id = any(:valueIds::int[])`,
)

/** Returns the first half of the SHA-256 of a text, in PostgreSQL's uuid notation. */
export function digestOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** Returns the ids of a site's values. Values without an id get one with `addsMissing`, and are left out without it. */
export async function valueIdsOf(
  db: Queryable,
  siteNo: number,
  values: readonly string[],
  { addsMissing }: { addsMissing: boolean },
): Promise<Map<string, number>> {
  if (values.length === 0) return new Map()
  const byDigest = new Map(values.map(value => [digestOf(value), value]))
  const digests = [...byDigest.keys()]
  const rows = addsMissing
    ? await addValueIds(db, { siteNo, digests, values: [...byDigest.values()] })
    : await findValueIds(db, { siteNo, digests })
  return new Map(rows.map(({ digest, valueId }) => [byDigest.get(digest)!, valueId]))
}

/** Returns the values with these ids. Unknown ids are left out. */
export async function valuesOf(
  db: Queryable,
  siteNo: number,
  valueIds: readonly number[],
): Promise<Map<number, string>> {
  if (valueIds.length === 0) return new Map()
  const rows = await readValues(db, { siteNo, valueIds })
  return new Map(rows.map(({ valueId, value }) => [valueId, value]))
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
