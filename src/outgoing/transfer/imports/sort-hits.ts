import { createPauses } from '../../../platform/lib/pauses.ts'
import type { Converted } from '../converters/converter.ts'
import { type LeftReason, LeftRows } from '../read/left-rows.ts'
import { createDistinctCounter } from '../sort/distinct.ts'
import { createSorter, type SortOptions } from '../sort/sorter.ts'

const BLOCK_CHARS = 256 * 1024

/** What a file holds, before its hits are checked. */
export interface FileSummary {
  /** Times of the first and the last hit, ISO 8601; null without hits. */
  period: { from: string; to: string } | null
  /** Hits by endpoint. */
  hits: Record<string, number>
  hits_total: number
  /** Visitors in the file, those of hits that are dropped or rejected included. */
  visitors: number
  /** Rows of the file. */
  rows: number
  /**
   * What cannot be carried over, by reason, the most frequent first, with the first lines of the file where such rows begin. A reason
   * that begins with `part of a row` is of rows that have hits.
   */
  left: LeftReason[]
  /** Rows that have no hit. */
  left_total: number
}

export interface SortedHits {
  summary: FileSummary
  /** The lines of `hits:import` in time order; once. */
  lines(): AsyncGenerator<Buffer>
  close(): Promise<void>
}

/** Reads everything that a converter gives, puts it in time order with bounded memory, and counts it. */
export async function sortHits(
  converted: AsyncIterable<Converted>,
  options: SortOptions,
): Promise<SortedHits> {
  const sorter = createSorter(options)
  const visitors = createDistinctCounter(options)
  const hits: Record<string, number> = {}
  const left = new LeftRows()
  const pause = createPauses()
  let total = 0
  let rowsWithHits = 0
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  try {
    for await (const item of converted) {
      await options.pass?.()
      await pause()
      if (!('hit' in item)) {
        if ('left' in item) left.add(item.left, item.line)
        else left.addPart(item.part)
        continue
      }
      if (item.isRow) rowsWithHits += 1
      const { endpoint, timestamp, body } = item.hit
      const at = Date.parse(timestamp)
      total += 1
      hits[endpoint] = (hits[endpoint] ?? 0) + 1
      from = Math.min(from, at)
      to = Math.max(to, at)
      if (typeof body.visitor_id === 'string') await visitors.add(body.visitor_id)
      await sorter.add(keyOf(at), JSON.stringify(item.hit))
    }
    const summary: FileSummary = {
      period: total > 0 ? { from: new Date(from).toISOString(), to: new Date(to).toISOString() } : null,
      hits,
      hits_total: total,
      visitors: await visitors.count(),
      rows: rowsWithHits + left.total,
      left: left.byReason(),
      left_total: left.total,
    }
    return { summary, lines: () => linesOf(sorter.sorted()), close: () => sorter.close() }
  } catch (error) {
    await sorter.close()
    throw error
  } finally {
    await visitors.close()
  }
}

/** Sorts like the time: times before 1970 have a minus sign, which shifting by the range of `Date` avoids. */
const keyOf = (at: number) => String(at + 8.64e15).padStart(17, '0')

async function* linesOf(blocks: AsyncIterable<{ value: string }[]>): AsyncGenerator<Buffer> {
  let text = ''
  for await (const block of blocks) {
    for (const { value } of block) text += `${value}\n`
    if (text.length < BLOCK_CHARS) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}
