import { expect, test } from 'vitest'
import { clockText, createTimeline } from '../../src/web/pages/people/replay/timeline.ts'

const START = Date.parse('2026-03-18T12:00:00Z')
const iso = (seconds: number) => new Date(START + seconds * 1_000).toISOString()

/** A chunk with events at some seconds of the visit, by the clock of the browser. */
const chunk = (recording: string, path: string, seconds: number[], received = seconds.at(-1)! + 1) => ({
  ...{ recording, path, received_at: iso(received) },
  events: seconds.map((second, index) => ({ type: index === 0 ? 2 : 3, timestamp: START + second * 1_000 })),
})
const error = (seconds: number) => ({
  ...{ event_type: 'error' as const, event_name: 'TypeError', timestamp: iso(seconds) },
})
const marksOf = (timeline: ReturnType<typeof createTimeline>) =>
  timeline.marks.map(({ name, atMs, lookMs }) => [name, atMs / 1_000, lookMs / 1_000])

test('replay timeline: pages follow each other without the time between them; errors are where they happened, and look a second back', () => {
  const chunks = [
    chunk('a', '/a', [2, 5]),
    chunk('a', '/b', [6, 12]),
    // Without a snapshot it cannot be shown.
    {
      ...chunk('lost', '/lost', [20, 21]),
      events: [
        { type: 3, timestamp: START + 20_000 },
        { type: 3, timestamp: START + 21_000 },
      ],
    },
    chunk('c', '/c', [100, 105]),
  ]
  const timeline = createTimeline(chunks, [error(4), error(50), error(100.5)], iso(0))
  expect([timeline.lengthMs, timeline.recordings.map(({ offsetMs }) => offsetMs)]).toEqual([
    15_000,
    [0, 10_000],
  ])
  expect(marksOf(timeline)).toEqual([
    ['/a', 0, 0],
    ['TypeError', 2, 1],
    ['/b', 4, 4],
    ['/c', 10, 10],
    // Between two recordings: the next one shows what followed.
    ['TypeError', 10, 10],
    ['TypeError', 10.5, 10],
  ])
  expect([timeline.indexAt(0), timeline.indexAt(9_999), timeline.indexAt(10_000)]).toEqual([0, 0, 1])
  expect([0, 4_000, 10_000, 15_000].map(timeline.toVisit)).toEqual([2_000, 6_000, 100_000, 105_000])
  expect([0, 6_000, 60_000, 101_000, 900_000].map(timeline.fromVisit)).toEqual([
    0, 4_000, 10_000, 11_000, 15_000,
  ])
})

test.each([
  ['right', 0, 4],
  ['a second late, which is within the delay of chunks', -1, 5],
  ['an hour ahead', 3_600, 4],
  ['an hour late', -3_600, 4],
])('replay timeline: the clock of a browser that is %s', (_, ahead, at) => {
  // Recorded from the second 1 on; its chunks come at once.
  const seconds = [1 + ahead, 3 + ahead, 9 + ahead]
  const { marks } = createTimeline([chunk('a', '/a', seconds, 9)], [error(5)], iso(0))
  expect(marks.at(-1)!.atMs / 1_000).toBeCloseTo(ahead === -3_600 ? 5 : at, 5)
})

test('replay timeline: two tabs at the same time are shown one after the other', () => {
  const chunks = [chunk('a', '/a', [0, 10]), chunk('b', '/b', [4, 6])]
  const timeline = createTimeline(chunks, [error(5)], iso(0))
  expect(marksOf(timeline)).toEqual([
    ['/a', 0, 0],
    ['/b', 10, 10],
    ['TypeError', 11, 10],
  ])
  expect(createTimeline([], [], iso(0))).toMatchObject({ recordings: [], lengthMs: 0, marks: [] })
})

test.each([
  [0, '0:00'],
  [65_900, '1:05'],
  [3_725_000, '1:02:05'],
])('replay timeline: %i ms are %s', (ms, text) => expect(clockText(ms)).toBe(text))
