import type { Db } from '../../db/connect.ts'
import { inSnapshot } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { groupBy } from '../../lib/group-by.ts'
import { addVisitors, readIntArray } from '../daily/visitor-set.ts'
import { datesOf, type ServiceDay } from '../protocol.ts'

/** Events of a name on a day, as they are stored. */
export interface NameCounts {
  name: string
  conversions: number
  /** Reported by the events: minor units as text, by currency. */
  revenue: Record<string, string>
  /** Serialized visitor set, base64. */
  visitors: string
}

/** Events of a name with equal properties. */
export interface PropertyCounts extends NameCounts {
  props: Record<string, string>
}

interface CountedEvents {
  name: string
  props: Record<string, string> | null
  currency: string | null
  conversions: number
  revenue: string
  /** array_send bytes of visitor_no. */
  visitors: Buffer | null
}

const countServiceEvents = query<{ siteNo: number; start: Date; end: Date }, CountedEvents>(
  'count-service-events',
  `
  select
    name,
    props,
    revenue_currency as currency,
    count(*) as conversions,
    coalesce(sum(revenue_minor), 0)::text as revenue,
    array_send(array_agg(distinct visitor_no) filter (where visitor_no is not null)) as visitors
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and is_service and type = 'event'
  group by name, props, revenue_currency`,
)

// A transaction that has touched the day since it was prepared has deleted its row.
const writeCounts = query<
  Pick<ServiceDay, 'siteNo' | 'version'> & {
    start: Date
    end: Date
    counts: string
    properties: string | null
  }
>(
  'write-service-counts',
  `
  update daily_service_events
  set counts = :counts::text::jsonb, properties = :properties::text::jsonb
  where site_no = :siteNo::int and starts_at = :start::timestamptz and ends_at = :end::timestamptz
    and version = :version::uuid`,
)

/**
 * Counts the events that the service wrote on a day that was prepared for it. Writes nothing when one of them has changed since: the day is
 * prepared again then.
 */
export async function countServiceDay(db: Db, day: ServiceDay): Promise<undefined> {
  const { siteNo, version } = day
  const span = datesOf(day)
  const counted = await inSnapshot(db, tx => countServiceEvents(tx, { siteNo, ...span }))
  const counts = [...groupBy(counted, ({ name }) => name)].map(
    ([name, events]): NameCounts => ({ name, ...sumOf(events) }),
  )
  const withProperties = counted.filter(({ props }) => props !== null)
  const properties = [
    ...groupBy(withProperties, ({ name, props }) => `${name}/${JSON.stringify(props)}`).values(),
  ].map((events): PropertyCounts => ({ name: events[0]!.name, props: events[0]!.props!, ...sumOf(events) }))
  await writeCounts(db, {
    siteNo,
    version,
    ...span,
    counts: JSON.stringify(counts),
    properties: properties.length > 0 ? JSON.stringify(properties) : null,
  })
}

function sumOf(events: readonly CountedEvents[]): Omit<NameCounts, 'name'> {
  const revenue: Record<string, string> = {}
  let visitors: Buffer | undefined
  for (const { currency, revenue: reported, visitors: seen } of events) {
    if (currency !== null) revenue[currency] = String(BigInt(revenue[currency] ?? 0) + BigInt(reported))
    visitors = addVisitors(visitors, readIntArray(seen))
  }
  return {
    conversions: events.reduce((sum, { conversions }) => sum + conversions, 0),
    revenue,
    visitors: visitors!.toString('base64'),
  }
}
