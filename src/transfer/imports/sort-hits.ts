import { createPauses } from '../../lib/pauses.ts'
import type { Converted } from '../converters/converter.ts'
import { createDistinctCounter } from '../sort/distinct.ts'
import { createSorter, type SortOptions } from '../sort/sorter.ts'

/** Reasons are few; a converter that puts values into them must not fill memory. */
const MAX_REASONS = 100
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
  /** Rows that cannot be carried over, by reason, the most frequent first. */
  left: { reason: string; rows: number }[]
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
  signal?: AbortSignal,
): Promise<SortedHits> {
  const sorter = createSorter(options)
  const visitors = createDistinctCounter(options)
  const hits: Record<string, number> = {}
  const left = new Map<string, number>()
  const pause = createPauses()
  let total = 0
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  try {
    for await (const item of converted) {
      signal?.throwIfAborted()
      await pause()
      if ('left' in item) {
        const reason = left.has(item.left) || left.size < MAX_REASONS ? item.left : 'other reasons'
        left.set(reason, (left.get(reason) ?? 0) + 1)
        continue
      }
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
      left: [...left].map(([reason, rows]) => ({ reason, rows })).sort((a, b) => b.rows - a.rows),
      left_total: [...left.values()].reduce((sum, rows) => sum + rows, 0),
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
