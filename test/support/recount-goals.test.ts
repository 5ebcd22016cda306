import { describe, expect, test } from 'vitest'
import { conversionsOf, type RecountGoal } from './recount-conversions.ts'
import { recountGoals } from './recount-goals.ts'
import { recountFilteredOverview } from './recount-metrics.ts'
import { engage, event, nextDay, thatDay, view, worldWith } from './sent-hits.ts'

function goalOf(more: Partial<RecountGoal>): RecountGoal {
  return {
    id: 'a',
    display_name: 'Goal',
    type: 'page',
    match_value: '/',
    match_operator: 'is',
    scroll_threshold: -1,
    currency: null,
    custom_props: {},
    ...more,
  }
}

const v2 = { visitor: 'v2' }
const v3 = { visitor: 'v3' }

describe('what converts', () => {
  const hits = [
    view(0, '/docs/a'),
    event(1, 'signup', { path: '/docs/a', props: { plan: 'pro', tier: 'x' } }),
    event(2, 'signup', { props: { plan: 'free' } }),
    event(3, 'outbound', { props: { selector: '#buy' } }),
    event(4, 'outbound'),
    event(5, 'button', { props: { selector: '#buy' } }),
  ]
  test.each<[string, Partial<RecountGoal>, number[]]>([
    ['a page, pageviews only', { match_value: '/docs/*', match_operator: 'matches_pattern' }, [0]],
    ['a page that is not', { match_value: '/docs/a', match_operator: 'is_not' }, []],
    ['an event', { type: 'event', match_value: 'signup' }, [1, 2]],
    [
      'an event with a property',
      { type: 'event', match_value: 'signup', custom_props: { plan: 'pro' } },
      [1],
    ],
    ['not autocapture as an event', { type: 'event', match_value: 'outbound' }, []],
    ['autocapture', { type: 'outbound', match_value: null }, [3, 4]],
    ['autocapture by selector', { type: 'outbound', match_value: '#buy' }, [3]],
    [
      'autocapture without that selector',
      { type: 'outbound', match_value: '#buy', match_operator: 'is_not' },
      [4],
    ],
  ])('%s', (_name, more, places) => {
    const ids = conversionsOf(worldWith(hits), goalOf(more)).map(hit => hit.id)
    expect(ids).toEqual(places.map(place => hits[place]!.id))
  })

  test('a scroll goal, once for each pageview that was scrolled far enough', () => {
    const views = [view(0), view(2), view(4)]
    const world = worldWith([
      ...views,
      engage(1, '/', { scroll: 80 }),
      engage(3, '/', { scroll: 20 }),
      engage(3.5, '/', { scroll: 50 }),
      engage(3.6, '/', { scroll: 10 }),
    ])
    const reached = (scroll_threshold: number) =>
      conversionsOf(world, goalOf({ type: 'scroll', scroll_threshold })).map(hit => hit.id)
    const ids = views.map(sent => sent.id)
    expect(reached(0)).toEqual(ids)
    expect(reached(50)).toEqual([ids[0], ids[1]])
    expect(reached(51)).toEqual([ids[0]])
    expect(reached(81)).toEqual([])
  })
})

describe('the goal report', () => {
  const signup = goalOf({ id: 'b', type: 'event', match_value: 'signup', currency: 'USD', display_name: 'b' })
  const home = goalOf({ id: 'c', display_name: 'A' })
  const usd = (amountMinor: number) => ({ revenue: { amountMinor, currency: 'USD' } })
  const hits = [
    view(0),
    event(1, 'signup', usd(500)),
    event(2, 'signup', usd(250)),
    event(3, 'signup', { revenue: { amountMinor: 9, currency: 'EUR' } }),
    view(0, '/pricing', v2),
    view(0, '/pricing', v3),
    event(730, 'signup', { ...v3, ...usd(1) }),
  ]

  test('the recount of the goal report counts conversions, their visitors and reported revenue', () => {
    expect(recountGoals(worldWith(hits), [signup, home], thatDay)).toEqual([
      {
        id: 'c',
        display_name: 'A',
        conversions: 1,
        visitors: 1,
        conversion_rate: 33.3,
        revenue: 0,
        currency: null,
      },
      {
        id: 'b',
        display_name: 'b',
        conversions: 3,
        visitors: 1,
        conversion_rate: 33.3,
        revenue: 750,
        currency: 'USD',
      },
    ])
  })

  test('the recount of the goal report under filters counts all conversions of sessions that match, also hits that do not', () => {
    const rows = (path: string) =>
      recountGoals(worldWith(hits), [signup], { ...thatDay, filters: { path: { is: [path] } } })
    expect(rows('/')).toMatchObject([{ conversions: 3, visitors: 1, conversion_rate: 100 }])
    expect(rows('/pricing')).toMatchObject([{ conversions: 0, visitors: 0, conversion_rate: 0, revenue: 0 }])
  })

  test('recount: the goal filter keeps the sessions that convert in the range', () => {
    const filters = { goal: [signup] }
    expect(recountFilteredOverview(worldWith(hits), { ...thatDay, filters })).toMatchObject({
      pageviews: 1,
      visitors: 1,
      sessions: 1,
      custom_events: 3,
      conversion_rate: 33.3,
      previous: { visitors: 0, conversion_rate: 0 },
    })
    expect(recountFilteredOverview(worldWith(hits), { ...nextDay, filters })).toMatchObject({
      pageviews: 0,
      visitors: 1,
      sessions: 1,
      conversion_rate: 100,
      previous: { visitors: 1, conversion_rate: 33.3 },
    })
  })

  test('the recount of the goal report divides by the visitors that the other filters keep', () => {
    const filters = { goal: [signup], path: { is: ['/pricing', '/'] } }
    const overview = recountFilteredOverview(worldWith(hits), { ...thatDay, filters })
    expect(overview).toMatchObject({ pageviews: 1, custom_events: 0, visitors: 1, conversion_rate: 33.3 })
    const none = recountFilteredOverview(worldWith(hits), {
      ...thatDay,
      filters: { goal: [signup], path: { is: ['/pricing'] } },
    })
    expect(none).toMatchObject({ visitors: 0, conversion_rate: 0 })
  })

  test('recount: a filter on two goals keeps sessions that convert either of them', () => {
    const filters = { goal: [signup, goalOf({ match_value: '/pricing' })] }
    expect(recountFilteredOverview(worldWith(hits), { ...thatDay, filters })).toMatchObject({
      visitors: 3,
      conversion_rate: 100,
    })
  })
})
