import { AsyncLocalStorage } from 'node:async_hooks'
import { invalidField } from '../errors.ts'

/** Most rows of a file. */
export const MOST_ROWS = 1_000_000
/** Rows that a list which continues by key reads at once. */
export const BLOCK_ROWS = 1_000

const running = new AsyncLocalStorage<Download>()

/** Returns the download for which the list is read; undefined when the caller wants a JSON page. */
export const runningDownload = (): Download | undefined => running.getStore()

/**
 * A list on its way into a file. A list of a bounded number of rows, or one whose order changes with every hit, is read by one
 * statement. A list that only grows at its ends continues by key: its function is called again for each block until
 * `isComplete` stays true, and keeps its place in a pinned value.
 */
export class Download {
  /** When it began: all blocks are of the same range. */
  readonly startedAt: Date
  /** Whether it is the whole list, or only the page that the request names. */
  readonly isWhole: boolean
  /** A list that continues by key sets it to false while there is more. */
  isComplete = true
  #pinned = new Map<string, unknown>()
  #commits: (() => void)[] = []
  #rows: unknown[] | undefined

  constructor(options: { startedAt: Date; isWhole: boolean }) {
    this.startedAt = options.startedAt
    this.isWhole = options.isWhole
  }

  /**
   * Reads the next block.
   * @param read calls the procedure
   * @returns the rows that `take` received, else the answer of the procedure, which is a bare array
   */
  async next(read: () => Promise<unknown>): Promise<unknown[]> {
    this.isComplete = true
    this.#rows = undefined
    this.#commits = []
    const answer = await running.run(this, read)
    for (const commit of this.#commits) commit()
    return this.#rows ?? (answer as unknown[])
  }

  /**
   * Receives the rows of a block in place of the answer, whose schema would check all of them in one step.
   * @throws AppError `validation_failed` when the whole list is too long
   */
  take(rows: unknown[], total: number): void {
    if (this.isWhole && Math.max(rows.length, total) > MOST_ROWS) throw tooLong()
    this.#rows = rows
  }

  /** Has something done when the block is read: a read that fails on a standby is run again on the primary. */
  whenRead(commit: () => void): void {
    this.#commits.push(commit)
  }

  /** Returns what the first block made under this name: the same for all blocks. A promise that is rejected is made again. */
  pin<Value>(name: string, make: () => Value): Value {
    if (!this.#pinned.has(name)) {
      const made = make()
      this.#pinned.set(name, made)
      const forget = () => {
        if (this.#pinned.get(name) === made) this.#pinned.delete(name)
      }
      if (made instanceof Promise) made.catch(forget)
    }
    return this.#pinned.get(name) as Value
  }
}

/** A list that was found, and which part of it an answer reads. */
export interface PartOfList<List> {
  list: List
  from: number
  to: number
}

/**
 * Returns a list that is found whole, and which part of it the answer reads: all of it, or the next block of a download. For lists that a
 * download finds once, since their order may change with every hit.
 * @param find the whole list while it is downloaded, else a page
 */
export async function nextPart<List>(
  name: string,
  find: () => Promise<List>,
  lengthOf: (list: List) => number,
): Promise<PartOfList<List>> {
  const download = runningDownload()
  if (!download?.isWhole) {
    const list = await find()
    return { list, from: 0, to: lengthOf(list) }
  }
  const position = await download.pin(name, async () => ({ list: await find(), read: 0 }))
  const { list, read: from } = position
  const length = lengthOf(list)
  // Too long for a file: what takes the block refuses it.
  if (length > MOST_ROWS) return { list, from, to: from }
  const to = Math.min(from + BLOCK_ROWS, length)
  download.whenRead(() => {
    position.read = to
  })
  download.isComplete = to === length
  return { list, from, to }
}

const tooLong = () =>
  invalidField(
    'page',
    'The list has more than 1,000,000 rows: ask for a shorter range, add filters, or read it page by page',
  )
