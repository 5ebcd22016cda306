import { type Db, inSnapshot, type Transaction } from '../../db/connect.ts'
import type { LiveCounts, Tasks } from '../protocol.ts'
import { type LiveTailOptions, LiveTails } from './live-tails.ts'
import { askingReader, type TailReader } from './tail-reader.ts'

const NO_TAIL = askingReader(() => {})

const kept = new WeakMap<Db, LiveTails>()

/** Lets reads of a connection pool keep the last rows of busy sites in memory. */
export function keepLiveTails(db: Db, options: LiveTailOptions): LiveTails {
  const tails = new LiveTails(db, options)
  kept.set(db, tails)
  return tails
}

/** Runs a read of a site in one snapshot, with the tail of the site if there is one. */
export const inTailSnapshot = <Result>(
  db: Db,
  siteNo: number,
  read: (tx: Transaction, tail: TailReader) => Promise<Result>,
): Promise<Result> => kept.get(db)?.read(siteNo, read) ?? inSnapshot(db, tx => read(tx, NO_TAIL))

/** Counts who is on a site now; null when rows must be counted. */
export async function countLive(db: Db, input: Tasks['countLive']['input']): Promise<LiveCounts | null> {
  const counted = await kept.get(db)?.readAlone(
    input.siteNo,
    tail => tail.holdsSince(input.start),
    tail => tail.countLive(input),
  )
  return counted ?? null
}
