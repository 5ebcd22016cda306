/** Hits of a block; those of a second at a thousand a second fill a quarter of it. */
const BLOCK = 4_096

/** The times of hits, block by block: hits are added nearly in order of time, so most blocks lie wholly outside a window. */
export class HitBlocks {
  readonly #earliest: number[] = []
  readonly #latest: number[] = []

  /** Adds the time of a hit, Unix milliseconds. */
  add(row: number, at: number): void {
    const block = Math.floor(row / BLOCK)
    this.#earliest[block] = Math.min(this.#earliest[block] ?? at, at)
    this.#latest[block] = Math.max(this.#latest[block] ?? at, at)
  }

  /** Begins anew, after rows have moved. */
  replace(times: Float64Array): void {
    this.#earliest.length = 0
    this.#latest.length = 0
    for (const [row, at] of times.entries()) this.add(row, at)
  }

  /** Returns ranges of some rows, ascending, that contain all hits of [start, end), and others. */
  rangesOf(rows: { first: number; end: number }, start: number, end: number): { from: number; to: number }[] {
    const ranges: { from: number; to: number }[] = []
    for (let block = Math.floor(rows.first / BLOCK); block < this.#earliest.length; block++) {
      if (this.#latest[block]! < start || this.#earliest[block]! >= end) continue
      const [from, to] = [Math.max(rows.first, block * BLOCK), Math.min((block + 1) * BLOCK, rows.end)]
      if (from >= to) continue
      const last = ranges.at(-1)
      if (last?.to === from) last.to = to
      else ranges.push({ from, to })
    }
    return ranges
  }
}
