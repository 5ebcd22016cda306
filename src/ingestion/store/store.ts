import { type Db, statement, type Transaction } from '../../infra/db.ts'
import { attributeAwaiting, NEWCOMERS_LOCK } from '../../revenue/attribution.ts'
import { closesAt } from '../../rollups/daily/row-slice.ts'
import { markBuckets, markRollups } from '../../rollups/dirty.ts'
import { type EnrichedHit, PARTITIONS } from '../hit.ts'
import { type BoundedHits, boundValues, MOST_VALUES } from './bound-values.ts'
import { findStored } from './find-stored.ts'
import { place } from './place.ts'
import { recountVisits } from './recount-visits.ts'
import * as rows from './rows.ts'
import type { Placed, Visitor } from './timeline.ts'
import { loadWorld } from './world.ts'

const lockPartition = statement('lock-partition')
const selectLiveSites = statement<{ siteNo: number }>('select-live-sites')
const drawNumbers = statement<{ visitorNos: number[]; sessionNos: number[] }>('draw-numbers')
const insertVisitors = statement('insert-visitors')
const updateVisitors = statement('update-visitors')
const insertSessions = statement('insert-sessions')
const touchSessions = statement('touch-sessions')
const insertEvents = statement('insert-events')
const upsertIdentities = statement('upsert-identities')
const upsertErrorGroups = statement('upsert-error-groups')
const updateFirstEvents = statement('update-first-events')

/** First of the two keys of a partition's advisory lock. */
const PARTITION_LOCKS = 7_116_502
const ALL_PARTITIONS = Array.from({ length: PARTITIONS }, (_, partition) => partition)

export interface Stored {
  stored: number
  /** Hits that an earlier delivery had already stored. */
  repeated: number
  /** Hits of deleted sites. */
  dropped: number
  /** Orphan engagement; its pageview may still arrive in another batch. */
  orphanEngagement: EnrichedHit[]
  /** Hits with a value above the limit of their site and day, by kind of value. */
  others: BoundedHits['others']
  /** Sites, days and kinds of values that reached the limit with this batch. */
  filled: ReturnType<BoundedHits['commit']>
}

/** Adds the results of two batches, or of the two halves of a batch. */
export function addStored(a: Stored, b: Stored): Stored {
  return {
    stored: a.stored + b.stored,
    repeated: a.repeated + b.repeated,
    dropped: a.dropped + b.dropped,
    orphanEngagement: [...a.orphanEngagement, ...b.orphanEngagement],
    others: {
      event_name: a.others.event_name + b.others.event_name,
      property_key: a.others.property_key + b.others.property_key,
      error_group: a.others.error_group + b.others.error_group,
    },
    filled: [...a.filled, ...b.filled],
  }
}

export const nothingStored = (): Stored => ({
  stored: 0,
  repeated: 0,
  dropped: 0,
  orphanEngagement: [],
  others: { event_name: 0, property_key: 0, error_group: 0 },
  filled: [],
})

/**
 * Stores a batch in one transaction. Skips hits that are already stored, so that a batch can be delivered any number of times.
 * @param partition one or more partitions of the hits' visitors; 'all' if unknown, which blocks every other batch
 * @param mostValues limit of distinct values of a site and day, for event names, property keys and errors each
 * @throws the database error; nothing is stored then
 */
export async function storeHits(
  db: Db,
  partition: number | number[] | 'all',
  hits: EnrichedHit[],
  mostValues = MOST_VALUES,
): Promise<Stored> {
  const partitions = partition === 'all' ? ALL_PARTITIONS : [partition].flat()
  let bounded: BoundedHits | undefined
  const stored = (await db.begin(async tx => {
    bounded = undefined
    // Lock in a fixed order to prevent deadlocks.
    for (const locked of partitions.toSorted((a, b) => a - b))
      await lockPartition(tx, PARTITION_LOCKS, locked)
    const live = await leaveOutDeletedSites(tx, hits)
    const fresh = await leaveOutStored(tx, live)
    const placed: Placed[] = []
    const orphanEngagement: EnrichedHit[] = []
    if (fresh.length > 0) {
      fresh.sort(byTime)
      bounded = await boundValues(db, tx, fresh, mostValues)
      const world = await loadWorld(db, tx, bounded.hits)
      for (const hit of bounded.hits) {
        const row = place(world, hit)
        if (row) placed.push(row)
        else orphanEngagement.push(hit)
      }
      await write(tx, placed, [...world.visitors.values()])
    }
    return {
      stored: placed.length,
      repeated: live.length - fresh.length,
      dropped: hits.length - live.length,
      orphanEngagement,
    }
  })) as Omit<Stored, 'others' | 'filled'>
  return {
    ...stored,
    others: bounded?.others ?? nothingStored().others,
    filled: bounded?.commit() ?? [],
  }
}

