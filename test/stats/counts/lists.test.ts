import { expect, test } from 'vitest'
import { EVENT_TYPES } from '../../../src/platform/dimensions/event-types.ts'
import type { DimensionFilter } from '../../../src/stats/conditions/conditions.ts'
import { findLogHits } from '../../../src/stats/counts/log-page.ts'
import { findMatching } from '../../../src/stats/counts/matching.ts'
import type { Question } from '../../../src/stats/counts/question.ts'
import { findSessions } from '../../../src/stats/counts/session-page.ts'
import { tableView } from '../../support/table-view.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 2, 10, 12)
const at = (minute: number) => START + minute * MINUTE
const page = (minute: number, path: string) => ({ at: at(minute), path })
const event = (minute: number, event_name: string) => ({
  at: at(minute),
  type: 'event',
  event_name,
  path: '/',
})

const SESSIONS = [
  { no: 1, visitor: 10, country: 'DE', source: 'Google', hits: [page(-9, '/a'), page(1, '/a')] },
  { no: 2, visitor: 10, country: 'DE', source: '', hits: [page(2, '/a'), page(2, '/b'), event(3, 'signup')] },
  { no: 3, visitor: 20, country: 'FR', source: 'Google', hits: [page(2, '/b'), event(4, 'login')] },
  { no: 4, visitor: 30, country: 'DE', source: '', hits: [page(4, '/b')] },
  { no: 5, visitor: 30, country: 'DE', source: '', hits: [page(5, '/a')] },
  { no: 3, visitor: 20, country: 'FR', source: 'Google', isService: true, hits: [event(3, 'payment')] },
]
const VIEW = tableView(SESSIONS)

const is = (dimension: DimensionFilter['dimension'], ...values: string[]): DimensionFilter => ({
  dimension,
  condition: { field: dimension, operator: 'is', values },
})

/** The first five minutes. */
const ask = (...filters: DimensionFilter[]): Question => ({
  ...{ start: at(0), end: at(5), filters, properties: [], goals: [], requested: 0 },
})

const DE = is('country', 'DE')
const ALL = { limit: 100, offset: 0 }

test.each<[string, DimensionFilter[], number[], number[]]>([
  ['all that started in the range', [], [1, 2, 3, 4, 5], [2, 3, 4]],
  ['only those that are asked for', [], [2, 9], [2]],
  ['a filter on sessions', [DE], [1, 2, 3, 4, 5], [2, 4]],
  ['a filter on hits', [is('path', '/a')], [1, 2, 3, 4], [2]],
  ['both', [DE, is('path', '/b')], [2, 3, 4], [2, 4]],
  ['an event of the service', [is('event_name', 'payment')], [2, 3], [3]],
  ['none', [], [], []],
])('matching sessions: %s', (_, filters, asked, expected) => {
  expect(findMatching(VIEW, ask(...filters), asked).toSorted()).toEqual(expected)
})

/** Expected are session, minute and position in the moment. */
test.each<[string, DimensionFilter[], number[], string]>([
  ['all hits of one, without what the service wrote', [], [3], '3/4/0 3/2/0'],
  ['of several, those of one moment by their position there', [], [2, 4], '4/4/0 2/3/0 2/2/0 2/2/1'],
  ['those that pass a filter on hits', [is('path', '/b')], [2, 3], '2/2/1 3/2/0'],
  ['none of a session that does not pass', [is('country', 'FR')], [2], ''],
])('hits of sessions: %s', (_, filters, sessionNos, expected) => {
  const found = findLogHits(VIEW, ask(...filters), { types: [...EVENT_TYPES], sessionNos, ...ALL })
  const hits = Array.from(found.at, (time, index) => {
    return `${found.sessionNos[index]}/${(time - START) / MINUTE}/${found.nth[index]}`
  })
  expect(hits.join(' ')).toBe(expected)
  expect([found.total, found.skipped]).toEqual([hits.length, 0])
})

test('sessions of a list have the numbers of their visitors', () => {
  const { sessionNos, visitorNos } = findSessions(VIEW, ask(DE), ALL)
  expect([[...sessionNos], [...visitorNos]]).toEqual([
    [4, 2],
    [30, 10],
  ])
})
