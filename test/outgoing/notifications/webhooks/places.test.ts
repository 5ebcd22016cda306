import { expect, test } from 'vitest'
import { createPlaces } from '../../../../src/outgoing/notifications/webhooks/places.ts'

const of = (team: string, site: number) => ({ team, site })

test('places: each site and each team has its limit, and all together have one', () => {
  const places = createPlaces<'team' | 'site'>({ all: 5, team: 3, site: 2 })
  const take = (team: string, site: number) => places.take(of(team, site))
  expect([take('a', 1), take('a', 1), take('a', 1)]).toEqual([true, true, false])
  expect([take('a', 2), take('a', 3)]).toEqual([true, false])
  expect([places.full('site'), places.full('team'), places.holders('site')]).toEqual([[1], ['a'], [1, 2]])
  expect([take('b', 4), take('c', 5), take('d', 6), places.free()]).toEqual([true, true, false, 0])
})

test('places: a place that is left can be taken again, and a refused holder holds nothing', () => {
  const places = createPlaces<'team' | 'site'>({ all: 2, team: 2, site: 1 })
  expect([places.take(of('a', 1)), places.take(of('a', 1)), places.take(of('a', 2))]).toEqual([
    true,
    false,
    true,
  ])
  places.leave(of('a', 1))
  places.leave(of('a', 2))
  expect([places.free(), places.holders('team'), places.full('site')]).toEqual([2, [], []])
  expect(places.take(of('a', 1))).toBe(true)
})
