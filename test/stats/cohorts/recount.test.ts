// @module-tag full
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Db } from '../../../src/platform/db/connect.ts'
import { readRetention } from '../../../src/stats/cohorts/read-retention.ts'
import { RetentionQuery } from '../../../src/stats/cohorts/retention-query.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { randomFilters } from '../../support/random-filters.ts'
import { ordinaryVisit, randomUuid } from '../../support/random-ordinary.ts'
import { type Random, randomFrom } from '../../support/random-values.ts'
import { randomVisits } from '../../support/random-visits.ts'
import { readServices } from '../../support/read-services.ts'
import { byTimeThenId, type SentHit } from '../../support/recount.ts'
import type { RecountGoal } from '../../support/recount-conversions.ts'
import { localDate, periodOf } from '../../support/recount-days.ts'
import type { Filters } from '../../support/recount-filters.ts'
import { passes } from '../../support/recount-money.ts'
import {
  type PeriodLength,
  type Renewal,
  recountCohorts,
  recountMembers,
  returningVisitors,
} from '../../support/recount-retention.ts'
import type { Visit, World } from '../../support/recount-world.ts'
import { hasUsualCases, runs, seeded, seeds } from '../../support/runs.ts'
import type { TestSite } from '../../support/sites.ts'
import { replaceGoals } from '../../support/stored-visits.ts'
import { inputOf, storeServiceEvent, storeStream } from '../stored-stream.ts'

const db = dbOf(useDatabase(testDatabase))

const ZONES = ['Europe/Berlin', 'America/Santiago', 'Pacific/Apia'].slice(0, runs(3))
const READS = runs(12)
const DAY = 86_400_000

/** Visitors who come again and again for weeks around a moment, half of them with ids that the service makes for one day. */
function randomWeeks(seed: number, zone: string) {
  const stream = randomVisits(seed, { zones: [zone], year: 2025 })
  const random = randomFrom(seed)
  const visitors = Array.from({ length: 9 }, () => randomUuid(random))
  const visits = Array.from({ length: 70 }, () =>
    ordinaryVisit(random, stream.around + (random.int(50) - 25) * DAY, random.pick(visitors)),
  )
  const late = [...stream.late]
  for (const visit of visits) late.splice(random.int(late.length + 1), 0, visit)
  const ofOneDay = (hit: SentHit): SentHit => {
    const isOfOneDay = Number.parseInt(hit.visitor[0]!, 16) % 2 === 0
    return isOfOneDay ? { ...hit, visitor: `${hit.visitor.slice(0, 14)}8${hit.visitor.slice(15)}` } : hit
  }
  return {
    hits: [...stream.hits, ...visits.flat()].map(ofOneDay).sort(byTimeThenId),
    late: late.map(batch => batch.map(ofOneDay)),
  }
}

interface CustomerPayment {
  at: number
  customer: string
  amountMinor: number
  refundedMinor: number
  currency: string
  visit: Visit | undefined
}

type CustomerMovement = Pick<CustomerPayment, 'at' | 'customer' | 'amountMinor' | 'currency'>

function randomCustomers(random: Random, world: World) {
  const start = world.hits[0]!.at
  const spanMs = world.hits.at(-1)!.at - start
  const time = () => start + random.int(spanMs + 20 * DAY)
  const currency = () => random.pick(['USD', 'USD', 'USD', 'EUR'])
  const customer = () => `cus_${random.int(8)}`
  const payments = Array.from({ length: 30 }, (): CustomerPayment => {
    const amountMinor = 1 + random.int(5_000)
    const refundedMinor = random.pick([0, 0, 0, amountMinor, random.int(amountMinor)])
    const visit = random.chance(0.8) ? random.pick(world.visits) : undefined
    return { at: time(), customer: customer(), amountMinor, refundedMinor, currency: currency(), visit }
  })
  const movements = Array.from({ length: 30 }, (): CustomerMovement => {
    const at = time()
    const of = customer()
    return { at, customer: of, amountMinor: random.int(3_000) - 800, currency: currency() }
  })
  return { payments, movements }
}

const firstOf = (payments: CustomerPayment[]) => {
  const firsts = new Map<string, CustomerPayment>()
  for (const payment of payments.toSorted((a, b) => a.at - b.at)) {
    const isCounted = payment.currency === 'USD' && !firsts.has(payment.customer)
    if (isCounted) firsts.set(payment.customer, payment)
  }
  return firsts
}

