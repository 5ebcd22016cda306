import type { Queryable } from '../../infra/db.ts'
import { hasHitFilters, sessionDimension, sessionDimensionConditions } from './conditions.ts'
import { type Dimension, isHitDimension } from './dimensions.ts'
import type { Fragment, Scope } from './scope.ts'

/** The hypertables of money: rows carry the session they are attributed to, or none. */
export type MoneyTable = 'revenue' | 'mrr_movements'

/** From so many payments on, all sessions they may be of are read at once; fewer are looked up one by one. */
export const MANY_PAYMENTS = 2_000

/**
 * Rows of money whose session passes the filters; what has no session passes where the empty value does.
 * @param from null: since ever
 * @param value the dimension of sessions that is their column `value`
 * @param isMuch they are `MANY_PAYMENTS` or more; a guess of the planner's would do either for the wrong number
 */
export function keptMoney(
  db: Queryable,
  scope: Scope,
  table: MoneyTable,
  from: Date | null,
  value?: Dimension,
  isMuch = false,
): Fragment {
  const rows = db(table)
  const inTime = db`
    money.site_no = ${scope.siteNo}::int and money.at < ${scope.end}
    ${from ? db`and money.at >= ${from}` : db``}`
  const asksForSession = [value, ...scope.filters.dimensions.map(({ dimension }) => dimension)].some(
    dimension => dimension && !isHitDimension(dimension),
  )
  const ofMoney = db`
    sessions.site_no = money.site_no
    and sessions.started_at = money.session_at
    and sessions.session_no = money.session_no`
  return db`
    select money.* ${value && !isHitDimension(value) ? db`, ${sessionDimension(db, value)} as value` : db``}
    from ${rows} as money
    ${
      !asksForSession
        ? db``
        : isMuch
          ? db`
    left join sessions
      on ${ofMoney}
      and sessions.started_at >= (select min(session_at) from ${rows} as money where ${inTime})
      and sessions.started_at <= (select max(session_at) from ${rows} as money where ${inTime})`
          : db`left join lateral (select * from sessions where ${ofMoney} limit 1) as sessions on true`
    }
    where ${inTime} and ${sessionDimensionConditions(db, scope)}
      ${hasHitFilters(scope) ? db`and money.session_no in (select session_no from matching)` : db``}
      ${scope.goal ? db`and money.session_no in (select session_no from converted)` : db``}`
}
