// @module-tag full
import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { Page } from '../../../src/platform/schema/pagination.ts'
import { getPeople, PeopleQuery } from '../../../src/stats/people/list-people.ts'
import { getPerson, PersonQuery } from '../../../src/stats/people/person-detail.ts'
import type { PersonRow } from '../../../src/stats/people/person-row.ts'
import { getTimeline, TimelineQuery } from '../../../src/stats/people/timeline.ts'
import { getSessions, SessionsQuery } from '../../../src/stats/sessions/list-sessions.ts'
import { getSession, SessionQuery } from '../../../src/stats/sessions/session-detail.ts'
import { readSessionId } from '../../../src/stats/sessions/session-id.ts'
import { refreshAggregate } from '../../../src/storage/rollups/aggregates.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { parametersOf } from '../../support/expect-reads.ts'
import { randomFilters, randomRange } from '../../support/random-filters.ts'
import { randomVisits } from '../../support/random-visits.ts'
import { readServices, readSite } from '../../support/read-services.ts'
import { keptOf, type Query } from '../../support/recount-metrics.ts'
import { type Money, randomMoney, storeMoney } from '../../support/recount-money.ts'
import {
  type PersonCounts,
  recountHits,
  recountTimeline,
  recountUsers,
  recountVisitors,
} from '../../support/recount-people.ts'
import type { World } from '../../support/recount-world.ts'
import { rollUpAll } from '../../support/roll-up.ts'
import { runs, seeds } from '../../support/runs.ts'
import type { TestSite } from '../../support/sites.ts'
import { replaceGoals } from '../../support/stored-visits.ts'
import { storeStream, within } from '../stored-stream.ts'

const db = dbOf(useDatabase(testDatabase))

const LONG_AFTER = new Date(Date.UTC(2026, 5, 1))

function readsOf(stored: TestSite, world: World, query: Query) {
  const services = { ...readServices(db, LONG_AFTER), pageUrl: () => null }
  const site = readSite(stored, world.zone)
  const given = parametersOf(query)
  const ask = <Schema extends z.ZodType>(schema: Schema, more: object = {}) =>
    schema.parse({ ...given, ...more }) as z.output<Schema>
  /** All rows, page by page, and a page beyond the last. */
  async function all<Row>(perPage: number, read: (page: object) => Promise<Page<Row>>): Promise<Row[]> {
    const rows: Row[] = []
    for (let page = 1; ; page++) {
      const found = await read({ page, per_page: perPage })
      rows.push(...found.rows)
      if (found.rows.length === 0) {
        expect(found.total).toBe(rows.length)
        return rows
      }
      expect(found.rows.length).toBeLessThanOrEqual(perPage)
    }
  }
  return {
    all,
    sessions: (more: object) => getSessions(services, site, ask(SessionsQuery, more)),
    session: (session: string) => getSession(services, site, SessionQuery.parse({ session, per_page: 100 })),
    people: (more: object) => getPeople(services, site, ask(PeopleQuery, more)),
    person: (person: string) => getPerson(services, site, ask(PersonQuery, { person })),
    timeline: (person: string, more: object) =>
      getTimeline(services, site, ask(TimelineQuery, { person, ...more })),
  }
}

const ms = (time: string | null) => (time === null ? null : Date.parse(time))

/** What the recount knows of a row. */
const countsOf = (row: PersonRow): PersonCounts => ({
  ...{ sessions: row.sessions, pageviews: row.pageviews, events: row.events },
  ...{ revenue: row.revenue!, mrr: row.mrr! },
  person: row.kind === 'user' ? row.user_id : row.visitor_id,
  first: ms(row.first_seen),
  last: ms(row.last_seen) ?? 0,
})

/** Rows with the same newest session have an order of their own, which the recount does not know. */
function expectSameOrder(rows: PersonCounts[], expected: PersonCounts[]) {
  const place = ({ sessions, last }: PersonCounts) => [sessions > 0, last]
  expect(rows.map(place)).toEqual(expected.map(place))
  const byPerson = (a: PersonCounts, b: PersonCounts) => (a.person < b.person ? -1 : 1)
  expect(rows.toSorted(byPerson)).toEqual(expected.toSorted(byPerson))
}

