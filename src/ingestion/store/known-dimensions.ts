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

/** Sessions that are known, of half an hour of a busy service; some 700 bytes each. */
const LIMIT = 50_000
/** What is longer is read each time. */
const MAX_CHARACTERS = 1_000

/** Of each database: what its sessions took from their opening hits, which never changes, and is most of what they are. */
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
 * The dimensions of sessions, in their order; those that are not known yet are read.
 * @param tx a transaction of `db` that has seen them
 * @param span in which they started, both ends included
 * @throws what the database throws
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
    // Another one has the number where a database was put back to an earlier state.
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
  // A site that is deleted may be purged between two statements: nobody sees its hits.
  return sessions.map(({ sessionNo }, index) => found[index] ?? read.get(sessionNo) ?? NO_DIMENSIONS)
}

const charactersOf = (dimensions: Dimensions): number =>
  Object.values(dimensions).reduce((sum, value) => sum + value.length, 0)
