import type { Block } from '../../../columns/block.ts'

/**
 * Joins marks of sessions that lie in several blocks: an event that the service wrote has a copy of its session, which may be in another
 * block as well. A mark of one of them is a mark of all.
 * @param marks by block, 1 for each session that is marked; changed in place
 */
export function joinCopies(blocks: readonly Block[], marks: readonly Uint8Array[]): void {
  const copies = blocks.filter(({ isService }) => isService)
  const wanted = new Map<number, boolean>()
  for (const { sessions } of copies) for (const no of sessions.no) if (no > 0) wanted.set(no, false)
  if (wanted.size === 0) return
  const eachWanted = (found: (block: number, session: number, no: number) => void) => {
    for (const [block, { sessions }] of blocks.entries()) {
      for (let session = 0; session < sessions.count; session++) {
        const no = sessions.no[session]!
        if (wanted.has(no)) found(block, session, no)
      }
    }
  }
  eachWanted((block, session, no) => {
    if (marks[block]![session] === 1) wanted.set(no, true)
  })
  eachWanted((block, session, no) => {
    if (wanted.get(no)) marks[block]![session] = 1
  })
}
