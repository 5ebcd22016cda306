import { expect, test } from 'vitest'
import { dayOf, formatDay, startOfDay } from '../../../src/platform/time/local-time.ts'
import type { Range } from '../../../src/platform/time/range.ts'
import { filtersOf, StatsQuery } from '../../../src/stats/filters/stats-query.ts'
import type { Family } from '../../../src/stats/imported/families.ts'
import { planTotals, type TotalsQuestion } from '../../../src/stats/imported/plan.ts'

const [FROM, TO] = ['2024-03-01', '2024-03-31']
const range: Range = {
  ...{ zone: 'UTC', from: FROM, to: TO, days: 31, group: 'day' },
  start: new Date(startOfDay('UTC', dayOf(FROM))),
  end: new Date(startOfDay('UTC', dayOf(TO) + 1)),
}

let made = 0
const family = (importNo: number, dimensions: string[], given: Partial<Family> = {}): Family => ({
  ...{ familyNo: ++made, importNo, dimensions, product: 'X', rows: 1, days: 31 },
  ...{ numbers: ['visitors', 'sessions'], from: dayOf(FROM), to: dayOf(TO), ...given },
})

/** Returns the dimensions and days of the families that answer, or why none does. */
function plan(
  families: Family[],
  query: Record<string, string> = {},
  question: Partial<TotalsQuestion> = {},
) {
  const filters = filtersOf(StatsQuery.parse({ range: 'all', ...query }))
  const { parts, refusal } = planTotals(families, range, { filters, needs: ['visitors'], ...question })
  const shown = parts.map(({ family: { dimensions, importNo }, from, to }) =>
    [importNo, dimensions.join('+'), formatDay(from).slice(8), formatDay(to).slice(8)].join(' '),
  )
  return refusal ?? shown
}

test('imported totals: a table by pages does not answer for sessions, unless the page is asked or filtered', () => {
  const byPage = [family(1, ['country', 'path'])]
  expect(plan(byPage, {}, { dimension: 'country' })).toBe('dimension')
  expect(plan(byPage, { country: 'DE' })).toBe('filters')
  expect(plan(byPage, { path: '/a' }, { dimension: 'country' })).toEqual(['1 country+path 01 31'])
  expect(plan(byPage, { country: 'DE' }, { dimension: 'path' })).toEqual(['1 country+path 01 31'])
  // A page has one host here, or several: visitors of both would count twice.
  expect(plan([family(1, ['path', 'hostname'])], {}, { dimension: 'path' })).toBe('dimension')
})

test('imported totals: an event has one name, so custom events add up over names', () => {
  const events = [family(1, ['country', 'event_name'], { numbers: ['events'] })]
  const question = { needs: ['events'], sumsOver: 'event_name' } as const
  expect(plan(events, { country: 'DE' }, question)).toEqual(['1 country+event_name 01 31'])
  expect(plan(events, {}, question)).toBe('numbers')
})

test('imported totals: a table with fewer dimensions has the day, then the newer one', () => {
  const [cities, countries, newest] = [
    family(2, ['country', 'city']),
    family(1, ['country'], { from: dayOf('2024-03-05') }),
    family(3, ['country'], { from: dayOf('2024-03-20'), to: dayOf('2024-03-25') }),
  ]
  expect(plan([cities, countries, newest], {}, { dimension: 'country' })).toEqual([
    '2 country+city 01 04',
    '1 country 05 19',
    '3 country 20 25',
    '1 country 26 31',
  ])
})
