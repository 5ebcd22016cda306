import { LRUCache } from 'lru-cache'
import { arrayText } from '../../platform/db/array-text.ts'
import type { Db, Transaction } from '../../platform/db/connect.ts'
import { copyValues } from '../../platform/db/copy.ts'
import { query } from '../../platform/db/query.ts'
import {
  COPIED_COLUMNS,
  type CopiedField,
  fieldOf,
  SESSION_ATTRIBUTES,
  type SessionAttribute,
} from '../../platform/dimensions/dimensions.ts'
import type { EnrichedHit } from '../hit.ts'

/** What a session takes from its opening hit (docs/metrics.md "Dimensions"): its dimensions, and further attributes. Unknown ones are empty. */
export type Dimensions = Record<SessionAttribute, string>

export function dimensionsOf(hit: EnrichedHit): Dimensions {
  return {
    hostname: hit.hostname,
    entryPath: hit.path,
    referrer: hit.referrerPage,
    source: hit.source,
    channel: hit.channel,
    utmSource: hit.utmSource,
    utmMedium: hit.utmMedium,
    utmCampaign: hit.utmCampaign,
    utmContent: hit.utmContent,
    utmTerm: hit.utmTerm,
    browser: hit.browserName,
    browserVersion: hit.browserFullVersion,
    os: hit.osName,
    osVersion: hit.osFullVersion,
    size: hit.size,
    country: hit.country ?? '',
    region: hit.region ?? '',
    city: hit.city ?? '',
    language: hit.language ?? '',
    screen: screenOf(hit),
  }
}

/** Width and height in pixels, as `1920x1080`; empty if both are unknown. */
function screenOf({ screenWidth, screenHeight }: EnrichedHit): string {
  return screenWidth === undefined && screenHeight === undefined
    ? ''
    : `${screenWidth ?? ''}x${screenHeight ?? ''}`
}

const FIELDS: SessionAttribute[] = SESSION_ATTRIBUTES.map(fieldOf)

/** Dimensions of a hit without a session, such as a pending identify. */
export const NO_DIMENSIONS = Object.fromEntries(FIELDS.map(field => [field, ''])) as Dimensions

const COPIED_FIELDS: CopiedField[] = COPIED_COLUMNS.map(fieldOf)

/** The columns that a hit copies from its session, in the order of `COPIED_COLUMNS`, as `copyValues` gives them. */
export const copiedText = (dimensions: Dimensions): string =>
  copyValues(COPIED_FIELDS.map(field => dimensions[field]))

/** Copies a row for the cache: the driver's row, built field by field, takes ten times as much memory (224 bytes here). */
function compact(row: Dimensions): Dimensions {
  const copy = { ...NO_DIMENSIONS }
  for (const field of FIELDS) copy[field] = row[field]
  return copy
}

interface DimensionsRow extends Dimensions {
  sessionNo: number
  startedAt: Date
}

/** Dimensions of a stored session. */
export interface KnownDimensions {
  startedAt: number
  dimensions: Dimensions
  copiedText: string
}

/** Of a session that cannot be read. */
const UNKNOWN: KnownDimensions = {
  startedAt: Number.NaN,
  dimensions: NO_DIMENSIONS,
  copiedText: copiedText(NO_DIMENSIONS),
}

/** Arrays are passed as texts, see `arrayText`. */
const selectSessionDimensions = query<
  { siteNos: number[]; visitorNos: string; sessionNos: string; from: Date; to: Date },
  DimensionsRow
>(
  'select-session-dimensions',
  `select session_no as "sessionNo", started_at as "startedAt", {session_attribute_fields}
  from sessions
  where visitor_no = any(:visitorNos::int[])
    and started_at >= :from::timestamptz and started_at <= :to::timestamptz
    and session_no = any(:sessionNos::bigint[])`,
)

/** Maximum cached sessions: half an hour of a busy service, about 1,000 bytes each. */
const LIMIT = 50_000
/** Longer dimensions are not cached and are read every time. */
const MAX_CHARACTERS = 1_000

/** Cached session dimensions by database. They never change after the opening hit and are most of a session's data. */
const knownOf = oneForEach((_db: Db) => new LRUCache<number, KnownDimensions>({ max: LIMIT }))

/** Returns a function that creates a value for each key and keeps it as long as the key exists. */
export function oneForEach<Key extends object, Value>(create: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return key => {
    const value = values.get(key) ?? create(key)
    values.set(key, value)
    return value
  }
}

/**
 * Returns the dimensions of sessions in the order of `sessions`; reads those that are not cached.
 * @param tx a transaction of `db` that can see the sessions
 * @param span the sites of the sessions, and the times that contain their starts, both ends included
 * @throws the database error
 */
export async function dimensionsOfSessions(
  db: Db,
  tx: Transaction,
  sessions: { visitorNo: number; sessionNo: number; startedAt: Date }[],
  span: { siteNos: number[]; from: Date; to: Date },
): Promise<KnownDimensions[]> {
  const cache = knownOf(db)
  const found = sessions.map(({ sessionNo, startedAt }) => {
    const held = cache.get(sessionNo)
    // After a restore of the database, another session can have the same number.
    return held?.startedAt === startedAt.getTime() ? held : undefined
  })
  const missing = sessions.filter((_, index) => !found[index])
  if (missing.length === 0) return found as KnownDimensions[]
  const read = new Map<number, KnownDimensions>()
  const rows = await selectSessionDimensions(tx, {
    visitorNos: arrayText(missing.map(({ visitorNo }) => visitorNo)),
    sessionNos: arrayText(missing.map(({ sessionNo }) => sessionNo)),
    ...span,
  })
  for (const row of rows) {
    const dimensions = compact(row)
    const known = { startedAt: row.startedAt.getTime(), dimensions, copiedText: copiedText(dimensions) }
    read.set(row.sessionNo, known)
    if (charactersOf(dimensions) <= MAX_CHARACTERS) cache.set(row.sessionNo, known)
  }
  // A deleted site can be purged between the two statements; its hits are not visible anyway.
  return sessions.map(({ sessionNo }, index) => found[index] ?? read.get(sessionNo) ?? UNKNOWN)
}

const charactersOf = (dimensions: Dimensions): number =>
  Object.values(dimensions).reduce((sum, value) => sum + value.length, 0)
