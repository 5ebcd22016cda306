import { abandonable } from '../../infra/abandon.ts'
import { nameComment, type Queryable, queryText } from '../../infra/db.ts'
import {
  aroundRange,
  eventsOf,
  hasHitFilters,
  hitConditions,
  inTime,
  inTurn,
  keptSession,
  sessionConditions,
  sessionsAround,
  startedInRange,
  visibleHit,
} from './conditions.ts'
import { conversions } from './conversions.ts'
import { type Dimension, HIT_COLUMNS, isHitDimension, isSessionOnly } from './dimensions.ts'
import { keptMoney } from './money.ts'
import type { ConversionTargets, Fragment, Scope } from './scope.ts'

export const isUnfiltered = ({ filters: { dimensions, property }, goal }: Scope) =>
  dimensions.length === 0 && property === undefined && goal === undefined

/** Parameters of a statement: the columns of the single row of its relation `asked`. */
type Asked = Record<string, number | boolean | Date | string[] | Date[] | string>

/** Restricts which of the matching hits are read. Which hits match still depends on the whole range. */
interface Part {
  /** Half-open; applies only to `filtered_hits`. */
  slice?: { start: Date; end: Date }
  /** Only occurrences of this error. */
  errorId?: string | undefined
  /** Only hits and engagement of these titles. */
  titles?: string[]
  /** Only hits at these times; applies only to `filtered_hits`. */
  times?: Date[]
}

export interface ReadOptions extends Part {
  asked?: Asked
  value?: Dimension
  targets?: ConversionTargets
  hasManyPayments?: boolean
}

/**
 * Runs `sql/queries/{name}.sql`, a statement that reads these relations instead of tables:
 * - `asked`: one row with the parameters;
 * - `filtered_hits`: pageviews and events in the range that match all filters, including events that the service wrote;
 * - `filtered_sessions`: sessions that started in the range and match all filters;
 * - `session_hits`: hits of these sessions; without filters on hits, also their hits outside the range;
 * - `matching_hits`: the union of `filtered_hits` (`is_kept`) and `session_hits` (`is_seen`), read in one scan;
 * - `matching_rows`: the same and, without filters on hits, engagement of sessions that started in the range (`is_engaged`);
 * - `engagements`: engagement of sessions that started in the range, with the filters on sessions only;
 * - `filtered_payments`: payments in the range, in any currency, whose session matches; with the columns of `revenue`;
 * - `filtered_movements`: MRR movements before the end of the range whose session matches;
 * - `conversions`, only with `targets`: conversions in the range, in sessions that match.
 * Only the relations that the statement names are sent, and the database reads only the columns that it names.
 * @param options.value the dimension that becomes the column `value` of these relations
 * @param options.hasManyPayments whether `filtered_payments` has `MANY_PAYMENTS` rows or more
 */
export function readFiltered<Row extends object>(
  db: Queryable,
  name: string,
  scope: Scope,
  options: ReadOptions = {},
): Promise<Row[]> {
  const { asked = {}, value, targets, hasManyPayments, slice, errorId, titles, times } = options
  const text = queryText(name)
  const only = () => db`
    ${errorId ? ofError(db, errorId) : db``} ${titles ? db`and events.title = any(${titles}::text[])` : db``}`
  const relations: Record<string, () => Fragment> = {
    ...(targets && { conversions: () => conversions(db, scope, targets) }),
    filtered_hits: () => db`
      ${keptHits(db, scope, value)}
      ${slice ? within(db, slice) : db``} ${times ? atTimes(db, times) : db``} ${only()}`,
    filtered_sessions: () => db`
      select sessions.* ${value && !isHitDimension(value) ? db`, sessions.${db(value)}::text as value` : db``}
      from sessions
      where ${keptSession(db, scope)}`,
    filtered_payments: () => keptMoney(db, scope, 'revenue', scope.start, value, hasManyPayments),
    filtered_movements: () => keptMoney(db, scope, 'mrr_movements', null, value),
    session_hits: () => db`${seenHits(db, scope, value)} ${only()}`,
    matching_hits: () => metRows(db, scope, value, ['engagement', 'identify']),
    matching_rows: () => metRows(db, scope, value, ['identify']),
    engagements: () => db`
      select *
      from ${eventsOf(db, scope)}
      where ${ofStartedSessions(db, scope)} and events.type = 'engagement' ${only()}`,
  }
  const named = Object.entries(relations).filter(([relation]) => text.includes(relation))
  const statement = db<Row[]>`
    ${db.unsafe(nameComment(name))}
    with
    ${hasHitFilters(scope) ? matching(db, scope) : db``}
    ${scope.goal ? db`converted as materialized (select unnest(${scope.goal.sessions}::bigint[]) as session_no),` : db``}
    ${inTurn(
      db,
      named.map(([relation, rows]) => db`${db(relation)} as not materialized (${rows()}),`),
    )}
    asked as (${row(db, asked)})
    select * from (${db.unsafe(text)}) as answer`
  return abandonable(statement as typeof statement & Promise<Row[]>)
}

