import { v5 as uuidv5 } from 'uuid'
import { statement, type Transaction } from '../infra/db.ts'
import type { LifecycleName } from '../ingestion/reserved-names.ts'
import { markBuckets } from '../rollups/dirty.ts'
import { type Attribution, attribute, awaitVisitor } from './attribution.ts'

/** Ids of service events are made in it, so it never changes. */
const NAMESPACE = '5f0f8f0e-3c0b-4d0c-9a53-6f3a1c7b9e11'

export interface ServiceEvent {
  /** Only the service writes it: readers tell by it what no fold holds. */
  name: LifecycleName
  at: Date
  /** What it tells of. With site, name and time it is the event's identity: writing it again changes nothing. */
  key: string
  visitorId?: string | null | undefined
  properties?: Record<string, string> | undefined
}

const allowColumnstoreWrites = statement('allow-purge')
const insertServiceEvents = statement('insert-service-events')
const deleteAwaiting = statement('delete-awaiting')
const deleteServiceEvent = statement('delete-service-event')

/**
 * Writes events of a site that no tracker sent. They carry the visitor and session they are attributed to, and with it
 * what filters look at; they make no visitor, session or custom event.
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

/** Takes events away as if they had never been written, whether they were or not. */
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

/** The id that an event has in the event log. */
export function serviceEventId(siteNo: number, { name, key }: ServiceEvent): string {
  return uuidv5(`${siteNo}/${name}/${key}`, NAMESPACE)
}

const mark = (tx: Transaction, siteNo: number, events: ServiceEvent[]) =>
  markBuckets(
    tx,
    'hits',
    events.map(({ at }) => ({ siteNo, at: at.getTime() })),
  )
