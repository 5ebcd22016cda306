import type { Queryable } from '../../infra/db.ts'
import { hasHitFilters, sessionDimension, sessionDimensionConditions } from './conditions.ts'
import { type Dimension, isHitDimension } from './dimensions.ts'
import type { Fragment, Scope } from './scope.ts'

/** The hypertables of money: rows carry the session they are attributed to, or none. */
export type MoneyTable = 'revenue' | 'mrr_movements'

/**
 * Rows of money whose session passes the filters; what has no session passes where the empty value does.
 * @param from null: since ever
 * @param value the dimension of sessions that is their column `value`
 */
export function keptMoney(
  db: Queryable,
  scope: Scope,
  table: MoneyTable,
  from: Date | null,
  value?: Dimension,
): Fragment {
  const rows = db(table)
  const inTime = db`
    money.site_no = ${scope.siteNo}::int and money.at < ${scope.end}
    ${from ? db`and money.at >= ${from}` : db``}`
  return db`
    select money.* ${value && !isHitDimension(value) ? db`, ${sessionDimension(db, value)} as value` : db``}
    from ${rows} as money
    left join sessions
      on sessions.site_no = money.site_no
      and sessions.started_at = money.session_at
      and sessions.session_no = money.session_no
      and sessions.started_at >= (select min(session_at) from ${rows} as money where ${inTime})
    where ${inTime} and ${sessionDimensionConditions(db, scope)}
      ${hasHitFilters(scope) ? db`and money.session_no in (select session_no from matching)` : db``}
      ${scope.goal ? db`and money.session_no in (select session_no from converted)` : db``}`
}
