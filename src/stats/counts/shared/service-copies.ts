import type { Block } from '../../../columns/block.ts'

/** Most sessions have no copy: a table by the last bits of their number says so faster than a map. */
const LAST_BITS = 2 ** 16 - 1

/**
 * Joins marks of sessions that lie in several blocks: an event that the service wrote has a copy of its session, which may be in another
 * block as well. A mark of one of them is a mark of all.
 * @param marks by block, 1 for each session that is marked; changed in place
 */
export function joinCopies(blocks: readonly Block[], marks: readonly Uint8Array[]): void {
  const isMarked = new Map<number, boolean>()
  const mayHaveCopy = new Uint8Array(LAST_BITS + 1)
  for (const { isService, sessions } of blocks) {
    if (!isService) continue
    for (const no of sessions.no) {
      if (no <= 0) continue
      isMarked.set(no, false)
      mayHaveCopy[no & LAST_BITS] = 1
    }
  }
  if (isMarked.size === 0) return
  const found: { marks: Uint8Array; session: number; no: number }[] = []
  for (const [block, { sessions }] of blocks.entries()) {
    const { count, no: nos } = sessions
    for (let session = 0; session < count; session++) {
      const no = nos[session]!
      if (mayHaveCopy[no & LAST_BITS] !== 1 || !isMarked.has(no)) continue
      found.push({ marks: marks[block]!, session, no })
      if (marks[block]![session] === 1) isMarked.set(no, true)
    }
  }
  for (const { marks, session, no } of found) if (isMarked.get(no)) marks[session] = 1
}