async function expectSamePeople(
  site: TestSite,
  { world, money, query, number }: { world: World; money: Money; query: Query; number: number },
) {
  const reads = readsOf(site, world, query)
  const perPage = 1 + (number % 7)
  const { started } = keptOf(world, query)

  const sessions = await reads.all(perPage, reads.sessions)
  expect(sessions.map(row => Date.parse(row.started_at))).toEqual(
    started.map(({ startedAt }) => startedAt).sort((a, b) => b - a),
  )
  // Of one moment, the one that was stored later comes first.
  const keys = sessions.map(row => readSessionId(row.session_id)!)
  expect(keys).toEqual(
    keys.toSorted((a, b) => b.startedAt.getTime() - a.startedAt.getTime() || b.sessionNo - a.sessionNo),
  )
  const keyOf = (visitor: string, at: number) => `${at} ${visitor}`
  const visitOf = new Map(started.map(visit => [keyOf(visit.visitor, visit.startedAt), visit]))
  for (const row of sessions) {
    const visit = visitOf.get(keyOf(row.visitor_id, Date.parse(row.started_at)))!
    const { user_id, visit_count, country, source, entry_path } = visit.values
    expect(row).toMatchObject({ user_id, country, source, entry_path, pageviews: visit.pageviews })
    expect([String(row.visit_count), row.duration_seconds]).toEqual([visit_count, visit.lengthMs / 1_000])
    const paid = money.payments.filter(each => each.visit === visit && each.currency === 'USD')
    expect(row.revenue).toBe(paid.reduce((sum, each) => sum + each.amountMinor - each.refundedMinor, 0))
  }
  const chosen = sessions[number % Math.max(1, sessions.length)]
  if (chosen) {
    const visit = visitOf.get(keyOf(chosen.visitor_id, Date.parse(chosen.started_at)))!
    const detail = await reads.session(chosen.session_id)
    expect(detail.session).toEqual(chosen)
    const hits = detail.data.map(({ id, timestamp, engaged_seconds: seconds, scroll }) => ({
      ...{ id, at: Date.parse(timestamp), engagedMs: seconds === null ? null : Math.round(seconds * 1_000) },
      scroll: seconds === null ? null : (scroll ?? 0),
    }))
    expect(hits).toEqual(recountHits(visit))
    const { visitor_id } = chosen
    const ofVisitor = await reads.all(perPage, more => reads.sessions({ ...more, visitor_id }))
    expect(ofVisitor).toEqual(sessions.filter(row => row.visitor_id === visitor_id))
  }

  const visitors = recountVisitors(world, money, query)
  const people = await reads.all(perPage, reads.people)
  expectSameOrder(people.map(countsOf), visitors)
  const users = recountUsers(world, money, query)
  const listed = await reads.all(perPage, more => reads.people({ ...more, kind: 'users' }))
  expectSameOrder(listed.map(countsOf), users)
  const bySessions = await reads.people({ kind: 'users', sort: 'sessions', per_page: 100 })
  expect(bySessions.rows.map(row => row.sessions)).toEqual(
    users.map(user => user.sessions).sort((a, b) => b - a),
  )

  for (const [kind, known] of [
    ['visitor', visitors.find(({ sessions }) => sessions > 0)],
    ['user', users[0]],
  ] as const) {
    if (!known) continue
    const isOf = (visit: (typeof started)[number]) =>
      (kind === 'visitor' ? visit.visitor : visit.values.user_id) === known.person
    const { visitors: ids, ...person } = await reads.person(known.person)
    expect(countsOf(person)).toEqual(known)
    const expected = recountTimeline(world, money, query, isOf)
    expect(ids.toSorted()).toEqual([...new Set(expected.visits.map(visit => visit.visitor))].sort())
    const items = await reads.all(perPage, more => reads.timeline(known.person, more))
    const times = items.map(item => Date.parse(item.timestamp))
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    const of = (...kinds: string[]) => items.filter(item => kinds.includes(item.kind))
    expect(of('session').map(item => Date.parse(item.timestamp))).toEqual(
      expected.visits.map(({ startedAt }) => startedAt).sort((a, b) => b - a),
    )
    expect(of('event').map(item => [Date.parse(item.timestamp), item.name])).toEqual(
      expected.events.toReversed().map(hit => [hit.at, hit.values.event_name]),
    )
    expect(of('payment', 'mrr')).toHaveLength(expected.money)
    const identified = expected.visits.filter(visit => visit.values.user_id !== '')
    expect(of('identity')).toHaveLength(identified.length)
  }
}

/** Goals of all runs have different ids. */
const goalId = (number: number, index: number) =>
  `00000000-0000-4000-8000-${String(number * 100 + index).padStart(12, '0')}`

test(`people: lists, details and timelines equal a recount of the hits (${runs(4)} streams)`, async () => {
  for (const seed of seeds(runs(4))) {
    const stream = randomVisits(seed)
    const arrival = seed % 2 === 0 ? 'late' : 'timely'
    const { site, world } = await storeStream(db, { ...stream, arrivals: stream[arrival] })
    const money = randomMoney(seed, world)
    await storeMoney(db, site, money)
    if (seed % 2 === 0) {
      await rollUpAll(db, LONG_AFTER)
      await refreshAggregate(db, 'hits', LONG_AFTER)
    }
    if (seed % 4 === 0) await compressSettledChunks(db, LONG_AFTER)
    for (let round = 0; round < 3; round++) {
      const number = seed * 3 + round
      const given = round === 0 ? {} : randomFilters(number, world)
      const goals = (given.goal ?? []).map((goal, index) => ({ ...goal, id: goalId(number, index) }))
      const filters = given.goal ? { ...given, goal: goals } : given
      await replaceGoals(db, site, goals)
      const query = { ...randomRange(number, world), filters }
      await within({ seed, round, number, query }, expectSamePeople(site, { world, money, query, number }))
    }
  }
})