async function storeCustomers(
  db: Db,
  { siteNo }: TestSite,
  { payments, movements }: ReturnType<typeof randomCustomers>,
): Promise<void> {
  const firsts = firstOf(payments)
  for (const payment of payments) {
    const { at, customer, amountMinor, refundedMinor, currency, visit } = payment
    const id = randomUUID()
    await db`
      insert into payments (
        id, site_no, transaction_id, amount_minor, refunded_minor, currency, customer_id, customer, paid_at, source
      )
      values (
        ${id}, ${siteNo}, ${id}, ${amountMinor}, ${refundedMinor}, ${currency}, ${customer}, ${`c:${customer}`},
        ${new Date(at)}, 'api'
      )`
    const [session] = await db`
      select session_no as no, started_at as at
      from sessions
      join visitors using (site_no, visitor_no)
      where sessions.site_no = ${siteNo} and visitors.id = ${visit?.visitor ?? null}
        and started_at = ${visit ? new Date(visit.startedAt) : null}`
    await db`
      insert into revenue (
        site_no, at, payment_id, currency, amount_minor, refunded_minor, is_recurring, is_first_of_customer,
        session_no, session_at
      )
      values (
        ${siteNo}, ${new Date(at)}, ${id}, ${currency}, ${amountMinor}, ${refundedMinor}, false,
        ${firsts.get(customer) === payment}, ${session?.no ?? null}, ${session?.at ?? null}
      )`
  }
  for (const { at, customer, amountMinor, currency } of movements) {
    await db`
      insert into subscriptions (site_no, subscription_id, customer_id, currency, status, mrr_minor, state)
      values (${siteNo}, ${`sub ${customer}`}, ${customer}, 'USD', 'active', 0, '{}')
      on conflict do nothing`
    await db`
      insert into mrr_movements (site_no, at, subscription_id, kind, currency, amount_minor)
      values (${siteNo}, ${new Date(at)}, ${`sub ${customer}`}, 'start', ${currency}, ${amountMinor})`
  }
}

const COHORT_GOAL: Omit<RecountGoal, 'id'> = {
  ...{ display_name: 'Read', type: 'page', match_value: '/p', match_operator: 'starts_with' },
  ...{ scroll_threshold: -1, currency: null, custom_props: {} },
}

/** Some sessions renew: an event of the service, up to some weeks later, which may name the visitor alone. */
async function storeRenewals(db: Db, site: TestSite, random: Random, world: World): Promise<Renewal[]> {
  const renewals: Renewal[] = []
  for (const visit of world.visits.filter(() => random.chance(0.4))) {
    const hasSession = random.chance(0.7)
    const at = visit.startedAt + random.int(20 * DAY)
    renewals.push({ at, visitor: visit.visitor, visit: hasSession ? visit : undefined })
    await storeServiceEvent(db, site, visit, { at, name: 'renewal', hasSession })
  }
  return renewals
}

test('retention: cohorts of a goal that the service converts equal a recount', async () => {
  let members = 0
  for (const seed of seeds(runs(1))) {
    const { hits, late } = randomWeeks(seed + 800, 'Europe/Berlin')
    const { site, world, shape } = await storeStream(db, { zone: 'Europe/Berlin', hits, arrivals: late })
    const renewals = await storeRenewals(db, site, randomFrom(seed), world)
    const goal: RecountGoal = { ...COHORT_GOAL, id: randomUUID(), type: 'event', match_value: 'renewal' }
    await replaceGoals(db, site, [goal])
    const dateOf = (at: number) => localDate('Europe/Berlin', at)
    const [from, to] = [dateOf(world.hits[0]!.at + 5 * DAY), dateOf(world.hits.at(-1)!.at)]
    const query = RetentionQuery.parse({ from, to, cohort: 'goal', cohort_goal: goal.id })
    const now = new Date(to)
    const answer = await readRetention(readServices(db, now), { ...shape, trackingMode: 'cookie' }, query)
    const period = periodOf('Europe/Berlin', from, to)
    const recounted = recountMembers(world, {}, period, { goal, renewals })
    const asked = { length: 'week', later: 12, now: now.getTime() } as const
    expect(answer.cohorts, `${seed}`).toEqual(
      recountCohorts('Europe/Berlin', period, asked, recounted.members, returningVisitors),
    )
    expect(answer.left_out, `${seed}`).toBe(recounted.leftOut)
    members += answer.cohorts.reduce((sum, { size }) => sum + size, 0)
    await replaceGoals(db, site, [])
  }
  if (hasUsualCases) expect(members).toBeGreaterThan(0)
})

