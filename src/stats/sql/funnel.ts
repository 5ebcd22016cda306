import type { Queryable } from '../../db/connect.ts'
import { COPIED_COLUMNS, columnOf, type Dimension, isHitDimension } from '../../dimensions/dimensions.ts'
import type { ConversionTargets, ResolvedQuery } from '../filters/resolved-query.ts'
import {
  aroundRange,
  concat,
  eventsOf,
  type Fragment,
  inRange,
  sessionsAround,
  visibleHit,
} from './bounds.ts'
import { conditionsOnSession, inMatchingSession } from './conditions.ts'

/** What `funnel_moments` and `unit_hits` need to know of a funnel. */
export interface FunnelOptions {
  /** What the moments are looked at by. */
  unit: 'visitor_no' | 'session_no'
  /** Whether visitors are counted although their moments are looked at by session. */
  hasOwners: boolean
  /** The first step must lie before. */
  startsBefore: Date
  /** Units whose hits `unit_hits` reads. */
  units?: readonly number[]
}

const ANY: FunnelOptions = { unit: 'visitor_no', hasOwners: false, startsBefore: new Date(8.64e15) }

/** A value that hits of a type may have, with the steps that they meet then, one bit a step. */
interface Target {
  kind: string
  value: string
  steps: number
}

/**
 * Up to this many values, the columnstore compares whole batches with them. It does so value by value: with more, the join alone is
 * faster.
 */
const FEW_VALUES = 50

/**
 * Moments at which a funnel's steps are met in the range, in sessions that match the filters; the number of a target's goal is that
 * of the step, from 0. Columns: `moment` (see `MomentBlock`), `at`, `owner_no` (the visitor; null where units are counted) and
 * `value` (of the dimension; null unless it may be the first step).
 */
export function funnelMoments(
  db: Queryable,
  resolved: ResolvedQuery,
  { hits, scrolls }: ConversionTargets,
  { unit, hasOwners, startsBefore }: FunnelOptions = ANY,
  dimension?: Dimension,
): Fragment {
  const value = valueColumn(db, dimension)
  const ofFilteredSession = db`
    events.visitor_no is not null and events.${db(unit)} is not null
    and ${conditionsOnSession(db, resolved)} ${inMatchingSession(db, resolved, db`events.session_no`)}`
  const byName = hits.filter(({ kind }) => kind === 'event')
  const branches = [
    { column: db`events.path`, targets: byValue(hits.filter(({ kind }) => kind === 'pageview')) },
    { column: db`events.name`, targets: byValue(byName), steps: stepsWithProps(db, byName) },
    {
      column: db`coalesce(events.props ->> 'selector', '')`,
      targets: byValue(hits.filter(({ kind }) => kind !== 'pageview' && kind !== 'event')),
    },
  ].filter(({ targets }) => targets.length > 0)
  const ofHits = branches.map(({ column, targets, steps = db`target.steps` }) => {
    const kinds = [...new Set(targets.map(({ kind }) => kind))]
    const values = [...new Set(targets.map(target => target.value))]
    return db`
    select ${steps} as steps, is_service as is_silent, visitor_no, events.session_no, events.at, ${value} as value
    from ${eventsOf(db, resolved)}
    join unnest(
      ${targets.map(({ kind }) => kind)}::text[],
      ${targets.map(target => target.value)}::text[],
      ${targets.map(target => target.steps)}::int[]
    ) as target (kind, value, steps) on target.value = ${column} ${kinds.length === 1 ? db`` : db`and target.kind = events.type`}
    ${joinSession(db, resolved, dimension)}
    where ${inRange(db, resolved)} and events.type = any(${kinds}::text[])
      ${values.length <= FEW_VALUES ? db`and ${column} = any(${values}::text[])` : db``}
      and ${ofFilteredSession}
    union all`
  })
  const startSteps =
    startsBefore < resolved.end
      ? db`case when at < ${startsBefore} then steps else steps & 254 end`
      : db`steps`
  return db`
    select
      ${db(unit)}::bigint * 512 + steps * 2 + is_silent::int as moment,
      at,
      ${hasOwners ? db`visitor_no` : db`null::int`} as owner_no,
      case when steps & 1 = 1 then value end as value
    from (
      select ${startSteps} as steps, is_silent, visitor_no, session_no, at, value
      from (
        ${concat(db, ofHits)}
        select
          target.steps, true as is_silent, visitor_no, events.session_no, min(events.at) as at, min(${value}) as value
        from ${eventsOf(db, resolved)}
        join unnest(
          ${scrolls.map(({ path }) => path)}::text[],
          ${scrolls.map(({ threshold }) => threshold)}::int[],
          ${scrolls.map(({ goals }) => maskOf(goals))}::int[]
        ) as target (path, threshold, steps) on target.path = events.path
        ${joinSession(db, resolved, dimension)}
        where ${scrolls.length > 0} and ${aroundRange(db, resolved)} and events.type = 'engagement'
          and events.scroll >= target.threshold and ${ofFilteredSession}
        group by target.steps, target.threshold, events.path, page_at, visitor_no, events.session_no
        having min(events.at) >= ${resolved.start} and min(events.at) < ${resolved.end}
      ) as met
    ) as moment
    where steps <> 0 ${ofStartedUnit(db, resolved, unit, branches, scrolls)}`
}

