import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { countTogether, readIntArray } from '../../rollups/daily/visitor-set.ts'
import type { Services, SliceLimits } from '../../services.ts'
import { keptPart, type ResolvedQuery, type SessionSlice } from '../filters/resolved-query.ts'
import type { FilteredQuery, OptionsOf } from './filtered-query.ts'

/**
 * Slice limits for the embedded database. The limit counts hits and not time: on a busy machine a time limit would cut shorter
 * and shorter slices, and each slice has a fixed cost. On 200,000 hits, the longest statement with slices of 15,000 hits blocked
 * the database for less than 250 ms on two shared cores; with 20,000 hits, for 266 ms.
 */
export const EMBEDDED_SLICES: SliceLimits = { hits: 15_000, shortestMs: 6 * HOUR_MS }

/** Number of hits by day, or by part of a day. */
const listHitsByDay = query<
  { siteNo: number; start: Date; end: Date },
  { startsAt: Date; endsAt: Date; hits: number }
>('list-hits-by-day')

/** Returns about how many hits a time span has. */
export async function countHits(
  reads: Db,
  { siteNo, start, end }: { siteNo: number; start: Date; end: Date },
): Promise<number> {
  const days = await listHitsByDay(reads, { siteNo, start, end })
  return days.reduce((sum, { hits }) => sum + hits, 0)
}

/**
 * Returns the rows of a statement. With the embedded database it runs once for each session slice, so that other queries run
 * in between; with a separate database server it runs once. Each session is in one slice with all its hits: counts of hits and
 * sessions add up, but a visitor may be in several slices. A hit that is stored during the read is counted only in slices that
 * are read after it.
 */
export async function readSlices<Params, Row extends object>(
  { reads, slices: limits }: Pick<Services, 'reads' | 'slices'>,
  run: FilteredQuery<Params, Row>,
  resolved: ResolvedQuery,
  ...options: OptionsOf<Params>
): Promise<Row[]> {
  if (!limits) return run(reads, resolved, ...options)
  const rows: Row[] = []
  for (const slice of await slicesOf(reads, resolved, limits)) {
    // One by one: a call takes only so many arguments.
    for (const row of await run(reads, { ...resolved, slice }, ...options)) rows.push(row)
  }
  return rows
}

type Slice = SessionSlice | undefined

/** All statements of one request use the same slices. */
const known = new WeakMap<ResolvedQuery, Promise<Slice[]>>()

function slicesOf(reads: Db, resolved: ResolvedQuery, limits: SliceLimits): Promise<Slice[]> {
  let slices = known.get(resolved)
  if (!slices) {
    const kept = keptPart(resolved)
    slices = listHitsByDay(reads, kept).then(days => between(cutsOf(days, kept, limits)))
    known.set(resolved, slices)
  }
  return slices
}

/** Returns the times, within the range, that cut it into slices with about the same number of hits. */
function cutsOf(
  days: Awaited<ReturnType<typeof listHitsByDay>>,
  { start, end }: ResolvedQuery,
  { hits: most, shortestMs }: SliceLimits,
): number[] {
  const cuts: number[] = []
  let count = 0
  for (const { startsAt, endsAt, hits } of days) {
    const lengthMs = endsAt.getTime() - startsAt.getTime()
    const parts = Math.max(1, Math.min(Math.ceil(hits / most), Math.floor(lengthMs / shortestMs)))
    for (let part = 0; part < parts; part++) {
      if (count > 0 && count + hits / parts > most) {
        cuts.push(startsAt.getTime() + Math.round((part * lengthMs) / parts))
        count = 0
      }
      count += hits / parts
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

/** Fields that are the same in all rows of a key, and the one whose maximum counts; other numbers add up. */
const SAME = new Set(['bucket', 'goal'])
const LATEST = 'lastAt'

/** Merges rows of all slices with the same key: adds numbers, counts distinct `visitors`, takes the latest `lastAt`. */
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

function addTo(into: Record<string, unknown>, fields: object): void {
  for (const [name, value] of Object.entries(fields)) {
    const before = into[name]
    if (typeof value === 'bigint') into[name] = (before as bigint) + value
    else if (typeof value !== 'number' || SAME.has(name)) continue
    else into[name] = name === LATEST ? Math.max(before as number, value) : (before as number) + value
  }
}
