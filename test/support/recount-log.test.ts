import { describe, expect, test } from 'vitest'
import { recountLog, recountProperties } from './recount-log.ts'
import { engage, event, identify, thatDay, view, worldWith } from './sent-hits.ts'

describe('the event log', () => {
  const first = view(0, '/docs', {
    title: 'Docs',
    dims: { country: 'DE', size: 'mobile' },
    props: { a: '1' },
  })
  const second = event(5, 'signup', { dims: { country: 'US' } })
  const sameTime = event(5, 'outbound')
  const world = worldWith([
    first,
    second,
    sameTime,
    engage(6, '/docs'),
    identify(7, 'ada'),
    event(8, 'payment'),
  ])

  test('the recounted event log is ordered by time and id, newest first, without engagement and identify hits', () => {
    expect(recountLog(world, [], thatDay).map(item => item.id)).toEqual([sameTime.id, second.id, first.id])
    expect(recountLog(world, ['event', 'copy'], thatDay).map(item => item.id)).toEqual([second.id])
  })

  test('the recounted event log names type and fields of each hit', () => {
    expect(recountLog(world, [], thatDay).at(-1)).toEqual({
      id: first.id,
      event_type: 'pageview',
      event_name: '',
      timestamp: '2025-06-10T12:00:00.000Z',
      path: '/docs',
      url: 'https://example.com/docs',
      title: 'Docs',
      hostname: 'example.com',
      user_id: 'ada',
      visitor_id: 'v1',
      country: 'DE',
      device: 'mobile',
      browser: '',
      os: '',
      properties: { a: '1' },
    })
    // The session's country, not the hit's own.
    expect(recountLog(world, ['event'], thatDay)).toMatchObject([{ event_name: 'signup', country: 'DE' }])
  })
})

describe('properties', () => {
  test('recounted properties are ranked by visitors, then key, then value', () => {
    const world = worldWith([
      event(0, 'signup', { props: { plan: 'pro', a: '' } }),
      event(1, 'signup', { props: { plan: 'pro' } }),
      event(2, 'signup', { props: { plan: 'free' }, visitor: 'v2' }),
      event(3, 'signup', { props: { plan: 'free' } }),
      event(4, 'Signup', { props: { other: 'x' } }),
      event(5, 'outbound', { props: { plan: 'pro' }, visitor: 'v3' }),
    ])
    expect(recountProperties(world, 'event', 'signup', thatDay)).toEqual([
      { key: 'plan', value: 'free', visitors: 2 },
      { key: 'a', value: '', visitors: 1 },
      { key: 'plan', value: 'pro', visitors: 1 },
    ])
  })

  test('recounted properties stop at 50', () => {
    const props = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key${index + 10}`, 'x']))
    const rows = recountProperties(worldWith([event(0, 'signup', { props })]), 'event', 'signup', thatDay)
    expect(rows.map(row => row.key)).toEqual(Array.from({ length: 50 }, (_, index) => `key${index + 10}`))
  })
})
