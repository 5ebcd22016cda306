import { keptOf, type Query } from './recount-metrics.ts'
import { byText, type CountedHit, type EventType, grouped, visitorsOf, type World } from './recount-world.ts'

/** Of an item of the event log what the hit decides: no nickname, avatar or fingerprint. */
export type LogItem = ReturnType<typeof logItem>

/**
 * The whole event log, newest first, then by id downwards.
 * @param types empty means all
 */
export function recountLog(world: World, types: EventType[], query: Query): LogItem[] {
  return keptOf(world, query)
    .hits.filter(hit => types.length === 0 || types.includes(hit.type))
    .toSorted((a, b) => b.at - a.at || byText(b.id, a.id))
    .map(logItem)
}

function logItem(hit: CountedHit) {
  const { path, title, hostname, event_name } = hit.values
  // Of the hit that opened the session, as filters see them.
  const { country, size, browser, os } = hit.visit.values
  return {
    id: hit.id,
    event_type: hit.type,
    event_name,
    timestamp: new Date(hit.at).toISOString(),
    path,
    url: `https://${hostname}${path}`,
    title,
    hostname,
    user_id: hit.visit.values.user_id,
    visitor_id: hit.visitor,
    country,
    device: size,
    browser,
    os,
    properties: hit.props,
  }
}

/** The 50 properties with most visitors, then by key and value. */
export function recountProperties(
  world: World,
  eventType: Exclude<EventType, 'pageview'>,
  eventName: string,
  query: Query,
) {
  const hits = keptOf(world, query).hits.filter(
    hit => hit.type === eventType && hit.values.event_name === eventName,
  )
  const carried = hits.flatMap(({ visitor, props }) =>
    Object.entries(props).map(([key, value]) => ({ key, value, visitor })),
  )
  const rows = [...grouped(carried, ({ key, value }) => JSON.stringify([key, value])).values()].map(same => ({
    key: same[0]!.key,
    value: same[0]!.value,
    visitors: visitorsOf(same),
  }))
  return rows
    .toSorted((a, b) => b.visitors - a.visitors || byText(a.key, b.key) || byText(a.value, b.value))
    .slice(0, 50)
}
