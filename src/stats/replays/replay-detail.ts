import { z } from 'zod'
import { MAX_EVENTS_BYTES } from '../../ingestion/replays/bounds.ts'
import { RecordedEvent, readEvents } from '../../ingestion/replays/read-chunk.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import { count, label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { requiredText, text } from '../../platform/schema/validation.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import type { StatsSite } from '../query-context.ts'
import { readSessionId, type SessionKey } from '../sessions/session-id.ts'
import { readSessionsByKey } from '../sessions/session-keys.ts'
import { presentReplay, ReplayRow, readTotals } from './list-replays.ts'

/** Most chunks of an answer. */
const MOST_CHUNKS = 100

export const ReplayKey = z.object({
  session: requiredText(100).meta({
    description: '`session_id` of the list of sessions.',
    example: '1hnzvs6o0-3f',
  }),
})
export const ReplayQuery = ReplayKey.extend({
  cursor: text(200)
    .optional()
    .meta({ description: '`next_cursor` of the answer before; without it the first chunks.' }),
})
export type ReplayQuery = z.infer<typeof ReplayQuery>

const ReplayChunk = z
  .object({
    recording: uuid('Which page it is; all its chunks have the same.'),
    position: count(
      'Number of the chunk in its recording, from 0. One that is missing was lost on the way.',
      0,
    ),
    received_at: timestamp('When it came.'),
    hostname: label('Host of the page.', 'example.com'),
    path: label('Path of the page, without query.', '/pricing'),
    events: z.array(RecordedEvent).meta({ description: 'In order, as the player of rrweb takes them.' }),
  })
  .meta({ id: 'ReplayChunk' })

export const Replay = z
  .object({
    replay: ReplayRow,
    data: z.array(ReplayChunk).meta({ description: 'Recording by recording, each in order.' }),
    next_cursor: label('For the next chunks; null at the end.', 'WzE3NDI4OTY4MDAwMDBd').nullable(),
  })
  .meta({ id: 'Replay' })
export type Replay = z.infer<typeof Replay>

interface Place {
  startedMs: number
  recording: string
  position: number
}

interface ListedChunk extends Place {
  at: Date
  unpacked: number
}

interface OneSession {
  siteNo: number
  sessionNo: number
  from: Date
  to: Date
}

/** The next chunks after a place; the first ones after a place before all. Without their data. */
const listChunks = query<OneSession & { after: string; limit: number }, ListedChunk>('list-replay-chunks')

const readChunks = query<
  OneSession & { recordings: string[]; positions: number[] },
  { at: Date; recording: string; position: number; hostname: string; path: string; data: Uint8Array }
>(
  'read-replay-chunks',
  `select at, recording, position, hostname, path, data
  from unnest(:recordings::uuid[], :positions::int[]) as wanted (recording, position)
  join replay_chunks as chunk using (recording, position)
  where chunk.site_no = :siteNo::int and chunk.session_no = :sessionNo::bigint
    and chunk.at >= :from::timestamptz and chunk.at <= :to::timestamptz`,
)

const findSpan = query<{ siteNo: number; sessionNo: number }, { from: Date; to: Date }>(
  'find-replay-span',
  `select first_at as "from", last_at as "to"
  from session_replays
  where site_no = :siteNo::int and session_no = :sessionNo::bigint`,
)

/**
 * Returns the replay of a session with some of its chunks.
 * @throws AppError `not_found` for a session without a replay, or of another site; `validation_failed` for an invalid cursor
 */
export async function getReplay(
  services: LogServices,
  site: StatsSite,
  { session, cursor }: ReplayQuery,
): Promise<Replay> {
  const { reads } = services
  const { siteNo } = site
  const after = cursor === undefined ? FIRST : readCursor(cursor)
  const key = readSessionId(session)
  const [span] = key ? await findSpan(reads, { siteNo, sessionNo: key.sessionNo }) : []
  const replay = key && span && (await readRow(services, site, key))
  if (!key || !span || !replay) throw noSuchReplay()
  const one = { siteNo, sessionNo: key.sessionNo, ...span }
  const listed = await listChunks(reads, { ...one, after: JSON.stringify(after), limit: MOST_CHUNKS + 1 })
  const shown = withinBounds(listed)
  const chunks = await readChunks(reads, {
    ...one,
    recordings: shown.map(({ recording }) => recording),
    positions: shown.map(({ position }) => position),
  })
  const byPlace = new Map(chunks.map(chunk => [`${chunk.recording} ${chunk.position}`, chunk]))
  const data: Replay['data'] = []
  for (const { recording, position } of shown) {
    const chunk = byPlace.get(`${recording} ${position}`)
    // Deleted since it was listed.
    if (!chunk) continue
    const { at, hostname, path } = chunk
    const events = await readEvents(chunk.data)
    data.push({ recording, position, received_at: at.toISOString(), hostname, path, events })
  }
  const last = shown.at(-1)
  return { replay, data, next_cursor: last && shown.length < listed.length ? writeCursor(last) : null }
}

async function readRow(
  services: LogServices,
  site: StatsSite,
  key: SessionKey,
): Promise<ReplayRow | undefined> {
  const { reads } = services
  const [row] = await readSessionsByKey(reads, site, [key])
  if (!row) return undefined
  const totals = await readTotals(reads, site.siteNo, [row])
  return presentReplay(row, totals.get(key.sessionNo), site.siteNo, services)
}

const noSuchReplay = () => new AppError('not_found', 'No such replay')

/** Returns the first chunks, at least one: together they unpack to no more than one chunk may. */
function withinBounds(listed: ListedChunk[]): ListedChunk[] {
  const shown: ListedChunk[] = []
  let bytes = 0
  for (const chunk of listed) {
    if (shown.length > 0 && (shown.length === MOST_CHUNKS || bytes + chunk.unpacked > MAX_EVENTS_BYTES)) break
    shown.push(chunk)
    bytes += chunk.unpacked
  }
  return shown
}

const Cursor = z.tuple([
  z.int().min(-1).max(8.64e15),
  z.guid().transform(value => value.toLowerCase()),
  z.int().min(-1).max(1_000_000),
])
type Cursor = z.infer<typeof Cursor>
const FIRST: Cursor = [-1, '00000000-0000-0000-0000-000000000000', -1]

const writeCursor = ({ startedMs, recording, position }: Place): string =>
  Buffer.from(JSON.stringify([startedMs, recording, position])).toString('base64url')

/** @throws AppError `validation_failed` for a text that no answer gave */
function readCursor(given: string): Cursor {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(given, 'base64url').toString()))
  } catch {
    throw invalidField('cursor', 'must be the next_cursor of an answer of this replay')
  }
}