interface Branch {
  column: Fragment
  targets: Target[]
}

/**
 * Only moments of units that meet the first step: other units have no chain, and in most funnels they are the most. Looking for the
 * first step is a scan more, which is cheap for few values and costs more than it saves for many.
 */
function ofStartedUnit(
  db: Queryable,
  resolved: ResolvedQuery,
  unit: FunnelOptions['unit'],
  branches: Branch[],
  scrolls: ConversionTargets['scrolls'],
): Fragment {
  const isStart = ({ steps }: { steps: number }) => (steps & 1) === 1
  const starting = branches
    .map(({ column, targets }) => ({ column, targets: targets.filter(isStart) }))
    .filter(({ targets }) => targets.length > 0)
  const values = starting.reduce((sum, { targets }) => sum + targets.length, 0)
  const isEverywhere = branches.every(({ targets }) => targets.every(isStart))
  // The first step of a visitor may lie in another slice.
  const isBeyondSlice = resolved.slice !== undefined && unit === 'visitor_no'
  const isOfScrolls = scrolls.some(({ goals }) => goals.includes(0))
  if (values === 0 || values > FEW_VALUES || isEverywhere || isBeyondSlice || isOfScrolls) return db``
  const found = starting.map(
    ({ column, targets }, index) => db`
    ${index === 0 ? db`` : db`union all`}
    select events.${db(unit)}
    from ${eventsOf(db, resolved)}
    where ${inRange(db, resolved)} and events.type = any(${[...new Set(targets.map(({ kind }) => kind))]}::text[])
      and ${column} = any(${targets.map(({ value }) => value)}::text[])`,
  )
  return db`and ${db(unit)} in (${concat(db, found)})`
}

/** Every pageview and event of `units` in the range, in sessions that match the filters, as moments that meet no step. */
export function unitHits(
  db: Queryable,
  resolved: ResolvedQuery,
  { unit, hasOwners, units = [] }: FunnelOptions = ANY,
): Fragment {
  return db`
    select
      wanted.unit_no * 512 as moment,
      events.at,
      ${hasOwners ? db`events.visitor_no` : db`null::int`} as owner_no
    from ${eventsOf(db, resolved)}
    join (select unnest(${units as number[]}::bigint[]) as unit_no) as wanted on wanted.unit_no = events.${db(unit)}
    where ${visibleHit(db, resolved)} and not is_service and events.visitor_no is not null
      and ${conditionsOnSession(db, resolved)} ${inMatchingSession(db, resolved, db`events.session_no`)}`
}

const maskOf = (steps: readonly number[]) => steps.reduce((mask, step) => mask | (1 << step), 0)

/** One target for each value: a hit must be one row, whatever properties its steps need. */
function byValue(hits: ConversionTargets['hits']): Target[] {
  const targets = new Map<string, Target>()
  for (const { kind, value, goals } of hits) {
    const key = `${kind} ${value}`
    const target = targets.get(key) ?? { kind, value, steps: 0 }
    target.steps |= maskOf(goals)
    targets.set(key, target)
  }
  return [...targets.values()]
}

/** The steps of a target without those whose properties the event does not have. */
function stepsWithProps(db: Queryable, hits: ConversionTargets['hits']): Fragment {
  const propsOf = new Map(
    hits.flatMap(({ props, goals }) => (props ? goals.map(step => [step, props]) : [])) as [number, string][],
  )
  const missing = [...propsOf].map(
    ([step, props]) => db`
      - case when target.steps & ${1 << step}::int <> 0 and not coalesce(events.props @> ${props}::text::jsonb, false) then ${1 << step}::int else 0 end`,
  )
  return db`target.steps ${concat(db, missing)}`
}

const isInSessionOnly = (dimension: Dimension) =>
  !isHitDimension(dimension) && !(COPIED_COLUMNS as string[]).includes(dimension)

function valueColumn(db: Queryable, dimension: Dimension | undefined): Fragment {
  if (!dimension) return db`null::text`
  if (isInSessionOnly(dimension)) return db`coalesce(session.value, '')`
  return db`coalesce(events.${db(isHitDimension(dimension) ? columnOf(dimension) : dimension)}, '')`
}

const joinSession = (db: Queryable, resolved: ResolvedQuery, dimension: Dimension | undefined): Fragment =>
  dimension && isInSessionOnly(dimension)
    ? db`
    left join (
      select session_no, ${db(columnOf(dimension))}::text as value from ${sessionsAround(db, resolved)}
    ) as session on session.session_no = events.session_no`
    : db``