/** Sessions with a hit in the range that matches the filters on hits. */
const matching = (db: Queryable, scope: Scope): Fragment => db`
  matching as materialized (
    select distinct session_no from ${eventsOf(db, scope)} where ${visibleHit(db, scope)} and ${hitConditions(db, scope)}
  ),`

function keptHits(db: Queryable, scope: Scope, value: Dimension | undefined): Fragment {
  return db`
    select events.* ${value ? db`, ${valueOfHit(db, value)} as value` : db``}
    from ${eventsOf(db, scope)}
    ${value && isSessionOnly(value) ? joinSession(db, scope) : db``}
    where ${visibleHit(db, scope)} and ${hitConditions(db, scope)} and ${sessionConditions(db, scope)}`
}

const ofStartedSessions = (db: Queryable, scope: Scope): Fragment =>
  db`${aroundRange(db, scope)} and ${startedInRange(db, scope)} and ${sessionConditions(db, scope)}`

const within = (db: Queryable, { start, end }: NonNullable<Part['slice']>): Fragment =>
  db`and events.at >= ${start} and events.at < ${end}`

/** The bounds are needed, too: without them, chunks and batches outside these times would be read. */
function atTimes(db: Queryable, times: Date[]): Fragment {
  const ordered = times.toSorted((a, b) => a.getTime() - b.getTime())
  return db`
    and events.at >= ${ordered[0]!} and events.at <= ${ordered.at(-1)!}
    and events.at = any(${ordered.map(at => at.toISOString())}::timestamptz[])`
}

/** The type is needed, too: the index covers only errors. */
const ofError = (db: Queryable, errorId: string): Fragment =>
  db`and events.type = 'error' and events.error_id = ${errorId}::uuid`

function seenHits(db: Queryable, scope: Scope, value: Dimension | undefined): Fragment {
  const hits = hasHitFilters(scope)
    ? db`${visibleHit(db, scope)} and ${hitConditions(db, scope)}`
    : db`${aroundRange(db, scope)} and events.type not in ('engagement', 'identify')`
  return db`
    select events.* ${value && isHitDimension(value) ? db`, ${valueOfHit(db, value)} as value` : db``}
    from ${eventsOf(db, scope)}
    where ${hits} and not is_service and ${startedInRange(db, scope)} and ${sessionConditions(db, scope)}`
}

/** Rows of `matching_hits` or `matching_rows`: one scan instead of one for each of the two relations. */
function metRows(
  db: Queryable,
  scope: Scope,
  value: Dimension | undefined,
  leftOut: ('engagement' | 'identify')[],
): Fragment {
  const kept = inTime(db, scope)
  const started = startedInRange(db, scope)
  const rows = hasHitFilters(scope)
    ? db`${visibleHit(db, scope)} and ${hitConditions(db, scope)}`
    : db`${aroundRange(db, scope)} and events.type <> all(${leftOut}::text[]) and (${kept} or ${started})`
  return db`
    select
      events.* ${value ? db`, ${valueOfHit(db, value)} as value` : db``},
      events.type <> 'engagement' and ${kept} as is_kept,
      events.type <> 'engagement' and not is_service and ${started} as is_seen,
      events.type = 'engagement' and ${started} as is_engaged
    from ${eventsOf(db, scope)}
    where ${rows} and ${sessionConditions(db, scope)}`
}

const joinSession = (db: Queryable, scope: Scope): Fragment => db`
  join (select session_no, user_id, visit_count from sessions where ${sessionsAround(db, scope)}) as session
    on session.session_no = events.session_no`

function valueOfHit(db: Queryable, dimension: Dimension): Fragment {
  if (isHitDimension(dimension)) return db`events.${db(HIT_COLUMNS[dimension])}`
  return isSessionOnly(dimension) ? db`session.${db(dimension)}::text` : db`events.${db(dimension)}`
}

function row(db: Queryable, asked: Asked): Fragment {
  const columns = Object.entries(asked).map(([name, value]) => db`, ${cast(db, value)} as ${db(name)}`)
  return db`select 1 as one ${inTurn(db, columns)}`
}

function cast(db: Queryable, value: Asked[string]): Fragment {
  if (typeof value === 'number') return db`${value}::bigint`
  if (typeof value === 'boolean') return db`${value}::boolean`
  if (typeof value === 'string') return db`${value}::text`
  if (value instanceof Date) return db`${value}::timestamptz`
  const texts = value.map(item => (item instanceof Date ? item.toISOString() : item))
  return value[0] instanceof Date ? db`${texts}::timestamptz[]` : db`${texts}::text[]`
}
