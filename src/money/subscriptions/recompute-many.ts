import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { groupBy } from '../../platform/lib/group-by.ts'
import { attributeAll, awaitVisitor } from '../../storage/events/attribution.ts'
import { writeServiceEvents } from '../ledger/service-events.ts'
import { recordLookups } from '../processor/lookups.ts'
import { eventOf, type LifecycleEventRow } from './lifecycle-events.ts'
import { loadHistories, type NamedHistory } from './load-histories.ts'
import { compensate } from './movements.ts'
import {
  customerKey,
  planSubscription,
  type SubscriptionPlan,
  type SubscriptionRow,
} from './plan-subscription.ts'
import { deriveMrrChanges, type MovementRow, recomputeSubscription } from './recompute-subscription.ts'

interface Of {
  siteNo: number
  subscriptionIds: readonly string[]
}

interface Id {
  subscriptionId: string
}

const selectRows = query<Of, SubscriptionRow & Id>(
  'select-subscriptions-to-recompute',
  `select
    subscription_id as "subscriptionId", customer_id as "customerId", currency, status, mrr_minor as mrr, state,
    started_at as "startedAt", ended_at as "endedAt"
  from subscriptions
  where site_no = :siteNo and subscription_id = any(:subscriptionIds::text[])`,
)

const selectMovements = query<Of, Pick<MovementRow, 'at' | 'kind' | 'currency' | 'amountMinor'> & Id>(
  'select-movements-to-recompute',
  `select subscription_id as "subscriptionId", at, kind, currency, amount_minor as "amountMinor"
  from mrr_movements
  where site_no = :siteNo and subscription_id = any(:subscriptionIds::text[])`,
)

const selectLifecycleEvents = query<Of, LifecycleEventRow & Id>(
  'select-lifecycle-events-to-recompute',
  `select
    subscription_id as "subscriptionId", name, key, (extract(epoch from at) * 1000)::bigint as at,
    visitor_id as "visitorId"
  from lifecycle_events
  where site_no = :siteNo and subscription_id = any(:subscriptionIds::text[])`,
)

const insertRows = query<{ siteNo: number; rows: string }>(
  'insert-subscriptions',
  `insert into subscriptions (
    site_no, subscription_id, customer_id, currency, status, mrr_minor, state, started_at, ended_at
  )
  select :siteNo::int, given.*
  from jsonb_to_recordset(:rows::text::jsonb) as given (
    "subscriptionId" text, "customerId" text, currency text, status text, mrr bigint, state jsonb,
    "startedAt" timestamptz, "endedAt" timestamptz
  )`,
)

const insertMovements = query<{ siteNo: number; rows: string }>(
  'insert-movements',
  `insert into mrr_movements (
    site_no, at, id, subscription_id, kind, currency, amount_minor, visitor_no, session_no, session_at
  )
  select :siteNo::int, given.*
  from jsonb_to_recordset(:rows::text::jsonb) as given (
    at timestamptz, id uuid, "subscriptionId" text, kind text, currency text, "amountMinor" bigint, "visitorNo" int,
    "sessionNo" bigint, "sessionAt" timestamptz
  )`,
)

const insertLifecycleEvents = query<{ siteNo: number; rows: string }>(
  'insert-lifecycle-events',
  `insert into lifecycle_events (site_no, subscription_id, name, key, at, visitor_id)
  select :siteNo::int, given.*
  from jsonb_to_recordset(:rows::text::jsonb) as given (
    "subscriptionId" text, name text, key text, at timestamptz, "visitorId" uuid
  )`,
)

type Planned = NamedHistory & SubscriptionPlan & Id

/**
 * Recomputes many subscriptions with a few statements for all: those without records yet, nearly all of them in an import, are
 * written at once, and unchanged ones are only compared. The others take the way of an event.
 * @returns ids of invoices that were found to be a renewal, or to be none any more, among subscriptions that were known before
 */
