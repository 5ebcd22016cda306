import { conversionsOf, type RecountGoal } from './recount-conversions.ts'
import { isWithin, type Period } from './recount-days.ts'
import { isNegative, type Operator, operators, passes } from './recount-values.ts'
import {
  type CountedHit,
  type Dimension,
  hitDimensions,
  sessionDimensions,
  type Visit,
  type World,
} from './recount-world.ts'

/** What filters keep of a period. */

type Conditions = { [operator in Operator]?: string[] | undefined }

export type FilterKey = Dimension | 'campaign' | 'prop_key' | 'prop_value'

export type Filters = { [key in FilterKey]?: Conditions } & {
  /** sessions with a conversion of one of them */
  goal?: RecountGoal[]
}

export interface Kept {
  period: Period
  /** pageviews and events in the period that count, of whichever sessions, in (time, id) order */
  hits: CountedHit[]
  /** sessions that count and started in the period */
  started: Visit[]
  /** sessions that count, wherever they started */
  visits: Set<Visit>
  /** the hits by which a session counts as having seen a page, a title, an error */
  seenBy(visit: Visit): CountedHit[]
}

export function keep(world: World, filters: Filters, period: Period): Kept {
  const matching = new Set(
    world.hits.filter(hit => isWithin(period, hit.at) && passesHitFilters(hit, filters)),
  )
  const narrowsHits = hasHitFilters(filters)
  const visits = new Set<Visit>()
  for (const visit of world.visits) {
    if (!passesSessionFilters(visit, filters)) continue
    if (narrowsHits && !visit.hits.some(hit => matching.has(hit))) continue
    if (filters.goal && !convertsIn(world, visit, filters.goal, period)) continue
    visits.add(visit)
  }

  return {
    period,
    hits: world.hits.filter(hit => matching.has(hit) && visits.has(hit.visit)),
    started: world.visits.filter(visit => visits.has(visit) && isWithin(period, visit.startedAt)),
    visits,
    seenBy: visit => (narrowsHits ? visit.hits.filter(hit => matching.has(hit)) : visit.hits),
  }
}

/** The same without what filters one dimension; `campaign` and `utm_campaign` are one. */
export function withoutDimension(filters: Filters, dimension: Dimension): Filters {
  const { [dimension]: _own, campaign, ...rest } = filters
  return dimension === 'utm_campaign' || !campaign ? rest : { ...rest, campaign }
}

export function hasHitFilters(filters: Filters): boolean {
  return filters.prop_key !== undefined || hitDimensions.some(dimension => filters[dimension] !== undefined)
}

function convertsIn(world: World, visit: Visit, goals: RecountGoal[], period: Period): boolean {
  return goals.some(goal =>
    conversionsOf(world, goal).some(hit => hit.visit === visit && isWithin(period, hit.at)),
  )
}

function passesAll(value: string, conditions: Conditions = {}): boolean {
  return operators.every(operator => {
    const wanted = conditions[operator]
    return wanted === undefined || passes(operator, value, wanted)
  })
}

function passesHitFilters(hit: CountedHit, filters: Filters): boolean {
  return (
    hitDimensions.every(dimension => passesAll(hit.values[dimension], filters[dimension])) &&
    passesPropFilters(hit, filters)
  )
}

export function passesSessionFilters({ values }: Visit, filters: Filters): boolean {
  return (
    sessionDimensions.every(dimension =>
      dimension === 'source'
        ? passesSource(values.source, filters.source)
        : passesAll(values[dimension], filters[dimension]),
    ) && passesAll(values.utm_campaign, filters.campaign)
  )
}

/** Whole values mean every spelling of a source. */
function passesSource(value: string, { is, is_not, ...others }: Conditions = {}): boolean {
  const folded = (wanted: string[] | undefined) => wanted?.map(each => each.toLowerCase())
  const whole = { is: folded(is), is_not: folded(is_not) }
  return passesAll(value, others) && passesAll(value.toLowerCase(), whole)
}

/**
 * Each operator of `prop_key` is a claim about the hit: it carries such a property (with such a value, if
 * `prop_value` says so), or, of a negative one, it carries none of the names.
 */
function passesPropFilters(hit: CountedHit, { prop_key, prop_value }: Filters): boolean {
  return operators.every(operator => {
    const wanted = prop_key?.[operator]
    return wanted === undefined || passesPropKey(hit, operator, wanted, prop_value)
  })
}

function passesPropKey(
  hit: CountedHit,
  operator: Operator,
  wanted: string[],
  valueConditions: Conditions | undefined,
): boolean {
  const properties = Object.entries(hit.props)
  if (isNegative(operator)) {
    if (operator === 'is_not' && wanted.includes('(none)') && properties.length === 0) return false
    const others = properties.filter(([key]) => passes(operator, key, wanted))
    if (others.length < properties.length) return false
    return valueConditions === undefined || others.some(([, value]) => passesAll(value, valueConditions))
  }
  if (operator === 'is' && wanted.includes('(none)') && properties.length === 0) {
    return valueConditions === undefined
  }
  return properties.some(([key, value]) => passes(operator, key, wanted) && passesAll(value, valueConditions))
}
