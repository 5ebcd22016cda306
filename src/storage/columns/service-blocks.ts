import { DAY_MS } from '../../platform/lib/time.ts'
import { type Block, bytesOf } from './block.ts'
import { joinBlocks } from './join-blocks.ts'
import { KeptBlocks } from './kept-blocks.ts'
import { readServiceEvents, readServiceTimes } from './read-rows.ts'

const keep = (copiesOf: (block: Block) => Block | undefined) =>
  new KeptBlocks<Block>({
    kind: 'service',
    bytesOf,
    isFilled: block => block.sessions.count > 0,
    copiesOf,
    join: joinBlocks,
  })

/** Returns where events of the service are kept: `events` with copies of their sessions, `times` without. */
export const keepService = () => ({ events: keep(block => block), times: keep(() => undefined) })

/** How they are read, and the time that one statement reads, milliseconds: each event takes a lookup of its session, but not for its time alone. */
export const SERVICE_READS = {
  events: { read: readServiceEvents, longestMs: DAY_MS },
  times: { read: readServiceTimes, longestMs: 28 * DAY_MS },
}
