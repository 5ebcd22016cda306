import type { Block } from '../../../storage/columns/block.ts'
import { SessionNos } from './session-nos.ts'

/**
 * Joins marks of sessions that lie in several blocks: an event that the service wrote has a copy of its session, which may be in another
 * block as well. A mark of one of them is a mark of all.
 * @param marks by block, 1 for each session that is marked; changed in place
 */
export function joinCopies(blocks: readonly Block[], marks: readonly Uint8Array[]): void {
  const copied = new SessionNos()
  for (const { isService, sessions } of blocks) if (isService) copied.add(sessions.no)
  if (copied.size === 0) return
  const marked = new Set<number>()
  const found: { marks: Uint8Array; session: number; no: number }[] = []
  for (const [block, { sessions }] of blocks.entries()) {
    const { count, no: nos } = sessions
    for (let session = 0; session < count; session++) {
      const no = nos[session]!
      if (!copied.has(no)) continue
      found.push({ marks: marks[block]!, session, no })
      if (marks[block]![session] === 1) marked.add(no)
    }
  }
  for (const { marks, session, no } of found) if (marked.has(no)) marks[session] = 1
}
