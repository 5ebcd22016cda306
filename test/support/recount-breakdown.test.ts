import { describe, expect, test } from 'vitest'
import { recountBreakdown, recountFilterValues } from './recount-breakdown.ts'
import { event, thatDay, view, worldWith } from './sent-hits.ts'

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

describe('breakdown', () => {
  test('the recount of a breakdown of a session dimension counts hits of sessions with the value', () => {
    expect(recountBreakdown(world, 'country', thatDay)).toEqual([
      { value: 'US', visitors: 2, sessions: 1, pageviews: 2, bounce_rate: 100 },
      { value: '(none)', visitors: 1, sessions: 1, pageviews: 1, bounce_rate: 100 },
      { value: 'DE', visitors: 1, sessions: 1, pageviews: 3, bounce_rate: 0 },
    ])
  })

  test('the recount of a breakdown of a hit dimension counts hits with the value and sessions that have one', () => {
    expect(recountBreakdown(world, 'path', thatDay)).toEqual([
      { value: '/', visitors: 3, sessions: 3, pageviews: 3, bounce_rate: 66.67 },
      { value: '(none)', visitors: 1, sessions: 1, pageviews: 0, bounce_rate: 0 },
      { value: '/pricing', visitors: 1, sessions: 1, pageviews: 2, bounce_rate: 0 },
      { value: '/late', visitors: 1, sessions: 0, pageviews: 1, bounce_rate: 0 },
    ])
  })

  test('the recount of a breakdown of a hit dimension counts only hits that match a filter of hits', () => {
    const filters = { path: { is: ['/pricing'] } }
    expect(recountBreakdown(world, 'path', { ...thatDay, filters })).toEqual([
      { value: '/pricing', visitors: 1, sessions: 1, pageviews: 2, bounce_rate: 0 },
    ])
    expect(recountBreakdown(world, 'title', { ...thatDay, filters })).toEqual([
      { value: '(none)', visitors: 1, sessions: 1, pageviews: 2, bounce_rate: 0 },
    ])
  })

  test('the recount of a breakdown of a hit dimension counts a session that has the value only after the range', () => {
    // Midnight comes 720 minutes after noon.
    const overMidnight = worldWith([view(710, '/'), view(730, '/later')])
    const later = { value: '/later', visitors: 0, sessions: 1, pageviews: 0, bounce_rate: 0 }
    expect(recountBreakdown(overMidnight, 'path', thatDay)).toContainEqual(later)
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
