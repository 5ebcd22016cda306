import { v5 as uuidv5 } from 'uuid'
import { statement, type Transaction } from '../infra/db.ts'
import type { LifecycleName } from '../ingestion/reserved-names.ts'
import { markBuckets } from '../rollups/dirty.ts'
import { type Attribution, attribute, awaitVisitor } from './attribution.ts'

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

const allowColumnstoreWrites = statement('allow-purge')
const insertServiceEvents = statement('insert-service-events')
const deleteAwaiting = statement('delete-awaiting')
const deleteServiceEvent = statement('delete-service-event')

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
  const rows: { event: ServiceEvent; id: string; attribution: Attribution }[] = []
  for (const event of events) {
    const attribution = await attribute(tx, siteNo, event.visitorId, event.at)
    rows.push({ event, id: serviceEventId(siteNo, event), attribution })
  }
  await allowColumnstoreWrites(tx)
  await insertServiceEvents(
    tx,
    siteNo,
    rows.map(({ event }) => event.at.getTime()),
    rows.map(({ id }) => id),
    rows.map(({ event }) => event.name),
    rows.map(({ attribution }) => attribution.visitorNo),
    rows.map(({ attribution }) => attribution.sessionNo),
    rows.map(({ attribution }) => attribution.sessionAt?.getTime() ?? null),
    rows.map(({ event }) => (event.properties ? JSON.stringify(event.properties) : null)),
  )
  for (const { event, id, attribution } of rows) {
    if (!attribution.isPending) continue
    await awaitVisitor(tx, siteNo, event.visitorId!, [{ target: 'events', at: event.at, id }])
  }
  await mark(tx, siteNo, events)
}

/** Deletes events; an event that was never written is no error. */
export async function eraseServiceEvents(
  tx: Transaction,
  { siteNo }: { siteNo: number },
  events: ServiceEvent[],
): Promise<void> {
  await allowColumnstoreWrites(tx)
  for (const event of events) {
    const id = serviceEventId(siteNo, event)
    if (event.visitorId) await deleteAwaiting(tx, siteNo, event.visitorId, [id])
    await deleteServiceEvent(tx, siteNo, event.at, id)
  }
  await mark(tx, siteNo, events)
}

/** Returns the id of an event in the event log. */
export function serviceEventId(siteNo: number, { name, key }: ServiceEvent): string {
  return uuidv5(`${siteNo}/${name}/${key}`, NAMESPACE)
}

const mark = (tx: Transaction, siteNo: number, events: ServiceEvent[]) =>
  markBuckets(
    tx,
    'hits',
    events.map(({ at }) => ({ siteNo, at: at.getTime() })),
  )