export async function recomputeMany(
  tx: Transaction,
  siteNo: number,
  subscriptionIds: readonly string[],
): Promise<string[]> {
  const histories = await loadHistories(tx, siteNo, subscriptionIds)
  const of = { siteNo, subscriptionIds }
  const idOf = ({ subscriptionId }: Id) => subscriptionId
  const rows = new Map((await selectRows(tx, of)).map(({ subscriptionId, ...row }) => [subscriptionId, row]))
  const movements = groupBy(await selectMovements(tx, of), idOf)
  const events = groupBy(await selectLifecycleEvents(tx, of), idOf)
  const fresh: Planned[] = []
  const changed: string[] = []
  for (const [subscriptionId, found] of histories) {
    const plan = { subscriptionId, ...found, ...planSubscription(found.history, found.visitorId) }
    const known = {
      row: rows.get(subscriptionId),
      movements: movements.get(subscriptionId) ?? [],
      events: events.get(subscriptionId) ?? [],
    }
    if (!known.row && known.movements.length === 0 && known.events.length === 0) fresh.push(plan)
    else if (!isRecorded(plan, known)) changed.push(subscriptionId)
  }
  await writeFresh(tx, siteNo, fresh)
  const customers = fresh.flatMap(({ subscriptionId, row, movements }) =>
    movements.length > 0 ? [customerKey({ subscriptionId }, row?.customerId)] : [],
  )
  const renewalsChanged: string[] = []
  for (const subscriptionId of changed) {
    const again = await recomputeSubscription(tx, { siteNo, subscriptionId })
    customers.push(...again.customersMoved)
    renewalsChanged.push(...again.renewalsChanged)
  }
  if (customers.length > 0) await deriveMrrChanges(tx, { siteNo, customers: [...new Set(customers)].sort() })
  const needed = [...histories.values()].flatMap(({ history }) => history.needed)
  await recordLookups(tx, siteNo, [...new Map(needed.map(each => [`${each.of}/${each.id}`, each])).values()])
  return renewalsChanged
}

interface Known {
  row: SubscriptionRow | undefined
  movements: Pick<MovementRow, 'at' | 'kind' | 'currency' | 'amountMinor'>[]
  events: LifecycleEventRow[]
}

/** Whether everything is recorded as planned. */
function isRecorded({ row, movements, lifecycleEvents, visitorId }: Planned, known: Known): boolean {
  if (!isDeepStrictEqual(known.row, row)) return false
  const recorded = known.movements.map(each => ({ ...each, at: each.at.getTime() }))
  if (compensate(recorded, movements).length > 0) return false
  const identity = ({ name, key, at }: { name: string; key: string; at: number }, of: string | null) =>
    `${name}/${key}/${at}/${of}`
  const there = new Set(known.events.map(each => identity(each, each.visitorId)))
  return (
    there.size === new Set(lifecycleEvents.map(each => identity(each, visitorId))).size &&
    lifecycleEvents.every(each => there.has(identity(each, visitorId)))
  )
}

async function writeFresh(tx: Transaction, siteNo: number, fresh: readonly Planned[]): Promise<void> {
  const moved = fresh.flatMap(({ subscriptionId, visitorId, movements }) =>
    movements.map(({ at, ...movement }) => ({
      ...movement,
      subscriptionId,
      visitorId,
      at: new Date(at),
      id: randomUUID(),
    })),
  )
  // Before the transaction writes: it can wait for hits that are being stored.
  const attributions = await attributeAll(tx, siteNo, moved)
  const told = fresh.flatMap(({ subscriptionId, visitorId, lifecycleEvents }) =>
    lifecycleEvents.map(({ name, key, at }) => ({ subscriptionId, visitorId, name, key, at })),
  )
  await writeServiceEvents(
    tx,
    { siteNo },
    told.map(each => eventOf(each.subscriptionId, each, each.visitorId)),
  )
  const rows = fresh.flatMap(({ subscriptionId, row }) => (row ? [{ subscriptionId, ...row }] : []))
  // Rows first: the trigger of movements looks up the customer there.
  if (rows.length > 0) await insertRows(tx, { siteNo, rows: JSON.stringify(rows) })
  if (moved.length > 0) {
    const attributed = moved.map(({ visitorId: _, ...row }, index) => ({ ...row, ...attributions[index]! }))
    await insertMovements(tx, { siteNo, rows: JSON.stringify(attributed) })
  }
  for (const [index, { visitorId, at, id }] of moved.entries()) {
    await awaitVisitor(tx, attributions[index]!, { siteNo, visitorId, target: 'mrr_movements', at, id })
  }
  if (told.length > 0) {
    const listed = told.map(each => ({ ...each, at: new Date(each.at) }))
    await insertLifecycleEvents(tx, { siteNo, rows: JSON.stringify(listed) })
  }
}
