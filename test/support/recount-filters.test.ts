import { describe, expect, test } from 'vitest'
import { filterParameters } from './filter-parameters.ts'
import type { SentHit } from './recount.ts'
import { type Filters, withoutDimension } from './recount-filters.ts'
import { keptOf, recountFilteredOverview } from './recount-metrics.ts'
import { engage, event, identify, nextDay, thatDay, view, worldWith } from './sent-hits.ts'

const v2 = { visitor: 'v2' }

/** v1 has two pageviews and an event in one session, v2 one pageview in each of two. */
function visits(): SentHit[] {
  return [
    view(0, '/', {
      title: 'Home',
      hostname: 'docs.example.com',
      dims: { country: 'DE', utm_campaign: 'Spring' },
    }),
    view(2, '/pricing', { title: 'Pricing', dims: { country: 'US' } }),
    event(3, 'signup', { path: '/pricing', props: { plan: 'pro', empty: '' } }),
    view(0, '/', { ...v2, title: 'Home', dims: { country: 'US' } }),
    view(60, '/pricing', { ...v2, props: { plan: 'free', tier: 'pro' } }),
  ]
}

/** Which of the five are kept, by their place in the list. */
function keptPlaces(filters: Filters): number[] {
  const hits = visits()
  const { hits: kept } = keptOf(worldWith(hits), { ...thatDay, filters })
  const ids = kept.map(hit => hit.id)
  return [...hits.keys()].filter(place => ids.includes(hits[place]!.id))
}

describe('hits are kept', () => {
  test.each<[string, Filters, number[]]>([
    ['all without a filter', {}, [0, 1, 2, 3, 4]],
    ['by path, events too', { path: { is: ['/pricing'] } }, [1, 2, 4]],
    ['by either value', { path: { is: ['/pricing', '/'] } }, [0, 1, 2, 3, 4]],
    [
      'by what both dimensions say of the same hit',
      { path: { is: ['/pricing'] }, title: { is: ['Home'] } },
      [],
    ],
    ['by two operators at once', { path: { contains: ['p'], does_not_contain: ['x', 'y'] } }, [1, 2, 4]],
    ['by an empty title', { title: { is: ['(none)'] } }, [2, 4]],
    ['by a title that is not empty', { title: { is_not: ['(none)', 'Home'] } }, [1]],
    ['by the name of the event', { event_name: { is: ['signup'] } }, [2]],
    ['pageviews by no name of an event', { event_name: { is: ['(none)'] } }, [0, 1, 3, 4]],
    ['by host name, example.com when none was sent', { hostname: { is: ['example.com'] } }, [1, 2, 3, 4]],
    ['by a property', { prop_key: { is: ['plan'] } }, [2, 4]],
    ['by an empty property', { prop_key: { is: ['empty'] } }, [2]],
    ['by one of two properties', { prop_key: { is: ['empty', 'tier'] } }, [2, 4]],
    ['by no property', { prop_key: { is: ['(none)'] } }, [0, 1, 3]],
    ['by any property', { prop_key: { is_not: ['(none)'] } }, [2, 4]],
    ['by the lack of a property', { prop_key: { is_not: ['tier'] } }, [0, 1, 2, 3]],
    ['by the value of that property', { prop_key: { is: ['plan'] }, prop_value: { is: ['pro'] } }, [2]],
    ['by the empty value', { prop_key: { is: ['plan', 'empty'] }, prop_value: { is: ['(none)'] } }, [2]],
    ['by another value', { prop_key: { is: ['plan'] }, prop_value: { is_not: ['pro'] } }, [4]],
    ['by country of the opening hit', { country: { is: ['DE'] } }, [0, 1, 2]],
    ['by country that is unknown', { country: { is: ['(none)'] } }, [4]],
    ['by entry page', { entry_path: { is: ['/'] } }, [0, 1, 2, 3]],
    ['by visit', { visit_count: { is: ['2'] } }, [4]],
    ['by campaign', { campaign: { is: ['Spring'] } }, [0, 1, 2]],
    ['by a hit of a session that is kept', { country: { is: ['US'] }, path: { is: ['/'] } }, [3]],
  ])('%s', (_name, filters, places) => {
    expect(keptPlaces(filters)).toEqual(places)
  })

  test('recount: a filter on user_id also keeps the hits of the session before the identify', () => {
    const hits = [view(0), identify(1, 'ada'), view(2), view(0, '/', v2)]
    const { hits: kept } = keptOf(worldWith(hits), { ...thatDay, filters: { user_id: { is: ['ada'] } } })
    expect(kept.map(hit => hit.id)).toEqual([hits[0]!.id, hits[2]!.id])
  })
})

describe('the overview under filters', () => {
  test('the recount of a filtered overview counts hits that match, and whole sessions that have one', () => {
    const hits = [...visits(), engage(12, '/pricing')]
    const overview = recountFilteredOverview(worldWith(hits), {
      ...thatDay,
      filters: { path: { is: ['/pricing'] } },
    })
    expect(overview).toMatchObject({
      pageviews: 2,
      visitors: 2,
      sessions: 2,
      views_per_visit: 1,
      // v2's second visit; v1 has two pageviews, of which one matches
      bounce_rate: 50,
      // 12 minutes and nothing
      avg_session_seconds: 360,
      custom_events: 1,
      days: 1,
      previous: { pageviews: 0, sessions: 0 },
    })
    expect(overview).not.toHaveProperty('conversion_rate')
  })

  test('a session that matches on the next day only counts on neither by its start', () => {
    // Midnight is 720 minutes after noon.
    const world = worldWith([view(710, '/'), view(730, '/pricing')])
    const filters = { path: { is: ['/pricing'] } }
    expect(recountFilteredOverview(world, { ...thatDay, filters })).toMatchObject({
      pageviews: 0,
      sessions: 0,
    })
    expect(recountFilteredOverview(world, { ...nextDay, filters })).toMatchObject({
      pageviews: 1,
      visitors: 1,
      sessions: 0,
      previous: { pageviews: 0, sessions: 0 },
    })
    expect(recountFilteredOverview(world, { from: thatDay.from, to: nextDay.to, filters }).sessions).toBe(1)
  })
})

test('a dimension without its own filter keeps the others', () => {
  const filters: Filters = { path: { is: ['/'] }, campaign: { is: ['a'] }, utm_campaign: { is: ['b'] } }
  expect(withoutDimension(filters, 'utm_campaign')).toEqual({ path: { is: ['/'] } })
  expect(withoutDimension(filters, 'path')).toEqual({ campaign: { is: ['a'] }, utm_campaign: { is: ['b'] } })
})

test('filters become query parameters', () => {
  const filters: Filters = { path: { is: ['/a', '/b'], contains: ['50%'] }, prop_key: { is_not: ['(none)'] } }
  expect(decodeURIComponent(filterParameters(filters).toString())).toBe(
    'path=/a&path=/b&path[contains]=50%&prop_key[is_not]=(none)',
  )
})
