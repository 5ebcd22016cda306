import type { Entry } from './run-file.ts'

const BLOCK_ENTRIES = 500

/** A run with the entry that comes next. */
interface Head {
  /** Runs with a lower order go first where keys are equal. */
  order: number
  block: Entry[]
  index: number
  blocks: AsyncIterator<Entry[]>
}

/**
 * Merges runs, each in order, into one.
 * @param runs equal keys come in the order of this list
 */
export async function* mergeRuns(runs: AsyncGenerator<Entry[]>[]): AsyncGenerator<Entry[]> {
  /** The head with the lowest entry stands last. */
  const heads: Head[] = []
  try {
    for (const [order, blocks] of runs.entries()) {
      const head = { order, block: [], index: 0, blocks }
      if (await refill(head)) insert(heads, head)
    }
    let merged: Entry[] = []
    for (let head = heads.pop(); head; head = heads.pop()) {
      merged.push(head.block[head.index]!)
      head.index += 1
      if (head.index < head.block.length || (await refill(head))) insert(heads, head)
      if (merged.length >= BLOCK_ENTRIES) {
        yield merged
        merged = []
      }
    }
    if (merged.length > 0) yield merged
  } finally {
    for (const blocks of runs) await blocks.return(undefined)
  }
}

/** @returns false at the end of the run */
async function refill(head: Head): Promise<boolean> {
  const next = await head.blocks.next()
  if (next.done) return false
  head.block = next.value
  head.index = 0
  return true
}

function insert(heads: Head[], head: Head): void {
  let [low, high] = [0, heads.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(head, heads[middle]!)) low = middle + 1
    else high = middle
  }
  heads.splice(low, 0, head)
}

function isBefore(a: Head, b: Head): boolean {
  const [keyA, keyB] = [a.block[a.index]!.key, b.block[b.index]!.key]
  return keyA === keyB ? a.order < b.order : keyA < keyB
}
