import { query } from '../../../platform/db/query.ts'
import type { Person } from './read-visits.ts'

export interface ReplayRow {
  id: string
  session: number
  at: Date
  recording: string
  position: number
  hostname: string
  path: string
  unpacked: number
}

/** Chunks of the replays of a person, in order after a place. */
export const listReplayChunks = query<
  Person & { afterAt: Date; afterKey: string; until: Date; limit: number },
  ReplayRow
>('export-replay-chunks')

export const readReplayData = query<
  { siteNo: number; from: Date; to: Date; ids: string[] },
  { id: string; data: Uint8Array }
>(
  'export-replay-data',
  `select id, data
  from replay_chunks
  where site_no = :siteNo::int and at >= :from::timestamptz and at <= :to::timestamptz and id = any(:ids::uuid[])`,
)
