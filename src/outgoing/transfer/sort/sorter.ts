import { mergeRuns } from './merge.ts'
import { type Entry, type RunFile, writeRunFile } from './run-file.ts'

export interface SortOptions {
  /** Folder for temporary files. They exist only as long as the process has them open. */
  folder: string
  /** Called before each temporary file is written. @throws when the disk has too little room */
  requireFreeDisk?: (() => Promise<void>) | undefined
  /** Awaited between two pieces of work. */
  pass?: (() => Promise<void> | undefined) | undefined
  /** Characters of keys and values that are held in memory; the rest is in temporary files. */
  maxChars?: number
  /** Maximum number of files that are merged at once; their read buffers are in memory. */
  maxRuns?: number
}

/** Puts entries in the order of their keys with bounded memory. */
export interface Sorter {
  /** @returns undefined, or a promise that must be awaited before the next entry is added */
  add(key: string, value: string): Promise<void> | undefined
  /** Returns all entries block by block: by code units of the key, equal keys in the order in which they were added. Once. */
  sorted(): AsyncGenerator<Entry[]>
  /** Frees the temporary files. */
  close(): Promise<void>
}

const MAX_CHARS = 16 * 1024 * 1024
const MAX_RUNS = 32

export function createSorter({
  folder,
  requireFreeDisk,
  pass,
  maxChars = MAX_CHARS,
  maxRuns = MAX_RUNS,
}: SortOptions): Sorter {
  let entries: Entry[] = []
  let chars = 0
  /** Files by level: `maxRuns` of a level become one of the next. Higher levels have the entries that were added earlier. */
  const levels: RunFile[][] = []

  function takeEntries(): Entry[] {
    const taken = entries.sort(byKey)
    entries = []
    chars = 0
    return taken
  }

  async function writeRun(level: number, blocks: AsyncIterable<Entry[]> | Iterable<Entry[]>): Promise<void> {
    await requireFreeDisk?.()
    const runs = levels[level] ?? []
    levels[level] = runs
    runs.push(await writeRunFile(folder, blocks))
    if (runs.length < maxRuns) return
    await writeRun(level + 1, merged(runs.map(run => run.read())))
    levels[level] = []
    for (const run of runs) await run.close()
  }

  async function* merged(runs: AsyncGenerator<Entry[]>[]): AsyncGenerator<Entry[]> {
    for await (const block of mergeRuns(runs)) {
      await pass?.()
      yield block
    }
  }

  return {
    add(key, value) {
      entries.push({ key, value })
      chars += key.length + value.length
      return chars < maxChars ? undefined : writeRun(0, [takeEntries()])
    },
    async *sorted() {
      const runs = levels.toReversed().flat()
      yield* merged([...runs.map(run => run.read()), inMemory(takeEntries())])
    },
    async close() {
      for (const run of levels.splice(0).flat()) await run.close()
    },
  }
}

async function* inMemory(entries: Entry[]): AsyncGenerator<Entry[]> {
  if (entries.length > 0) yield entries
}

const byKey = (a: Entry, b: Entry) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
