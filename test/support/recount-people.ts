import { keptOf, type Query } from './recount-metrics.ts'
import { type Money, type Moved, mrrOf, revenueOf } from './recount-money.ts'
import { sum } from './recount-rounding.ts'
import type { Visit, World } from './recount-world.ts'

/** Sessions and people of a period, as docs/metrics.md defines them; recounted the slow way. */

export interface PersonCounts {
  /** visitor id or user id */
  person: string
  first: number | null
  last: number
  sessions: number
  pageviews: number
  events: number
  revenue: number
  mrr: number
}

function dollars({ payments, movements }: Money, visits: Visit[]) {
  const isOf = ({ visit }: Moved) => visit !== undefined && visits.includes(visit)
  return { revenue: revenueOf(payments.filter(isOf)), mrr: mrrOf(movements.filter(isOf)) }
}

function countsOf(person: string, visits: Visit[], carried: number, money: Money): PersonCounts {
  const starts = visits.map(({ startedAt }) => startedAt)
  const pageviews = sum(visits.map(visit => visit.pageviews))
  return {
    person,
    first: starts.length > 0 ? Math.min(...starts) : null,
    last: starts.length > 0 ? Math.max(...starts) : carried,
    sessions: visits.length,
    pageviews,
    events: sum(visits.map(visit => visit.hits.length - visit.pageviews)),
    ...dollars(money, visits),
  }
}

const newestFirst = (a: PersonCounts, b: PersonCounts) =>
  Number(b.sessions > 0) - Number(a.sessions > 0) || b.last - a.last || (a.person < b.person ? -1 : 1)

/** Visitors with a hit that counts. */
export function recountVisitors(world: World, money: Money, query: Query): PersonCounts[] {
  const kept = keptOf(world, query)
  const visitors = [...new Set(kept.hits.map(({ visit }) => visit.visitor))]
  return visitors
    .map(visitor => {
      const starts = kept.hits
        .filter(({ visit }) => visit.visitor === visitor)
        .map(({ visit }) => visit.startedAt)
      const visits = kept.started.filter(visit => visit.visitor === visitor)
      return countsOf(visitor, visits, Math.max(...starts), money)
    })
    .sort(newestFirst)
}

/** Users of sessions that count and started in the period. */
export function recountUsers(world: World, money: Money, query: Query): PersonCounts[] {
  const kept = keptOf(world, query)
  const users = new Set(kept.started.map(visit => visit.values.user_id).filter(user => user !== ''))
  return [...users]
    .map(user => {
      const visits = kept.started.filter(visit => visit.values.user_id === user)
      return countsOf(user, visits, 0, money)
    })
    .sort(newestFirst)
}

/** Hits of a session in order, with the engagement of its pageviews. */
export const recountHits = (visit: Visit) =>
  visit.hits.map(hit => {
    const engaged = visit.engagements.filter(({ pageview }) => pageview === hit)
    return {
      id: hit.id,
      at: hit.at,
      engagedMs: engaged.length > 0 ? sum(engaged.map(({ engagedMs }) => engagedMs)) : null,
      scroll: engaged.length > 0 ? Math.max(...engaged.map(({ scroll }) => scroll)) : null,
    }
  })

/** What the timeline of a person has, but for identities. */
export function recountTimeline(world: World, money: Money, query: Query, isOf: (visit: Visit) => boolean) {
  const kept = keptOf(world, query)
  const visits = kept.started.filter(isOf)
  const isAttributed = ({ visit }: Moved) => visit !== undefined && visits.includes(visit)
  return {
    visits,
    events: kept.hits.filter(hit => visits.includes(hit.visit) && hit.type !== 'pageview'),
    money: money.payments.filter(isAttributed).length + money.movements.filter(isAttributed).length,
  }
}
