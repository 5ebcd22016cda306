import type { Db } from '../../src/platform/db/connect.ts'
import { isWithin, periodOf } from './recount-days.ts'
import { sum } from './recount-rounding.ts'
import type { TestSite } from './sites.ts'

/** Goal on events, in a form that is easily compared. */
export interface EventGoal {
  pattern: string
  props: Record<string, string>
  currency: string | null
}

interface StoredEvent {
  at: Date
  name: string
  visitorNo: number | null
  props: Record<string, string> | null
  minor: number | null
  currency: string | null
}

/** Conversions, visitors and reported revenue of a goal. */
export type GoalNumbers = [conversions: number, visitors: number, revenue: number]

/** Counts goals from all stored events of the site, one by one. */
export async function recountEventGoals(
  db: Db,
  { siteNo }: TestSite,
  goals: readonly EventGoal[],
  { zone, from, to }: { zone: string; from: string; to: string },
): Promise<GoalNumbers[]> {
  const period = periodOf(zone, from, to)
  const events = await db<StoredEvent[]>`
    select at, name, visitor_no as "visitorNo", props, revenue_minor as minor, revenue_currency as currency
    from events
    where site_no = ${siteNo} and type = 'event'`
  const inRange = events.filter(({ at }) => isWithin(period, at.getTime()))
  return goals.map(({ pattern, props, currency }) => {
    const met = inRange.filter(
      event =>
        new RegExp(pattern).test(event.name) &&
        Object.entries(props).every(([key, value]) => event.props?.[key] === value),
    )
    const visitors = new Set(met.flatMap(({ visitorNo }) => visitorNo ?? []))
    const paid = met.filter(event => currency !== null && event.currency === currency)
    const revenue = sum(paid.map(({ minor }) => minor ?? 0))
    return [met.length, visitors.size, revenue]
  })
}

/** Replaces the goals of a site; their order stays. */
export async function saveEventGoals(
  db: Db,
  { siteNo }: TestSite,
  goals: readonly EventGoal[],
): Promise<void> {
  await db`delete from goals where site_no = ${siteNo}`
  for (const [index, { pattern, props, currency }] of goals.entries()) {
    await db`
      insert into goals (site_no, display_name, type, match_value, match_operator, custom_props, currency)
      values (
        ${siteNo}, ${String(index).padStart(3, '0')}, 'event', ${pattern}, 'matches_regex', ${db.json(props)}, ${currency}
      )`
  }
}
