import type { Services, SliceLimits } from '../../infra/services.ts'
import { compareTexts } from '../../rollups/folds/texts.ts'
import { countTogether } from '../../rollups/folds/union.ts'
import { readIntArray } from '../../rollups/visitor-set.ts'
import { type ReadOptions, readKept } from './rows.ts'
import type { Scope } from './scope.ts'

const HOUR = 3_600_000

/** 200,000 hits in 30 days are read in about ten slices; a slice holds up storing for as long as it takes. */
export const EMBEDDED_SLICES: SliceLimits = { firstMs: 48 * HOUR, shortestMs: 6 * HOUR, targetMs: 100 }

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
  let lengthMs = slices.firstMs
  let from: Date | null = null
  for (let at = scope.start.getTime(); ; ) {
    const next: number = at + lengthMs
    const to = next < scope.end.getTime() ? new Date(next) : null
    const startedAt = performance.now()
    const visits = from || to ? { from, to } : undefined
    rows.push(...(await readKept<Row>(reads, name, { ...scope, visits }, options)))
    if (!to) return rows
    lengthMs = adapted(lengthMs, performance.now() - startedAt, slices)
    from = to
    at = next
  }
}

/** Longer at once where there is little, so that years of a small site are few statements. */
function adapted(lengthMs: number, tookMs: number, { shortestMs, targetMs }: SliceLimits): number {
  if (tookMs > 1.5 * targetMs) return Math.max(shortestMs, lengthMs / 2)
  return tookMs < targetMs / 2 ? 2 * lengthMs : lengthMs
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