function byTime(a: EnrichedHit, b: EnrichedHit): number {
  return a.at - b.at || (a.line ?? 0) - (b.line ?? 0) || (a.id < b.id ? -1 : 1)
}

async function leaveOutDeletedSites(tx: Transaction, hits: EnrichedHit[]): Promise<EnrichedHit[]> {
  const rows = await selectLiveSites(tx, [...new Set(hits.map(hit => hit.siteNo))])
  const live = new Set(rows.map(row => row.siteNo))
  return hits.filter(hit => live.has(hit.siteNo))
}

async function leaveOutStored(tx: Transaction, hits: EnrichedHit[]): Promise<EnrichedHit[]> {
  const seen = await findStored(tx, hits)
  // Also remove duplicates: a batch merged from two deliveries of one job holds a hit twice.
  return hits.filter(hit => !seen.has(hit.id) && seen.add(hit.id))
}

async function write(tx: Transaction, placed: Placed[], visitors: Visitor[]): Promise<void> {
  const newVisitors = visitors.filter(visitor => visitor.isNew).sort((a, b) => a.firstSeenAt - b.firstSeenAt)
  const changedVisitors = visitors.filter(visitor => !visitor.isNew && visitor.isChanged)
  const sessions = visitors.flatMap(visitor => visitor.sessions.map(session => ({ visitor, session })))
  const newSessions = sessions
    .filter(({ session }) => session.isNew)
    .sort((a, b) => a.session.startedAt - b.session.startedAt)
  const touchedSessions = sessions.filter(({ session }) => !session.isNew && session.isChanged)

  if (newVisitors.length > 0 || newSessions.length > 0) {
    const [numbers] = await drawNumbers(
      tx,
      newVisitors.length,
      newSessions.length,
      NEWCOMERS_LOCK,
      newSessions.map(({ visitor }) => visitor.siteNo),
    )
    newVisitors.forEach((visitor, index) => {
      visitor.visitorNo = numbers!.visitorNos[index]!
    })
    newSessions.forEach(({ session }, index) => {
      session.sessionNo = numbers!.sessionNos[index]!
    })
  }
  if (newVisitors.length > 0) await insertVisitors(tx, ...rows.newVisitorRows(newVisitors))
  if (changedVisitors.length > 0) await updateVisitors(tx, ...rows.changedVisitorRows(changedVisitors))
  if (newSessions.length > 0) await insertSessions(tx, ...rows.newSessionRows(newSessions))
  if (touchedSessions.length > 0) await touchSessions(tx, ...rows.touchedSessionRows(touchedSessions))
  const written = [...newSessions, ...touchedSessions]
  if (placed.length > 0) await insertEvents(tx, ...rows.eventRows(placed))
  const attributed = await attributeAwaiting(tx, visitors.filter(hasFirstSessions))
  const identities = rows.identityRows(placed)
  if (identities) await upsertIdentities(tx, ...identities)
  const errors = rows.errorRows(placed)
  if (errors) await upsertErrorGroups(tx, ...errors)
  await noteFirstEvents(tx, placed)

  const renumbered = await recountVisits(tx, visitors)
  await markBuckets(tx, 'hits', [
    ...placed.map(({ hit }) => ({ siteNo: hit.siteNo, at: hit.at })),
    ...attributed,
  ])
  await markBuckets(tx, 'sessions', [
    ...written.map(({ visitor, session }) => ({
      siteNo: visitor.siteNo,
      at: session.startedAt,
    })),
    ...renumbered,
  ])
  await markRollups(tx, [
    ...placed
      .filter(({ hit }) => isVisible(hit))
      .map(({ hit }) => ({ siteNo: hit.siteNo, at: hit.at, changedAt: hit.at })),
    ...written.map(({ visitor, session }) => ({
      siteNo: visitor.siteNo,
      at: session.startedAt,
      changedAt: closesAt(Math.min(session.storedLastAt, session.lastAt)),
    })),
  ])
}

/** Tells whether all sessions of the visitor are new: stored payments and events may wait for a session of the visitor. */
function hasFirstSessions({ sessionCount, sessions }: Visitor): boolean {
  return sessionCount > 0 && sessions.filter(session => session.isNew).length === sessionCount
}

/** Engagement and identify hits are not counted. */
const isVisible = ({ type }: EnrichedHit): boolean => type !== 'engagement' && type !== 'identify'

/** Updates the first event of each site from pageviews and events; other hits do not count as data. */
async function noteFirstEvents(tx: Transaction, placed: Placed[]): Promise<void> {
  const first = new Map<number, number>()
  for (const { hit } of placed) {
    if (!isVisible(hit)) continue
    if (hit.at < (first.get(hit.siteNo) ?? Number.POSITIVE_INFINITY)) first.set(hit.siteNo, hit.at)
  }
  if (first.size > 0) await updateFirstEvents(tx, [...first.keys()], [...first.values()])
}
