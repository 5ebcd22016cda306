import { describe, expect, test } from 'vitest'
import {
  type BreakdownOptions,
  type BreakdownRow,
  recountBreakdown,
  recountFilterValues,
} from './recount-breakdown.ts'
import { engage, event, nextDay, thatDay, view, worldWith } from './sent-hits.ts'

const world = worldWith([
  view(0, '/', { title: 'Home', dims: { country: 'DE' } }),
  view(1, '/pricing', { dims: { country: 'US' } }),
  view(2, '/pricing'),
  event(3, 'signup'),
  view(0, '/', { visitor: 'v2', dims: { country: 'US' } }),
  // Midnight was 720 minutes before noon: this session started the day before.
  view(-725, '/late', { visitor: 'v3', dims: { country: 'US' } }),
  view(-715, '/late', { visitor: 'v3' }),
  view(0, '/', { visitor: 'v4' }),
])

/** The columns of traffic that the cases name. */
const traffic = (rows: BreakdownRow[]) =>
  rows.map(({ value, visitors, sessions, pageviews, bounce_rate }) => ({
    value,
    visitors,
    sessions,
    pageviews,
    bounce_rate,
  }))

describe('breakdown', () => {
  test('the recount of a breakdown of a session dimension counts hits of sessions with the value', () => {
    expect(traffic(recountBreakdown(world, 'country', thatDay))).toEqual([
      { value: 'US', visitors: 2, sessions: 1, pageviews: 2, bounce_rate: 100 },
      { value: '(none)', visitors: 1, sessions: 1, pageviews: 1, bounce_rate: 100 },
      { value: 'DE', visitors: 1, sessions: 1, pageviews: 3, bounce_rate: 0 },
    ])
  })

  test('the recount of a breakdown of a hit dimension counts hits with the value and sessions that have one', () => {
    expect(traffic(recountBreakdown(world, 'path', thatDay))).toEqual([
      { value: '/', visitors: 3, sessions: 3, pageviews: 3, bounce_rate: 66.67 },
      { value: '(none)', visitors: 1, sessions: 1, pageviews: 0, bounce_rate: 0 },
      { value: '/pricing', visitors: 1, sessions: 1, pageviews: 2, bounce_rate: 0 },
      { value: '/late', visitors: 1, sessions: 0, pageviews: 1, bounce_rate: 0 },
    ])
  })

  test('the recount of a breakdown of a hit dimension counts only hits that match a filter of hits', () => {
    const filters = { path: { is: ['/pricing'] } }
    expect(traffic(recountBreakdown(world, 'path', { ...thatDay, filters }))).toEqual([
      { value: '/pricing', visitors: 1, sessions: 1, pageviews: 2, bounce_rate: 0 },
    ])
    expect(traffic(recountBreakdown(world, 'title', { ...thatDay, filters }))).toEqual([
      { value: '(none)', visitors: 1, sessions: 1, pageviews: 2, bounce_rate: 0 },
    ])
  })

  test('the recount of a breakdown of a hit dimension counts a session that has the value only after the range', () => {
    // Midnight comes 720 minutes after noon.
    const overMidnight = worldWith([view(710, '/'), view(730, '/later')])
    const later = { value: '/later', visitors: 0, sessions: 1, pageviews: 0, bounce_rate: 0 }
    expect(traffic(recountBreakdown(overMidnight, 'path', thatDay))).toContainEqual(later)
  })

  test('the recount of a breakdown sorts by any column, ties by visitors, then by value, and rows without it last', () => {
    const scrolled = worldWith([
      view(0, '/a'),
      engage(1, '/a', { scroll: 40, engagedMs: 1_000 }),
      engage(2, '/a', { scroll: 80, engagedMs: 500 }),
      view(3, '/b'),
      engage(4, '/b', { engagedMs: 3_000 }),
      view(0, '/c', { visitor: 'v2' }),
      view(0, '/d', { visitor: 'v3' }),
      view(1, '/d', { visitor: 'v4' }),
    ])
    const valuesBy = (options: BreakdownOptions) =>
      recountBreakdown(scrolled, 'path', thatDay, undefined, options).map(({ value }) => value)
    expect(valuesBy({ sort: 'scroll_depth' })).toEqual(['/a', '/d', '/b', '/c'])
    expect(valuesBy({ sort: 'time_on_page_seconds' })).toEqual(['/b', '/a', '/d', '/c'])
    expect(valuesBy({ sort: 'time_on_page_seconds', order: 'asc' })).toEqual(['/a', '/b', '/d', '/c'])
    expect(valuesBy({ sort: 'value', order: 'desc' })).toEqual(['/d', '/c', '/b', '/a'])
    expect(valuesBy({ sort: 'visitors', order: 'asc' })).toEqual(['/a', '/b', '/c', '/d'])
    expect(recountBreakdown(scrolled, 'path', thatDay)[1]).toMatchObject({
      value: '/a',
      time_on_page_seconds: 1.5,
      scroll_depth: 80,
    })
  })

  test('the recount of a breakdown finds values in any case, and counts the same values in another period', () => {
    const options = { search: 'PRICING', before: nextDay }
    const [row, ...others] = recountBreakdown(world, 'path', thatDay, undefined, options)
    expect(others).toEqual([])
    expect(row).toMatchObject({ value: '/pricing', visitors: 1, previous: { visitors: 0, sessions: 0 } })
    expect(recountBreakdown(world, 'path', thatDay, undefined, { search: '(NONE' })).toHaveLength(1)
  })
})

describe('filter values', () => {
  test('recounted filter values of hit dimensions rank by hits, of others by sessions, then by value', () => {
    expect(recountFilterValues(world, 'path', thatDay)).toEqual(['/', '/pricing', '/late'])
    expect(recountFilterValues(world, 'country', thatDay)).toEqual(['DE', 'US'])
    expect(recountFilterValues(world, 'event_name', thatDay)).toEqual(['signup'])
    expect(recountFilterValues(world, 'path', thatDay, 1)).toEqual(['/'])
  })

  test('recounted filter values ignore the filter of their own dimension and obey the others', () => {
    const filters = { path: { is: ['/pricing'] }, country: { is: ['DE'] } }
    expect(recountFilterValues(world, 'path', { ...thatDay, filters })).toEqual(['/pricing', '/'])
    expect(recountFilterValues(world, 'title', { ...thatDay, filters })).toEqual([])
    expect(recountFilterValues(world, 'entry_path', { ...thatDay, filters })).toEqual(['/'])
  })
})
