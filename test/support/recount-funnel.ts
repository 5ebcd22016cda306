import { conversionsOf, type RecountGoal } from './recount-conversions.ts'
import { isWithin, type Period } from './recount-days.ts'
import { type Filters, keep } from './recount-filters.ts'
import { median, oneDecimal } from './recount-rounding.ts'
import {
  byText,
  type CountedHit,
  type Dimension,
  dimensionValue,
  grouped,
  type Visit,
  type World,
} from './recount-world.ts'

/** Funnels counted again the slow way, as docs/metrics.md "Funnels" defines them. */

export interface RecountedFunnel {
  steps: RecountGoal[]
  order: 'loose' | 'strict'
  window: number | 'session'
  by: 'visitor' | 'session'
  dimension?: Dimension | undefined
}

/** An event that the service wrote. */
export interface ServiceEvent {
  at: number
  visit: Visit
  name: string
}

interface Moment {
  at: number
  /** numbers of the steps, ascending; none: only a hit */
  steps: number[]
  isSilent: boolean
  visit: Visit
  value: string
}

/** @param period the range; @param followMs how long later steps may follow */
export function recountFunnel(
  world: World,
  funnel: RecountedFunnel,
  filters: Filters,
  period: Period,
  followMs: number,
  services: ServiceEvent[] = [],
) {
  const longer = { ...period, end: period.end + followMs }
  const { visits } = keep(world, filters, longer)
  const moments = [...momentsOf(world, funnel), ...serviceMoments(funnel, services)]
    .filter(({ at, visit }) => isWithin(longer, at) && visits.has(visit))
    .sort(compareMoments)
  const bySession = funnel.by === 'session' || funnel.window === 'session'
  const units = grouped(moments, ({ visit }) => (bySession ? visit : visit.visitor))
  const best = new Map<unknown, Moment[]>()
  for (const unit of units.values()) {
    for (const start of unit.keys()) {
      const first = unit[start]!
      if (!first.steps.includes(0) || first.at >= period.end) continue
      const chain = chainFrom(unit, start, funnel)
      const key = funnel.by === 'session' ? first.visit : first.visit.visitor
      const before = best.get(key)
      const isBetter =
        !before ||
        chain.length > before.length ||
        (chain.length === before.length && compareMoments(chain[0]!, before[0]!) < 0)
      if (isBetter) best.set(key, chain)
    }
  }
  const chains = [...best.values()]
  const values = [...new Set(chains.map(([first]) => first!.value))]
  const ofValue = (value: string) => chains.filter(([first]) => first!.value === value)
  const rows = values
    .sort((a, b) => ofValue(b).length - ofValue(a).length || byText(a, b))
    .slice(0, 20)
    .map(value => ({ value, steps: stepNumbers(ofValue(value), funnel) }))
  return {
    steps: stepNumbers(chains, funnel),
    values: values.length,
    rows,
    ofValue: (value: string) => stepNumbers(ofValue(value), funnel),
  }
}

function momentsOf(world: World, { steps, dimension }: RecountedFunnel): Moment[] {
  const met = steps.map(goal => new Set(isLate(goal) ? [] : conversionsOf(world, goal)))
  const textOf = (hit: CountedHit) => (dimension ? dimensionValue(hit, dimension) : '')
  const hits = world.hits.map(hit => ({
    at: hit.at,
    steps: numbersWhere(steps, (_, step) => met[step]!.has(hit)),
    isSilent: false,
    visit: hit.visit,
    value: textOf(hit),
  }))
  const scrolls: Moment[] = []
  const thresholds = new Set(steps.filter(isLate).map(goal => goal.scroll_threshold))
  for (const threshold of thresholds) {
    const pages = steps.map(goal =>
      isLate(goal) && goal.scroll_threshold === threshold
        ? new Set(conversionsOf(world, { ...goal, scroll_threshold: 0 }))
        : new Set<CountedHit>(),
    )
    for (const hit of world.hits) {
      const numbers = numbersWhere(steps, (_, step) => pages[step]!.has(hit))
      const reached = hit.visit.engagements.filter(each => each.pageview === hit && each.scroll >= threshold)
      if (numbers.length === 0 || reached.length === 0) continue
      const engagement = { ...hit, values: { ...hit.values, hostname: 'example.com', event_name: '' } }
      scrolls.push({
        at: Math.min(...reached.map(({ at }) => at)),
        steps: numbers,
        isSilent: true,
        visit: hit.visit,
        value: textOf(engagement),
      })
    }
  }
  return [...hits, ...scrolls]
}

/** A scroll that is a moment of its own. */
const isLate = ({ type, scroll_threshold }: RecountGoal) => type === 'scroll' && scroll_threshold > 0

const numbersWhere = (steps: RecountGoal[], test: (goal: RecountGoal, step: number) => boolean) =>
  steps.flatMap((goal, step) => (test(goal, step) ? [step] : []))

function serviceMoments({ steps, dimension }: RecountedFunnel, services: ServiceEvent[]): Moment[] {
  return services.flatMap(({ at, visit, name }) => {
    const hit = {
      type: 'event',
      values: { path: '', title: '', hostname: '', event_name: name },
      props: {},
      visit,
    }
    const world = { hits: [hit] } as unknown as World
    const numbers = numbersWhere(steps, goal => conversionsOf(world, goal).length > 0)
    const value = dimension ? dimensionValue(hit as unknown as CountedHit, dimension) : ''
    return numbers.length > 0 ? [{ at, steps: numbers, isSilent: true, visit, value }] : []
  })
}

function compareMoments(a: Moment, b: Moment): number {
  return a.at - b.at || compareSteps(a.steps, b.steps) || byText(a.value, b.value)
}

/** Lists one by one; a list that ends comes first, one without steps last. */
function compareSteps(a: number[], b: number[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length
  for (const [index, step] of a.entries()) {
    if (b[index] === undefined) return 1
    if (step !== b[index]) return step - b[index]
  }
  return a.length - b.length
}

function chainFrom(unit: Moment[], start: number, { steps, order, window }: RecountedFunnel): Moment[] {
  const chain = [unit[start]!]
  const mostMs = window === 'session' ? 24 * 3_600_000 : window * 1_000
  let place = start
  for (let step = 1; step < steps.length; step++) {
    const next = unit.findIndex((moment, index) => index > place && moment.steps.includes(step))
    if (next < 0 || unit[next]!.at - unit[start]!.at > mostMs) break
    if (order === 'strict' && unit.slice(place + 1, next).some(({ isSilent }) => !isSilent)) break
    chain.push(unit[next]!)
    place = next
  }
  return chain
}

function stepNumbers(chains: Moment[][], { steps }: RecountedFunnel) {
  const counts = steps.map((_, step) => chains.filter(chain => chain.length > step).length)
  return steps.map((_, step) => {
    const count = counts[step]!
    const before = step === 0 ? count : counts[step - 1]!
    const gaps = chains
      .filter(chain => chain.length > step && step > 0)
      .map(chain => chain[step]!.at - chain[step - 1]!.at)
    return {
      count,
      conversion_rate: oneDecimal(100 * count, counts[0]!),
      step_rate: oneDecimal(100 * count, before),
      drop_off: before - count,
      median_seconds: median(gaps, 1_000),
    }
  })
}
