import type { Queryable } from '../../db/connect.ts'
import { isHitDimension } from '../../dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../dimensions/registry.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { Fragment } from './bounds.ts'
import {
  conditionsOnJoinedSession,
  inConvertedSession,
  inMatchingSession,
  takesMoneyWithoutSession,
} from './conditions.ts'
import { asValue, hasValue, type ValueOptions, valueOfMoney } from './values.ts'

/** From this number of payments on, one scan reads all sessions they may belong to; below it, each session is looked up. */
export const MANY_PAYMENTS = 2_000

interface FilteredMoneyOptions extends ValueOptions {
  isMuch?: boolean | undefined
}

/**
 * Rows of money whose session matches the filters; a row without a session matches where the empty value matches.
 * @param from null: no lower bound
 * @param options.value the dimension of sessions that becomes the column `value`, or `hour_of_week`, of the money itself
 * @param options.isMuch whether there are `MANY_PAYMENTS` rows or more; the planner's estimate would select the wrong join
 */
export function filteredMoney(
  db: Queryable,
  resolved: ResolvedQuery,
  table: 'revenue' | 'mrr_movements',
  from: Date | null,
  options: FilteredMoneyOptions = {},
): Fragment {
  const { value, isMuch = false } = options
  const rows = db(table)
  const moneyValue = valueOfMoney(db, resolved, options)
  const inTime = db`
    money.site_no = ${resolved.siteNo}::int and money.at < ${resolved.end}
    ${from ? db`and money.at >= ${from}` : db``}`
  const needsSession = [
    value === HOUR_OF_WEEK ? undefined : value,
    ...resolved.filters.dimensions.map(({ dimension }) => dimension),
  ].some(dimension => dimension && !isHitDimension(dimension))
  const ofMoney = db`
    sessions.site_no = ${resolved.siteNo}::int
    and sessions.started_at = money.session_at
    and sessions.session_no = money.session_no`
  return db`
    select money.* ${asValue(db, moneyValue)}
    from (
      select * from ${rows} as money where ${inTime}
      -- Keeps conditions with parameters away from the chunks: TimescaleDB 2.28 now and then reads none of them in a parallel plan.
      offset 0
    ) as money
    ${
      !needsSession
        ? db``
        : isMuch
          ? db`
    ${takesMoneyWithoutSession(resolved) ? db`left join` : db`join`} sessions
      on ${ofMoney}
      and sessions.started_at >= (select min(session_at) from ${rows} as money where ${inTime})
      and sessions.started_at <= (select max(session_at) from ${rows} as money where ${inTime})`
          : db`left join lateral (select * from sessions where ${ofMoney} limit 1) as sessions on true`
    }
    where ${conditionsOnJoinedSession(db, resolved)}
      ${hasValue(db, moneyValue, options)}
      ${inMatchingSession(db, resolved, db`money.session_no`)}
      ${inConvertedSession(db, resolved, db`money.session_no`)}`
}
