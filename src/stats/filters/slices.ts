import { type Db, statement } from '../../infra/db.ts'
import type { Services, SliceLimits } from '../../infra/services.ts'
import { countTogether } from '../../rollups/daily/union.ts'
import { compareTexts } from '../../rollups/daily/value-dictionary.ts'
import { readIntArray } from '../../rollups/visitor-set.ts'
import { type ReadOptions, readFiltered } from './rows.ts'
import type { Scope } from './scope.ts'

/**
 * Slice limits for the embedded database. The limit counts hits and not time: on a busy machine a time limit would cut shorter
 * and shorter slices, and each slice has a fixed cost. On 200,000 hits, the longest statement with slices of 15,000 hits blocked
 * the database for less than 250 ms on two shared cores; with 20,000 hits, for 266 ms.
 */
export const EMBEDDED_SLICES: SliceLimits = { hits: 15_000, shortestMs: 6 * 3_600_000 }

const listHitsByDay = statement<Bin>('list-hits-by-day')

/** Number of hits in a time span. */
interface Bin {
  startsAt: Date
  endsAt: Date
  hits: number
}

type Slicing = Pick<Services, 'reads' | 'slices'>

/**
 * Returns the rows of a statement. With the embedded database it runs once for each slice of visits, so that other queries run
 * in between; with a separate database server it runs once. Each visit is in one slice with all its hits: counts of hits and
 * sessions add up, but a visitor may be in several slices. A hit that is stored during the read is counted only in slices that
 * are read after it.
 */
export async function readSlices<Row extends object>(
  { reads, slices }: Slicing,
  name: string,
  scope: Scope,
  options: ReadOptions = {},
): Promise<Row[]> {
  if (!slices) return readFiltered<Row>(reads, name, scope, options)
  const rows: Row[] = []
  for (const visits of await slicesOf(reads, scope, slices)) {
    rows.push(...(await readFiltered<Row>(reads, name, { ...scope, visits }, options)))
  }
  return rows
}

type Slice = Scope['visits']

/** All statements of one query context use the same slices. */
const known = new WeakMap<Scope, Promise<Slice[]>>()

function slicesOf(reads: Db, scope: Scope, limits: SliceLimits): Promise<Slice[]> {
  let slices = known.get(scope)
  if (!slices) {
    slices = listHitsByDay(reads, scope.siteNo, scope.start, scope.end).then(bins =>
      between(cutsOf(bins, scope, limits)),
    )
    known.set(scope, slices)
  }
  return slices
}

/** Returns the times, within the range, that cut it into parts with about the same number of hits. */
function cutsOf(bins: Bin[], { start, end }: Scope, { hits: most, shortestMs }: SliceLimits): number[] {
  const cuts: number[] = []
  let gathered = 0
  for (const { startsAt, endsAt, hits } of bins) {
    const lengthMs = endsAt.getTime() - startsAt.getTime()
    const parts = Math.max(1, Math.min(Math.ceil(hits / most), Math.floor(lengthMs / shortestMs)))
    for (let part = 0; part < parts; part++) {
      if (gathered > 0 && gathered + hits / parts > most) {
        cuts.push(startsAt.getTime() + Math.round((part * lengthMs) / parts))
        gathered = 0
      }
      gathered += hits / parts
    }
  }
  return cuts.filter(cut => cut > start.getTime() && cut < end.getTime())
}

/** Returns the slices between the cuts; without cuts, one slice of everything. */
function between(cuts: number[]): Slice[] {
  const ordered = [...new Set(cuts)].sort((a, b) => a - b).map(cut => new Date(cut))
  if (ordered.length === 0) return [undefined]
  return [...ordered, null].map((to, index) => ({ from: ordered[index - 1] ?? null, to }))
}

/** A row in which `visitors` is their number instead of a list. */
type Merged<Row> = { [Field in keyof Row]: Field extends 'visitors' ? number : Row[Field] }

/** Merges rows of all slices with the same key: adds numbers, counts distinct `visitors`, takes the latest of times. */
export function mergeSlices<Row extends object>(
  rows: Row[],
  keyOf: (row: Row) => string | number,
): Merged<Row>[] {
  const merged = new Map<string | number, { row: Record<string, unknown>; lists: Uint32Array[] }>()
  for (const row of rows) {
    const key = keyOf(row)
    const before = merged.get(key)
    const { visitors, ...fields } = row as Row & { visitors?: Buffer | null }
    if (before) addTo(before.row, fields)
    else merged.set(key, { row: { ...fields, ...(visitors !== undefined && { visitors: 0 }) }, lists: [] })
    if (visitors) merged.get(key)!.lists.push(readIntArray(visitors))
  }
  for (const { row, lists } of merged.values()) {
    if (lists.length > 0) row.visitors = lists.length === 1 ? lists[0]!.length : countTogether([], lists)
  }
  return [...merged.values()].map(({ row }) => row as Merged<Row>)
}

/** Adds numbers; replaces a time by a later one. */
function addTo(into: Record<string, unknown>, fields: object): void {
  for (const [name, value] of Object.entries(fields)) {
    const before = into[name]
    if (typeof value === 'number' && name !== 'bucket' && name !== 'goal')
      into[name] = (before as number) + value
    else if (typeof value === 'bigint') into[name] = (before as bigint) + value
    else if (value instanceof Date && (!before || value > (before as Date))) into[name] = value
  }
}

/** Returns one page of the rows, by counts in descending order; ties by a text in the order of `collate "C"`. */
export function rankSlices<Row extends object>(
  rows: Row[],
  by: (keyof Row & string)[],
  textOf: (row: Row) => string,
  { limit, offset }: { limit: number; offset: number },
): Row[] {
  const compare = (a: Row, b: Row) => {
    for (const field of by) {
      const difference = (b[field] as number) - (a[field] as number)
      if (difference !== 0) return difference
    }
    return compareTexts(textOf(a), textOf(b))
  }
  return rows.toSorted(compare).slice(offset, offset + limit)
}
