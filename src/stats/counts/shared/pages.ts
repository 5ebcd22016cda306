import type { PageWindow } from '../../metrics/rank.ts'

/** Rows of a block that are in a list by time: those that are marked with 1. */
export interface TimedRows {
  at: Float64Array
  marked: Uint8Array
}

/** Where a row of the list is: position of its block, and its position there. */
export interface Place {
  block: number
  row: number
  at: number
}

interface Located {
  /** Rows of the whole list. */
  total: number
  /** The newest first: all rows of the moments that have a row on the page. What orders rows of one moment is up to the caller. */
  places: Place[]
  /** How many of them, in that order, belong to earlier pages. */
  skipped: number
}

/** So many that few rows besides those of the page are sorted. */
const SLOTS = 65_536

/** Finds the rows of a page of a list, the newest first, without a sort of the whole list. */
export function locatePage(blocks: readonly TimedRows[], { limit, offset }: PageWindow): Located {
  const { total, earliest, latest } = extentOf(blocks)
  const end = Math.min(offset + limit, total)
  if (offset >= end) return { total, places: [], skipped: 0 }
  const width = (latest - earliest + 1) / SLOTS
  const slotOf = (at: number) => Math.floor((at - earliest) / width)
  const counts = new Uint32Array(SLOTS)
  for (const { at, marked } of blocks) {
    for (let row = 0; row < marked.length; row++) if (marked[row] === 1) counts[slotOf(at[row]!)]! += 1
  }
  let newest = SLOTS - 1
  let before = 0
  while (before + counts[newest]! <= offset) before += counts[newest--]!
  let oldest = newest
  let until = before + counts[newest]!
  while (until < end) until += counts[--oldest]!

  const near: Place[] = []
  for (const [block, { at, marked }] of blocks.entries()) {
    for (let row = 0; row < marked.length; row++) {
      if (marked[row] === 0) continue
      const slot = slotOf(at[row]!)
      if (slot >= oldest && slot <= newest) near.push({ block, row, at: at[row]! })
    }
  }
  near.sort((a, b) => b.at - a.at)
  const page = widenToMoments(
    near.map(({ at }) => at),
    { limit: end - offset, offset: offset - before },
  )
  return { total, places: near.slice(page.from, page.to), skipped: page.skipped }
}

/**
 * Widens a page to all rows of the moments at its edges.
 * @param times of all rows, the newest first
 */
export function widenToMoments(
  times: ArrayLike<number>,
  { limit, offset }: PageWindow,
): { from: number; to: number; skipped: number } {
  let from = offset
  let to = Math.min(offset + limit, times.length)
  if (from >= to) return { from, to: from, skipped: 0 }
  while (from > 0 && times[from - 1] === times[offset]) from -= 1
  while (to < times.length && times[to] === times[to - 1]) to += 1
  return { from, to, skipped: offset - from }
}

function extentOf(blocks: readonly TimedRows[]): { total: number; earliest: number; latest: number } {
  let total = 0
  let earliest = Number.POSITIVE_INFINITY
  let latest = Number.NEGATIVE_INFINITY
  for (const { at, marked } of blocks) {
    for (let row = 0; row < marked.length; row++) {
      if (marked[row] === 0) continue
      total += 1
      if (at[row]! < earliest) earliest = at[row]!
      if (at[row]! > latest) latest = at[row]!
    }
  }
  return { total, earliest, latest }
}
