import { v5 as uuidv5 } from 'uuid'
import type { Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { type Attribution, attribute, awaitVisitor, deleteAwaiting } from '../../events/attribution.ts'
import type { LifecycleName } from '../../events/reserved-names.ts'
import { allowColumnstoreWrites } from '../../rollups/columnstore.ts'
import { markBuckets } from '../../rollups/dirty.ts'

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

const insertServiceEvents = query<{
  siteNo: number
  /** ISO 8601: the driver cannot send an array of Dates. */
  times: string[]
  ids: string[]
  names: string[]
  visitorNos: (number | null)[]
  sessionNos: (number | null)[]
  sessionAts: (string | null)[]
  properties: (string | null)[]
}>('insert-service-events')

const deleteServiceEvent = query<{ siteNo: number; at: Date; id: string }>(
  'delete-service-event',
  'delete from events where site_no = :siteNo and at = :at and id = :id and is_service',
)

/**
 * Writes events of a site that no tracker sent. They have the visitor and session that they are attributed to, so that
 * filters apply to them. They do not count as visitors, sessions or custom events.
 */
export async function writeServiceEvents(
  tx: Transaction,
  { siteNo }: { siteNo: number },
  events: ServiceEvent[],
): Promise<void> {
  if (events.length === 0) return
  const rows: (ServiceEvent & { id: string; attribution: Attribution })[] = []
  for (const event of events) {
    const attribution = await attribute(tx, siteNo, event.visitorId, event.at)
    rows.push({ ...event, id: serviceEventId(siteNo, event), attribution })
  }
  await allowColumnstoreWrites(tx)
  await insertServiceEvents(tx, {
    siteNo,
    times: rows.map(({ at }) => at.toISOString()),
    ids: rows.map(({ id }) => id),
    names: rows.map(({ name }) => name),
    visitorNos: rows.map(({ attribution }) => attribution.visitorNo),
    sessionNos: rows.map(({ attribution }) => attribution.sessionNo),
    sessionAts: rows.map(({ attribution }) => attribution.sessionAt?.toISOString() ?? null),
    properties: rows.map(({ properties }) => (properties ? JSON.stringify(properties) : null)),
  })
  for (const { at, id, visitorId, attribution } of rows) {
    if (attribution.isPending) await awaitVisitor(tx, siteNo, visitorId!, [{ target: 'events', at, id }])
  }
  await markHits(tx, siteNo, events)
}

/** Deletes events; an event that was never written is no error. */
export async function deleteServiceEvents(
  tx: Transaction,
  { siteNo }: { siteNo: number },
  events: ServiceEvent[],
): Promise<void> {
  await allowColumnstoreWrites(tx)
  for (const event of events) {
    const { at, visitorId } = event
    const id = serviceEventId(siteNo, event)
    if (visitorId) await deleteAwaiting(tx, { siteNo, visitorId, ids: [id] })
    await deleteServiceEvent(tx, { siteNo, at, id })
  }
  await markHits(tx, siteNo, events)
}

/** Returns the id of an event in the event log. */
export function serviceEventId(siteNo: number, { name, key }: ServiceEvent): string {
  return uuidv5(`${siteNo}/${name}/${key}`, NAMESPACE)
}

const markHits = (tx: Transaction, siteNo: number, events: ServiceEvent[]) =>
  markBuckets(
    tx,
    'hits',
    events.map(({ at }) => ({ siteNo, at: at.getTime() })),
  )