test(`retention: every number equals a recount of hits, payments and movements (${ZONES.length} zones)`, async () => {
  const seen = { visitors: 0, users: 0, payers: 0, mrr: 0, leftOut: 0 }
  for (const [index, zone] of ZONES.entries()) {
    const { hits, late } = randomWeeks(seeded(index + 700), zone)
    const { site, world, shape } = await storeStream(db, { zone, hits, arrivals: late })
    const money = randomCustomers(randomFrom(seeded(index + 40)), world)
    await storeCustomers(db, site, money)
    const firsts = firstOf(money.payments)
    for (let round = 0; round < READS; round++) {
      const number = seeded(70_000 + index * 1_000 + round)
      const random = randomFrom(number)
      if (round === READS - 3) await compressSettledChunks(db, new Date(Date.UTC(2026, 5, 1)))
      const filters: Filters = random.chance(0.35) ? randomFilters(number, world) : {}
      const cohort = (['first_visit', 'goal', 'payment'] as const)[round % 3]!
      const measure =
        cohort === 'payment' ? (round % 2 === 0 ? ('payers' as const) : ('mrr' as const)) : 'visitors'
      const goal = { ...COHORT_GOAL, id: randomUUID() }
      await replaceGoals(db, site, [...(filters.goal ?? []), goal])
      const length = random.pick<PeriodLength>(['day', 'week', 'month'])
      const dateOf = (at: number) => localDate(zone, at)
      const from = dateOf(world.hits[0]!.at + random.int(15) * DAY)
      const to = dateOf(Date.parse(from) + (2 + random.int(30)) * DAY)
      const period = periodOf(zone, from, to)
      const later = random.pick([1, 3, 12, 52])
      const now = random.pick([period.end - DAY, period.end + 10 * DAY, period.end + 90 * DAY])
      const query = RetentionQuery.parse({
        ...{ ...inputOf(filters, RetentionQuery), from, to, cohort, measure, period: length, periods: later },
        ...(cohort === 'goal' && { cohort_goal: goal.id }),
      })
      const services = readServices(db, new Date(now))
      const read = (detailsFrom: Date | null = null) =>
        readRetention(services, { ...shape, detailsFrom, trackingMode: 'cookie' }, query)
      const answer = await read()
      const what = JSON.stringify({ index, round, query, now, zone })
      const asked = { length, later, now }
      if (measure === 'visitors') {
        const begun = { goal: cohort === 'goal' ? goal : undefined }
        const recounted = recountMembers(world, filters, period, begun)
        const cohortsOf = ({ members }: typeof recounted) =>
          recountCohorts(zone, period, asked, members, returningVisitors)
        expect(answer.cohorts, what).toEqual(cohortsOf(recounted))
        expect(answer.left_out, what).toBe(recounted.leftOut)
        // Just after a session of a user, who is then no longer known by it.
        const ofUsers = world.visits.filter(({ values }) => values.user_id !== '')
        const detailsFrom = randomFrom(number + 1).pick([...ofUsers, world.visits[0]!]).startedAt + 1
        const left = recountMembers(world, filters, period, { ...begun, detailsFrom })
        const answerLeft = await read(new Date(detailsFrom))
        expect(answerLeft.cohorts, what).toEqual(cohortsOf(left))
        expect(answerLeft.left_out, what).toBe(left.leftOut)
        seen.leftOut += recounted.leftOut
        seen.users += recounted.users
      } else {
        const isMember = ({ at, visit }: CustomerPayment) =>
          at >= period.start && at < period.end && passes(world, { filters, from, to }, visit)
        const members = [...firsts.values()]
          .filter(isMember)
          .map(({ customer, at }) => ({ customer, began: at }))
        const inUsd = { ...money, movements: money.movements.filter(({ currency }) => currency === 'USD') }
        expect(answer.cohorts, what).toEqual(
          recountCohorts(zone, period, asked, members, measure === 'mrr' ? keptMrr(inUsd) : payers(money)),
        )
      }
      const values = answer.cohorts.flatMap(({ periods }) => periods.map(({ value }) => value))
      seen[measure] += values.filter(value => value !== 0).length
    }
    await replaceGoals(db, site, [])
  }
  if (hasUsualCases) expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(0)
})

type Customers = ReturnType<typeof randomCustomers>
interface CustomerMember {
  customer: string
  began: number
}
interface Span {
  start: number
  end: number
}

const payers = ({ payments }: Customers) => ({
  base: (members: CustomerMember[]) => members.length,
  value(members: CustomerMember[], { start, end }: Span) {
    const paid = payments.filter(
      ({ currency, refundedMinor, amountMinor, at }) =>
        currency === 'USD' && refundedMinor < amountMinor && at >= start && at < end,
    )
    return members.filter(member => paid.some(({ customer }) => customer === member.customer)).length
  },
})

function keptMrr({ movements }: Customers) {
  const mrrAt = (members: CustomerMember[], { end }: Span) =>
    movements
      .filter(({ customer, at }) => at < end && members.some(member => member.customer === customer))
      .reduce((sum, { amountMinor }) => sum + amountMinor, 0)
  return { base: mrrAt, value: mrrAt }
}
