import { v5 as uuidv5 } from 'uuid'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { stampServiceEvents } from '../../storage/columns/stamps.ts'
import { newsOf } from '../../storage/events/announcements.ts'
import { attributeAll, awaitVisitor, deleteAwaiting } from '../../storage/events/attribution.ts'
import { noteCandidates } from '../../storage/events/goal-candidates.ts'
import type { LifecycleName } from '../../storage/events/reserved-names.ts'
import { allowColumnstoreWrites } from '../../storage/rollups/columnstore.ts'
import { markBuckets } from '../../storage/rollups/dirty.ts'

/** UUID namespace for the ids of service events. Must never change: stored events could not be found by id any more. */
const NAMESPACE = '5f0f8f0e-3c0b-4d0c-9a53-6f3a1c7b9e11'

export interface ServiceEvent {
  /** Reserved for the service. Readers use the name to find the events that no rollup contains. */
  name: LifecycleName
  at: Date
  /** Id of the event's subject. Site, name, time and key identify the event: a second write changes nothing. */
  key: string
  visitorId?: string | null | undefined
  properties?: Record<string, string> | undefined
}

/** Events are sent as one text of JSON. */
const insertServiceEvents = query<{ siteNo: number; events: string }>('insert-service-events')
const insertAttributedServiceEvents = query<{ siteNo: number; events: string }>(
  'insert-attributed-service-events',
)

const selectDetailsFrom = query<{ siteNo: number }, { detailsFrom: Date | null; watchesGoals: boolean }>(
  'select-details-from',
  `select details_from as "detailsFrom", watches_goals as "watchesGoals" from sites where site_no = :siteNo`,
)

const deleteServiceEvent = query<{ siteNo: number; at: Date; id: string }>(
  'delete-service-event',
  'delete from events where site_no = :siteNo and at = :at and id = :id and is_service',
)

/**
 * Writes events of a site that no tracker sent. They have the visitor and session that they are attributed to, so that
 * filters apply to them. They do not count as visitors, sessions or custom events. Events before the site's details_from are not
 * written: the event log begins there.
 */
export async function writeServiceEvents(
  tx: Transaction,
  { siteNo }: { siteNo: number },
  given: ServiceEvent[],
): Promise<void> {
  const events = await withDetails(tx, siteNo, given)
  if (events.length === 0) return
  // Before the transaction writes: it can wait for hits that are being stored.
  const attributions = await attributeAll(tx, siteNo, events)
  await allowColumnstoreWrites(tx)
  const rows = events.map((event, index) => {
    const { visitorNo: visitor_no, sessionNo: session_no, sessionAt: session_at } = attributions[index]!
    const { name, at, properties: props = null } = event
    return { id: serviceEventId(siteNo, event), at, name, visitor_no, session_no, session_at, props }
  })
  const [plain, attributed] = [
    rows.filter(row => row.session_no === null),
    rows.filter(row => row.session_no !== null),
  ]
  if (plain.length > 0) await insertServiceEvents(tx, { siteNo, events: JSON.stringify(plain) })
  if (attributed.length > 0) {
    await insertAttributedServiceEvents(tx, { siteNo, events: JSON.stringify(attributed) })
  }
  for (const [index, { visitorId }] of events.entries()) {
    const { id, at } = rows[index]!
    await awaitVisitor(tx, attributions[index]!, { siteNo, visitorId, target: 'events', at, id })
  }
  await noteNews(tx, siteNo, events)
  await stampServiceEvents(tx, ofSite(siteNo, events))
  if (!(await markTimes(tx, 'hits', siteNo, events))) return
  // The marks keep details_from from moving. It may have moved since it was read.
  const kept = await withDetails(tx, siteNo, events)
  if (kept.length < events.length) {
    await deleteRows(
      tx,
      siteNo,
      events.filter(event => !kept.includes(event)),
    )
  }
}

/** Alerts count events of the service that convert goals, as far as they are news. */
async function noteNews(tx: Transaction, siteNo: number, events: ServiceEvent[]): Promise<void> {
  if (!newsOf(tx)) return
  const [site] = await selectDetailsFrom(tx, { siteNo })
  if (!site?.watchesGoals) return
  const hits = events.map(event => ({ siteNo, at: event.at.getTime(), id: serviceEventId(siteNo, event) }))
  await noteCandidates(tx, hits)
}

/** Returns the events at times for which the site has details. */
async function withDetails(tx: Transaction, siteNo: number, events: ServiceEvent[]): Promise<ServiceEvent[]> {
  if (events.length === 0) return events
  const [site] = await selectDetailsFrom(tx, { siteNo })
  const detailsFrom = site?.detailsFrom
  return detailsFrom ? events.filter(({ at }) => at >= detailsFrom) : events
}

/** Deletes events; an event that was never written is no error. */
export async function deleteServiceEvents(
  tx: Transaction,
  { siteNo }: { siteNo: number },
  events: ServiceEvent[],
): Promise<void> {
  await deleteRows(tx, siteNo, events)
  await markTimes(tx, 'hits', siteNo, events)
}

async function deleteRows(tx: Transaction, siteNo: number, events: ServiceEvent[]): Promise<void> {
  await allowColumnstoreWrites(tx)
  for (const event of events) {
    const { at, visitorId } = event
    const id = serviceEventId(siteNo, event)
    if (visitorId) await deleteAwaiting(tx, { siteNo, visitorId, ids: [id] })
    await deleteServiceEvent(tx, { siteNo, at, id })
  }
  await stampServiceEvents(tx, ofSite(siteNo, events))
}

const ofSite = (siteNo: number, events: readonly { at: Date }[]) => events.map(({ at }) => ({ siteNo, at }))

/** Returns the id of an event in the event log. */
export function serviceEventId(siteNo: number, { name, key }: ServiceEvent): string {
  return uuidv5(`${siteNo}/${name}/${key}`, NAMESPACE)
}

/**
 * Marks the buckets of these rows dirty: those of hits before those of revenue, since another order could deadlock. Other transactions
 * that change rows in the same bucket wait from then on until this one ends, so it should be the last thing that a transaction does.
 * @returns true when a bucket lies below the watermark
 */
export const markTimes = (
  tx: Transaction,
  aggregate: 'hits' | 'revenue',
  siteNo: number,
  rows: { at: Date }[],
): Promise<boolean> =>
  markBuckets(
    tx,
    aggregate,
    rows.map(({ at }) => ({ siteNo, at: at.getTime() })),
  )
