import { type Db, statement } from '../../infra/db.ts'
import type { Services, SliceLimits } from '../../infra/services.ts'
import { compareTexts } from '../../rollups/folds/texts.ts'
import { countTogether } from '../../rollups/folds/union.ts'
import { readIntArray } from '../../rollups/visitor-set.ts'
import { type ReadOptions, readKept } from './rows.ts'
import type { Scope } from './scope.ts'

/**
 * The limit counts hits instead of measuring time: on a busy machine a limit in time would cut ever shorter slices, and each
 * slice has a cost of its own. On 200,000 hits the longest statement of 15,000 held the database for less than 250 ms on
 * two shared cores; one of 20,000 held it for 266 ms.
 */
export const EMBEDDED_SLICES: SliceLimits = { hits: 15_000, shortestMs: 6 * 3_600_000 }

const listHitsByDay = statement<Bin>('list-hits-by-day')

/** Hits of a stretch of time. */
interface Bin {
  startsAt: Date
  endsAt: Date
  hits: number
}

type Slicing = Pick<Services, 'reads' | 'slices'>

/**
 * The rows of a statement, slice of visits by slice of visits, so that others have their turn in between; in one go on a server
 * of its own. Each visit is in one slice with all its hits: numbers of hits and sessions add up, visitors may be in several.
 * A hit that is stored meanwhile is in what is read later, and not in what was.
 */
export async function readSlices<Row extends object>(
  { reads, slices }: Slicing,
  name: string,
  scope: Scope,
  options: ReadOptions = {},
): Promise<Row[]> {
  if (!slices) return readKept<Row>(reads, name, scope, options)
  const rows: Row[] = []
  for (const visits of await slicesOf(reads, scope, slices)) {
    rows.push(...(await readKept<Row>(reads, name, { ...scope, visits }, options)))
  }
  return rows
}

type Slice = Scope['visits']

/** Statements of one question are cut alike. */
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

/** Where parts of about as many hits end, within the range. */
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

/** One slice of everything where nothing is cut. */
function between(cuts: number[]): Slice[] {
  const ordered = [...new Set(cuts)].sort((a, b) => a - b).map(cut => new Date(cut))
  if (ordered.length === 0) return [undefined]
  return [...ordered, null].map((to, index) => ({ from: ordered[index - 1] ?? null, to }))
}

/** A row of a slice in which `visitors` are themselves. */
type Merged<Row> = { [Field in keyof Row]: Field extends 'visitors' ? number : Row[Field] }

/** The rows of all slices, one a key: numbers add up, distinct `visitors` are counted, of times the latest counts. */
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

/** Numbers are added; a later time takes the place of an earlier one. */
function addTo(into: Record<string, unknown>, fields: object): void {
  for (const [name, value] of Object.entries(fields)) {
    const before = into[name]
    if (typeof value === 'number' && name !== 'bucket' && name !== 'goal')
      into[name] = (before as number) + value
    else if (typeof value === 'bigint') into[name] = (before as bigint) + value
    else if (value instanceof Date && (!before || value > (before as Date))) into[name] = value
  }
}

/** A page of the first by some counts, the most first; ties by a text, as `collate "C"` has it. */
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
