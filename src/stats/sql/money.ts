import type { Queryable } from '../../db/connect.ts'
import { type Dimension, isHitDimension } from '../../dimensions/dimensions.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { Fragment } from './bounds.ts'
import { conditionsOnJoinedSession, inMatchingSession, sessionDimension } from './conditions.ts'

/** From this number of payments on, one scan reads all sessions they may belong to; below it, each session is looked up. */
export const MANY_PAYMENTS = 2_000

interface FilteredMoneyOptions {
  value?: Dimension | undefined
  values?: readonly string[] | undefined
  isMuch?: boolean | undefined
}

/**
 * Rows of money whose session matches the filters; a row without a session matches where the empty value matches.
 * @param from null: no lower bound
 * @param value the dimension of sessions that becomes the column `value`
 * @param values the only values of this dimension
 * @param isMuch whether there are `MANY_PAYMENTS` rows or more; the planner's estimate would select the wrong join
 */
export function filteredMoney(
  db: Queryable,
  resolved: ResolvedQuery,
  table: 'revenue' | 'mrr_movements',
  from: Date | null,
  { value, values, isMuch = false }: FilteredMoneyOptions = {},
): Fragment {
  const rows = db(table)
  const inTime = db`
    money.site_no = ${resolved.siteNo}::int and money.at < ${resolved.end}
    ${from ? db`and money.at >= ${from}` : db``}`
  const needsSession = [value, ...resolved.filters.dimensions.map(({ dimension }) => dimension)].some(
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
      !needsSession
        ? db``
        : isMuch
          ? db`
    left join sessions
      on ${ofMoney}
      and sessions.started_at >= (select min(session_at) from ${rows} as money where ${inTime})
      and sessions.started_at <= (select max(session_at) from ${rows} as money where ${inTime})`
          : db`left join lateral (select * from sessions where ${ofMoney} limit 1) as sessions on true`
    }
    where ${inTime} and ${conditionsOnJoinedSession(db, resolved)}
      ${values && value && !isHitDimension(value) ? db`and ${sessionDimension(db, value)} = any(${values}::text[])` : db``}
      ${inMatchingSession(db, resolved, db`money.session_no`)}
      ${resolved.goal ? db`and money.session_no in (select session_no from converted_sessions)` : db``}`
}
