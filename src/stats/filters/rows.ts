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

/** What a statement is asked, as the columns of the one row of its relation `asked`. */
type Asked = Record<string, number | boolean | Date | string[] | Date[] | string>

/** Which of the hits that pass are read. What passes depends on the whole range, whatever is read of it. */
interface Part {
  /** Half-open; of `kept_hits` alone. */
  slice?: { start: Date; end: Date }
  /** Only occurrences of this error. */
  errorId?: string | undefined
  /** Only hits and engagement of these titles. */
  titles?: string[]
  /** Only hits at these times; of `kept_hits` alone. */
  times?: Date[]
}

export interface ReadOptions extends Part {
  asked?: Asked
  value?: Dimension
  targets?: ConversionTargets
  hasManyPayments?: boolean
}

/**
 * Runs `sql/queries/{name}.sql`, a statement that reads these relations in place of tables:
 * - `asked`: one row, what is asked;
 * - `kept_hits`: pageviews and events of the range that pass all filters, service-written ones included;
 * - `kept_sessions`: sessions that started in the range and pass;
 * - `seen_hits`: hits of such sessions, those past the ends of the range included unless hits are filtered, too;
 * - `met_hits`: what is in either, in one go, with columns `is_kept` and `is_seen`;
 * - `met_rows`: the same and, unless hits are filtered, engagement of sessions that started in the range (`is_engaged`);
 * - `engagements`: engagement of sessions that started in the range, filtered by what belongs to sessions alone;
 * - `kept_payments`: payments in the range, of whatever currency, whose session passes; by `revenue`'s columns;
 * - `kept_movements`: MRR movements up to the end of the range whose session passes;
 * - `conversions`, when `targets` are given: what converted in the range, in sessions that pass.
 * Only those that the statement names are sent, and of them only the columns that it names are read.
 * @param options.value the dimension that is their column `value`
 * @param options.hasManyPayments `kept_payments` are `MANY_PAYMENTS` or more
 */
export function readKept<Row extends object>(
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
    kept_hits: () => db`
      ${keptHits(db, scope, value)}
      ${slice ? within(db, slice) : db``} ${times ? atTimes(db, times) : db``} ${only()}`,
    kept_sessions: () => db`
      select sessions.* ${value && !isHitDimension(value) ? db`, sessions.${db(value)}::text as value` : db``}
      from sessions
      where ${keptSession(db, scope)}`,
    kept_payments: () => keptMoney(db, scope, 'revenue', scope.start, value, hasManyPayments),
    kept_movements: () => keptMoney(db, scope, 'mrr_movements', null, value),
    seen_hits: () => db`${seenHits(db, scope, value)} ${only()}`,
    met_hits: () => metRows(db, scope, value, ['engagement', 'identify']),
    met_rows: () => metRows(db, scope, value, ['identify']),
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

/** Sessions with a hit in the range that passes what is asked of hits. */
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

/** The span, too, or chunks and batches without such a time would be looked through. */
function atTimes(db: Queryable, times: Date[]): Fragment {
  const ordered = times.toSorted((a, b) => a.getTime() - b.getTime())
  return db`
    and events.at >= ${ordered[0]!} and events.at <= ${ordered.at(-1)!}
    and events.at = any(${ordered.map(at => at.toISOString())}::timestamptz[])`
}

/** Both, since the index is of errors. */
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

/** Statements that need both read the hits once. */
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
