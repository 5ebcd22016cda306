import { createSorter, type SortOptions } from './sorter.ts'

/** Texts in memory; the rest is in temporary files. */
const MAX_IN_MEMORY = 100_000

/** Counts distinct texts with bounded memory. */
export function createDistinctCounter(options: SortOptions, maxInMemory = MAX_IN_MEMORY) {
  const sorter = createSorter(options)
  let texts = new Set<string>()
  let isSpilled = false

  async function spill(): Promise<void> {
    isSpilled = true
    for (const text of texts) await sorter.add(text, '')
    texts = new Set()
  }

  return {
    /**
     * @param text without tabs and line breaks
     * @returns undefined, or a promise that must be awaited before the next text is added
     */
    add(text: string): Promise<void> | undefined {
      texts.add(text)
      return texts.size < maxInMemory ? undefined : spill()
    },
    /** Returns how many there are; once. */
    async count(): Promise<number> {
      if (!isSpilled) return texts.size
      await spill()
      let count = 0
      let latest: string | undefined
      for await (const entries of sorter.sorted()) {
        for (const { key } of entries) {
          if (key !== latest) count += 1
          latest = key
        }
      }
      return count
    },
    close: () => sorter.close(),
  }
}
