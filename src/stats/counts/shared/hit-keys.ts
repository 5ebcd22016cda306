import { ENGAGEMENT, type HitColumns } from '../../../storage/columns/block.ts'
import type { Place } from './pages.ts'
import type { Selected } from './select.ts'

/** What names hits in rows. Columns have no ids, which order hits of one moment. */
export interface HitKeys {
  /** Unix milliseconds. */
  at: Float64Array
  /** Number of the session; of an event of the service without one, minus that of the visitor, or 0. */
  sessionNos: Float64Array
  /** 1 for events that the service wrote. */
  isService: Uint8Array
  /** Which it is of the pageviews and events that this session has at this moment, in the order of their ids, from 0. */
  nth: Int32Array
}

/** Returns the keys of hits, in their order. */
export function hitKeysOf(selected: readonly Selected[], places: readonly Place[]): HitKeys {
  const blocks = places.map(({ block }) => selected[block]!)
  return {
    at: Float64Array.from(places, ({ at }) => at),
    sessionNos: Float64Array.from(places, ({ row }, index) => sessionNoOf(blocks[index]!, row)),
    isService: Uint8Array.from(blocks, ({ isService }) => (isService ? 1 : 0)),
    nth: Int32Array.from(places, ({ row }, index) => nthOf(blocks[index]!.hits, row)),
  }
}

const sessionNoOf = ({ hits, sessions }: Selected, hit: number): number => sessions.no[hits.session[hit]!]!

function nthOf({ at, session, type }: HitColumns, hit: number): number {
  let nth = 0
  for (let before = hit - 1; session[before] === session[hit] && at[before] === at[hit]; before--) {
    if (type[before] !== ENGAGEMENT) nth += 1
  }
  return nth
}
