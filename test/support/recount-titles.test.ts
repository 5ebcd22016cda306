import { describe, expect, test } from 'vitest'
import type { SentHit } from './recount.ts'
import { recountTitleSeries, recountTitles, type TitleRow } from './recount-titles.ts'
import { day, engage, event, minute, nextDay, thatDay, view, worldWith } from './sent-hits.ts'

const home = { title: 'Home' }
const docs = { title: 'Docs' }

function rowOf(hits: SentHit[], title: string, query = thatDay, filters = {}): TitleRow | undefined {
  return recountTitles(worldWith(hits), { ...query, filters }).find(row => row.title === title)
}

describe('page titles', () => {
  test('recounted page titles count pageviews, sessions, bounces and the time on them', () => {
    const hits = [
      view(0, '/', home),
      engage(1, '/', { engagedMs: 4_000 }),
      engage(2, '/', { engagedMs: 1_000 }),
      view(3, '/docs', docs),
      engage(4, '/docs', { engagedMs: 60_000 }),
      view(0, '/', { ...home, visitor: 'v2' }),
      view(0, '/start', { ...home, visitor: 'v3', hostname: 'docs.example.com' }),
      engage(9, '/start', { engagedMs: 1, visitor: 'v3' }),
      event(10, 'signup', { visitor: 'v4', title: 'Docs', path: '/newest' }),
      event(10, 'signup', { visitor: 'v4' }),
    ]
    expect(recountTitles(worldWith(hits), thatDay)).toEqual([
      {
        title: 'Home',
        path: '/start',
        hostname: 'docs.example.com',
        pageviews: 3,
        sessions: 3,
        bounce_rate: 66.67,
        // 5,001 ms in the two sessions that have engagement: 2.5005
        time_on_page_seconds: 2.5,
        sessions_previous: 0,
        sessions_change_pct: null,
      },
      {
        title: 'Docs',
        path: '/newest',
        hostname: 'example.com',
        pageviews: 1,
        sessions: 2,
        bounce_rate: 0,
        time_on_page_seconds: 60,
        sessions_previous: 0,
        sessions_change_pct: null,
      },
    ])
  })

  test('recount: a title that a session has only after the range counts, unless there is a filter of hits', () => {
    // Midnight is 720 minutes after noon.
    const hits = [view(710, '/', home), view(730, '/docs', docs), engage(740, '/docs', { engagedMs: 500 })]
    expect(rowOf(hits, 'Docs')).toMatchObject({
      path: '/docs',
      pageviews: 0,
      sessions: 1,
      time_on_page_seconds: 0.5,
    })
    expect(rowOf(hits, 'Docs', thatDay, { entry_path: { is: ['/'] } })).toMatchObject({ sessions: 1 })
    expect(rowOf(hits, 'Docs', thatDay, { hostname: { is: ['example.com'] } })).toBeUndefined()
    expect(rowOf(hits, 'Docs', nextDay)).toMatchObject({
      pageviews: 1,
      sessions: 0,
      bounce_rate: 0,
      time_on_page_seconds: null,
      sessions_previous: 1,
      sessions_change_pct: -100,
    })
  })

  test('engagement counts for the newest pageview of its path, and its title', () => {
    const hits = [
      view(0, '/', { title: 'Old' }),
      engage(1, '/', { engagedMs: 1_000 }),
      view(2, '/', { title: 'New' }),
      engage(3, '/', { engagedMs: 2_000 }),
    ]
    expect(rowOf(hits, 'Old')?.time_on_page_seconds).toBe(1)
    expect(rowOf(hits, 'New')?.time_on_page_seconds).toBe(2)
  })

  test('the change against the days before has one decimal', () => {
    const visits = (count: number, at: number) =>
      Array.from({ length: count }, (_, index) => view(at, '/', { ...home, visitor: `v${index}` }))
    expect(rowOf([...visits(3, -1440), ...visits(4, 0)], 'Home')).toMatchObject({
      sessions_previous: 3,
      sessions_change_pct: 33.3,
    })
  })

  test('recounted page titles rank by sessions, pageviews, title', () => {
    const world = worldWith([
      view(0, '/', { title: 'b' }),
      view(1, '/', { title: 'B' }),
      view(2, '/', { title: 'c' }),
      view(3, '/', { title: 'c' }),
      view(4, '/', { title: 'd' }),
      view(4, '/', { title: 'd', visitor: 'v2' }),
    ])
    expect(recountTitles(world, thatDay).map(row => row.title)).toEqual(['d', 'c', 'B', 'b'])
  })

  test('over time count the sessions where they started', () => {
    const hits = [
      view(-5, '/', docs),
      view(5, '/', home),
      view(6, '/', home),
      view(200, '/', { ...home, visitor: 'v2' }),
      view(0, '/', { ...home, visitor: 'v3', at: Date.UTC(2025, 5, 10) + day - minute }),
    ]
    const { values, labels, group } = recountTitleSeries(worldWith(hits), 'Home', thatDay)
    expect(group).toBe('hour')
    expect(values.map((value, hour) => (value > 0 ? hour : -1)).filter(hour => hour >= 0)).toEqual([
      11, 15, 23,
    ])
    expect(labels[11]).toBe('2025-06-10T11:00:00+00:00')
  })
})
