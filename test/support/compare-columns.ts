import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { dimensionsOfLevel } from '../../src/dimensions/dimensions.ts'
import type { DimensionFilter } from '../../src/filters/conditions.ts'
import { sumMoneyByValue } from '../../src/stats/breakdown/money-by-value.ts'
import { countGiven, rankPage } from '../../src/stats/breakdown/rank-page.ts'
import { coverRange } from '../../src/stats/columns/coverage.ts'
import { sumMoneyByColumns } from '../../src/stats/columns/money.ts'
import { countTrafficByColumns } from '../../src/stats/columns/traffic.ts'
import type { ResolvedQuery } from '../../src/stats/filters/resolved-query.ts'
import { countFilteredRows } from '../../src/stats/metrics/filtered-traffic.ts'
import type { StatsServices } from '../../src/stats/query-context.ts'
import { countFilteredTitles, countTitlesByColumns } from '../../src/stats/reports/title-details.ts'
import { mergeSlices, readSlices } from '../../src/stats/sql/slices.ts'
import type { TimeSpan } from '../../src/time/range.ts'
import type { Random } from './random-values.ts'
import { readSite } from './read-services.ts'
import type { TestSite } from './sites.ts'

const HOUR = 3_600_000
const OF_SESSIONS = [...dimensionsOfLevel('session'), ...dimensionsOfLevel('session-row')]
const OF_HITS = dimensionsOfLevel('hit')

/** The same read without columns: a session slice of everything is always read from rows. */
const fromRows = (resolved: ResolvedQuery): ResolvedQuery => ({
  ...resolved,
  slice: { from: null, to: null },
})

/** One to three filters, whose values the sessions have, in part. */
export async function randomFilters(db: Db, siteNo: number, random: Random): Promise<DimensionFilter[]> {
  const operators = ['is', 'is_not', 'contains', 'does_not_contain', 'starts_with', 'ends_with'] as const
  const filters: DimensionFilter[] = []
  for (let count = 0; count <= random.int(3); count++) {
    const dimension = random.pick(OF_SESSIONS)
    const rows = await db<{ value: string }[]>`
      select distinct ${db(dimension)} as value from sessions where site_no = ${siteNo} order by 1`
    const operator = random.pick(operators)
    const isWhole = operator === 'is' || operator === 'is_not'
    const some = rows.map(({ value }) => value).filter(() => random.chance(0.6))
    const values = [...some, 'no such value'].map(value => (isWhole ? value : value.slice(0, 2)))
    filters.push({ dimension, condition: { field: dimension, operator, values } })
  }
  return filters
}

/** Gives half of the sessions payments and some of them changes of MRR, up to a day after their start. */
export async function addMoney(db: Db, siteNo: number, random: Random): Promise<void> {
  const sessions = await db<{ sessionNo: number; startedAt: Date; visitorNo: number }[]>`
    select session_no as "sessionNo", started_at as "startedAt", visitor_no as "visitorNo"
    from sessions where site_no = ${siteNo} order by session_no`
  for (const { sessionNo, startedAt, visitorNo } of sessions) {
    const at = new Date(startedAt.getTime() + random.int(3) * 12 * HOUR)
    if (random.chance(0.5)) {
      await db`insert into revenue (
          site_no, at, payment_id, currency, amount_minor, refunded_minor, is_recurring, visitor_no, session_no, session_at
        ) values (
          ${siteNo}, ${at}, ${randomUUID()}, 'USD', ${100 + random.int(900)}, ${random.int(50)}, false,
          ${visitorNo}, ${sessionNo}, ${startedAt}
        )`
    }
    if (random.chance(0.3)) {
      await db`insert into mrr_movements (
          site_no, at, subscription_id, kind, currency, amount_minor, visitor_no, session_no, session_at
        ) values (
          ${siteNo}, ${at}, ${randomUUID()}, 'start', 'USD', ${100 + random.int(900)}, ${visitorNo}, ${sessionNo}, ${startedAt}
        )`
    }
  }
}

interface Compared {
  services: Pick<StatsServices, 'reads' | 'rollups' | 'slices'>
  site: TestSite
  zone: string
  resolved: ResolvedQuery
  /** Windows of the range, in order, that do not overlap. */
  windows: readonly TimeSpan[]
  random: Random
  /** Whether money has no filters. */
  isMoneyUnfiltered: boolean
}

/** Expects the same counts of a read from columns of sessions and from rows, and returns how many columns answered. */
export async function expectAsFromRows(given: Compared) {
  const { services, zone, resolved, random } = given
  const account = readSite(given.site, zone)
  const answered = { traffic: 0, values: 0, money: 0 }
  const told = JSON.stringify(resolved.filters.dimensions)
  for (const each of [[resolved], given.windows]) {
    const found = await countTrafficByColumns(services, resolved, each)
    if (!found) continue
    answered.traffic += 1
    const buckets = each.map(window => ({ ...window, label: '' }))
    expect(found, told).toEqual(await countFilteredRows(services, fromRows(resolved), buckets))
  }
  for (const dimension of [random.pick(OF_HITS), 'path', random.pick(OF_SESSIONS)] as const) {
    if (await coverRange(services, resolved)) answered.values += 1
    const subject = { dimension, zone }
    const options = {
      sort: random.pick(['visitors', 'sessions', 'bounce_rate', 'value'] as const),
      order: random.pick(['asc', 'desc'] as const),
      search: undefined,
      limit: 100,
      offset: 0,
    }
    const page = await rankPage(services, resolved, subject, options)
    const expected = await rankPage(services, fromRows(resolved), subject, options)
    const shown = (rows: typeof page.rows) =>
      rows.map(({ hits: _, customEvents: _events, lastAt: _lastAt, ...counts }) => counts)
    expect({ ...page, rows: shown(page.rows) }, `${dimension} ${told}`).toEqual({
      ...expected,
      rows: shown(expected.rows),
    })
    const given = [...page.rows.map(({ value }) => value), 'no such value']
    expect(shown(await countGiven(services, resolved, subject, given))).toEqual(
      shown(await countGiven(services, fromRows(resolved), subject, given)),
    )
  }
  const titles = await countTitlesByColumns(services, resolved)
  if (titles) {
    const rows = mergeSlices(
      await readSlices(services, countFilteredTitles, fromRows(resolved)),
      ({ value }) => value,
    )
    const kept = titles.filter(({ value, sessions, pageviews }) => value !== '' && sessions + pageviews > 0)
    const byValue = (a: { value: string }, b: { value: string }) => (a.value < b.value ? -1 : 1)
    const expected = rows.filter(row => row.sessions + row.pageviews > 0).sort(byValue)
    expect(kept.sort(byValue), told).toMatchObject(expected)
  }
  const filters = {
    dimensions: given.isMoneyUnfiltered ? [] : resolved.filters.dimensions,
    property: undefined,
  }
  const ofMoney = { ...resolved, filters }
  for (const dimension of OF_HITS) {
    const summed = await sumMoneyByColumns(services, ofMoney, 'USD', dimension, undefined)
    if (!summed) continue
    answered.money += 1
    const expected = await sumMoneyByValue(services, account, fromRows(ofMoney), dimension, undefined)
    for (const kind of ['revenue', 'mrr'] as const) {
      const found = new Map(summed.flatMap(row => (row[kind] === 0n ? [] : [[row.value, row[kind]]])))
      const wanted = new Map([...expected[kind]].filter(([, amount]) => amount !== 0n))
      expect(found, `${dimension} ${kind} ${JSON.stringify(filters)}`).toEqual(wanted)
    }
  }
  return answered
}
