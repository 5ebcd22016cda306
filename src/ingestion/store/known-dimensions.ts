import { arrayText } from '../../infra/array-text.ts'
import { type Db, statement, type Transaction } from '../../infra/db.ts'
import { createGenerationCache, type GenerationCache } from '../../infra/generation-cache.ts'
import { compact, type Dimensions, NO_DIMENSIONS } from './dimensions.ts'

interface DimensionsRow extends Dimensions {
  sessionNo: number
  startedAt: Date
}

interface Known {
  startedAt: number
  dimensions: Dimensions
}

const selectSessionDimensions = statement<DimensionsRow>('select-session-dimensions')

/** Maximum cached sessions: half an hour of a busy service, about 700 bytes each. */
const LIMIT = 50_000
/** Longer dimensions are not cached and are read every time. */
const MAX_CHARACTERS = 1_000

/** Cached session dimensions by database. They never change after the opening hit and are most of a session's data. */
const known = new WeakMap<Db, GenerationCache<number, Known>>()

function knownOf(db: Db): GenerationCache<number, Known> {
  let cache = known.get(db)
  if (!cache) {
    cache = createGenerationCache(LIMIT)
    known.set(db, cache)
  }
  return cache
}

/**
 * Returns the dimensions of sessions in the order of `sessions`; reads those that are not cached.
 * @param tx a transaction of `db` that can see the sessions
 * @param span contains the starts of the sessions, both ends included
 * @throws the database error
 */
export async function dimensionsOfSessions(
  db: Db,
  tx: Transaction,
  sessions: { visitorNo: number; sessionNo: number; startedAt: Date }[],
  span: { from: Date; to: Date },
): Promise<Dimensions[]> {
  const cache = knownOf(db)
  const found = sessions.map(({ sessionNo, startedAt }) => {
    const held = cache.get(sessionNo)
    // After a restore of the database, another session can have the same number.
    return held?.startedAt === startedAt.getTime() ? held.dimensions : undefined
  })
  const missing = sessions.filter((_, index) => !found[index])
  if (missing.length === 0) return found as Dimensions[]
  const read = new Map<number, Dimensions>()
  for (const row of await selectSessionDimensions(
    tx,
    arrayText(missing.map(({ visitorNo }) => visitorNo)),
    span.from,
    span.to,
    arrayText(missing.map(({ sessionNo }) => sessionNo)),
  )) {
    const dimensions = compact(row)
    read.set(row.sessionNo, dimensions)
    if (charactersOf(dimensions) <= MAX_CHARACTERS) {
      cache.set(row.sessionNo, { startedAt: row.startedAt.getTime(), dimensions })
    }
  }
  // A deleted site can be purged between the two statements; its hits are not visible anyway.
  return sessions.map(({ sessionNo }, index) => found[index] ?? read.get(sessionNo) ?? NO_DIMENSIONS)
}

const charactersOf = (dimensions: Dimensions): number =>
  Object.values(dimensions).reduce((sum, value) => sum + value.length, 0)
