import { DateTime } from 'luxon'
import { conversionsOf, type RecountGoal } from './recount-conversions.ts'
import { dayStart, isWithin, localDate, type Period } from './recount-days.ts'
import { type Filters, keep } from './recount-filters.ts'
import { oneDecimal } from './recount-rounding.ts'
import type { Visit, World } from './recount-world.ts'

/** Cohorts counted again the slow way, as docs/metrics.md "Cohorts" defines them. */

export type PeriodLength = 'day' | 'week' | 'month'

/** One person who began, and when what counts later happened. */
interface Member {
  began: number
  later: number[]
}

/** Whether the service would know a visitor again. */
const isRecognized = (visitor: string) => visitor[14] !== '8'

/** An event that the service wrote, of a session or of a visitor alone. */
export interface Renewal {
  at: number
  visitor: string
  visit: Visit | undefined
}

interface Asked {
  /** Of the cohort; without it, first visits. */
  goal?: RecountGoal | undefined
  /** Conversions of the goal besides those of hits. */
  renewals?: Renewal[]
  /** Details before this time are gone. */
  detailsFrom?: number
}

export function recountMembers(
  world: World,
  filters: Filters,
  range: Period,
  { goal, renewals = [], detailsFrom = Number.NEGATIVE_INFINITY }: Asked = {},
) {
  const period = { ...range, start: Math.max(range.start, detailsFrom) }
  const { visits } = keep(world, filters, period)
  const personOf = ({ visitor, values, startedAt }: Pick<Visit, 'visitor' | 'values' | 'startedAt'>) => {
    if (isRecognized(visitor)) return `visitor ${visitor}`
    return startedAt >= detailsFrom && values.user_id && `user ${values.user_id}`
  }
  const ofPerson = (person: string) => world.visits.filter(visit => personOf(visit) === person)
  const began = new Map<string, number>()
  const strangers = new Map<string, boolean>()
  const begin = (person: string | false, at: number) => {
    if (person) began.set(person, Math.min(at, began.get(person) ?? at))
  }
  const see = (visitor: string, person: string | false) =>
    strangers.set(visitor, Boolean(person) || strangers.get(visitor) === true)
  if (goal) {
    const conversions = conversionsOf(world, goal).map(({ at, visit }) => ({
      at,
      visitor: visit.visitor,
      visit,
    }))
    for (const { at, visitor, visit } of [...conversions, ...renewals]) {
      if ((visit && !visits.has(visit)) || !isWithin(period, at)) continue
      const person = visit ? personOf(visit) : isRecognized(visitor) && `visitor ${visitor}`
      begin(person, at)
      see(visitor, person)
    }
  } else {
    for (const visit of visits) {
      if (!isWithin(period, visit.startedAt)) continue
      const person = personOf(visit)
      if (visit.values.visit_count === '1') see(visit.visitor, person)
      if (person && ofPerson(person)[0] === visit) begin(person, visit.startedAt)
    }
  }
  const members: Member[] = [...began].map(([person, at]) => ({
    began: at,
    later: ofPerson(person).map(({ startedAt }) => startedAt),
  }))
  return {
    members,
    users: [...began.keys()].filter(person => person.startsWith('user')).length,
    leftOut: [...strangers.values()].filter(isKnown => !isKnown).length,
  }
}

export interface Cohorts {
  length: PeriodLength
  later: number
  now: number
}

/** Calendar periods of the cohorts, and the later ones that have begun. */
function calendarOf(zone: string, range: Period, { length, later, now }: Cohorts) {
  const startOf = (date: string) => DateTime.fromISO(date, { zone: 'utc' }).startOf(length)
  const periods: Period[] = []
  let cohorts = 0
  let first = startOf(localDate(zone, range.start))
  for (;;) {
    const next = first.plus({ [length]: 1 })
    const period = {
      start: dayStart(zone, first.toISODate()!),
      end: dayStart(zone, next.toISODate()!),
    }
    first = next
    if (period.start === period.end) continue
    if (period.start < range.end) cohorts = periods.length + 1
    else if (period.start > now || periods.length >= cohorts + later) break
    periods.push(period)
  }
  return { periods, cohorts }
}

/** @param numbersOf the base of a cohort, and the value of a period */
export function recountCohorts<Each extends { began: number }>(
  zone: string,
  range: Period,
  asked: Cohorts,
  members: Each[],
  numbersOf: {
    base: (members: Each[], period: Period) => number
    value: (members: Each[], period: Period) => number
  },
) {
  const { periods, cohorts } = calendarOf(zone, range, asked)
  return periods.slice(0, cohorts).map((period, index) => {
    const own = members.filter(({ began }) => isWithin(period, began))
    const base = numbersOf.base(own, period)
    return {
      label: DateTime.fromMillis(Math.max(period.start, range.start), { zone }).toISO({
        suppressMilliseconds: true,
      }),
      size: own.length,
      base,
      periods: periods
        .slice(index + 1, index + 1 + asked.later)
        .filter(({ start }) => start <= asked.now)
        .map((later, number) => {
          const value = numbersOf.value(own, later)
          return {
            period: number + 1,
            value,
            rate: percent(value, base),
            is_complete: later.end <= asked.now,
          }
        }),
    }
  })
}

/** Either may be negative. */
function percent(value: number, base: number): number {
  const rate = oneDecimal(100 * Math.abs(value), Math.abs(base))
  return rate !== 0 && value < 0 !== base < 0 ? -rate : rate
}

export const returningVisitors = {
  base: (members: Member[]) => members.length,
  value: (members: Member[], period: Period) =>
    members.filter(({ later }) => later.some(at => isWithin(period, at))).length,
}
