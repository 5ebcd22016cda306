import { query } from '../../../platform/db/query.ts'
import type { Row } from './present.ts'
import type { AfterPlace, Person } from './read-visits.ts'

/** Chunks of the replays of a person, in order after a place. */
export const listReplayChunks = query<
  Person & AfterPlace & { until: Date },
  Omit<Row<'replays'>, 'events'> & { unpacked: number }
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
