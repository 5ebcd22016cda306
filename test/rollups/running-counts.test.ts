import { expect, test } from 'vitest'
import { COPIED_COLUMNS } from '../../src/dimensions/dimensions.ts'
import type { RowSlice } from '../../src/rollups/daily/row-slice.ts'
import { LiveCounter } from '../../src/rollups/live-tail/count-live.ts'
import type { TailHit } from '../../src/rollups/live-tail/read-hits.ts'
import { RunningCounts } from '../../src/rollups/live-tail/running-counts.ts'
import { TailRows } from '../../src/rollups/live-tail/tail-rows.ts'
import { ValueCounter } from '../../src/rollups/live-tail/value-counter.ts'
import { DIMENSIONS, sorted } from '../support/live-tail.ts'
import { randomFrom } from '../support/random-values.ts'
import { sweep } from '../support/runs.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 2, 10, 9)
const ROOM = 100_000_000

const ENGAGEMENT = { type: 'engagement', engagedMs: 700, scroll: 40 } as const
const NO_ENGAGEMENT = { engagedMs: null, scroll: null }

/** Hits in the order in which a tail reads them; some come three minutes late, some in the same millisecond as another one. */
function* someHits(seed: number): Generator<TailHit> {
  const { int: below } = randomFrom(seed)
  const sessions = new Map<number, { no: number; at: number }>()
  let sessionNo = 0
  for (let index = 0; ; index++) {
    const visitorNo = 1 + below(9)
    let at = START + index * 2_000
    const isNew = !sessions.has(visitorNo) || below(12) === 0
    if (isNew) sessions.set(visitorNo, { no: ++sessionNo, at })
    const session = sessions.get(visitorNo)!
    if (!isNew && below(5) === 0) at = Math.max(START, at - below(3 * MINUTE))
    const type = ['pageview', 'pageview', 'event', 'error'][below(4)]!
    const page = below(6)
    // Two hits in the first millisecond of a session both tell what it has from its start.
    const isOpening = isNew || below(40) === 0
    yield {
      at: at - (at % 4_000),
      hash: Math.imul(index + 1, 2_654_435_761) | 0,
      type,
      sessionNo: session.no,
      visitorNo,
      sessionAt: session.at,
      path: `/page-${page}`,
      title: page === 0 ? '' : `Page ${page}`,
      hostname: 'example.com',
      event_name: type === 'event' ? `event-${below(3)}` : '',
      error: type === 'error' ? `error-${below(2)}` : null,
      opened: isOpening
        ? JSON.stringify(COPIED_COLUMNS.map((_, column) => `value-${(page + column) % 4}`))
        : null,
      ...(!isNew && below(4) === 0 ? ENGAGEMENT : NO_ENGAGEMENT),
    }
  }
}

const openSlice = (from: number): RowSlice => ({
  start: START - 60 * MINUTE,
  end: START + 60 * MINUTE,
  hitsFrom: from,
  hitsTo: START + 60 * MINUTE,
  closedFrom: from,
  closedTo: Number.POSITIVE_INFINITY,
})

test.each(sweep([1, 2, 3, 4]))('running counts: after more hits they are what a new count is (%i)', seed => {
  const rows = new TailRows(START)
  const running = new RunningCounts(rows)
  const live = new LiveCounter(rows)
  const hits = someHits(seed)
  const slices = [openSlice(START), openSlice(START + 4 * MINUTE)]
  let compared = 0
  for (let step = 0; step < 40; step++) {
    for (let count = 0; count < 12; count++) rows.addHit(hits.next().value)
    if (step === 25) rows.dropBefore(START + 3 * MINUTE)
    for (const slice of slices) {
      if (slice.hitsFrom < rows.from) continue
      // Some are asked for rarely, and add more at once.
      for (const dimension of DIMENSIONS.filter((_, index) => step % (1 + (index % 3)) === 0)) {
        const counted = sorted(running.count(slice, dimension, ROOM))
        const anew = sorted(new ValueCounter(rows, slice, dimension).byValue())
        expect({ step, dimension, counted }).toEqual({ step, dimension, counted: anew })
        compared += counted.length
      }
    }
    const end = START + Math.ceil((12 * (step + 1) * 2_000) / MINUTE) * MINUTE
    const present = { siteNo: 1, start: end - 5 * MINUTE, end, presentFrom: end - 2 * MINUTE, limit: 3 }
    expect(live.count(present)).toEqual(new LiveCounter(rows).count(present))
    // Alone, after all is counted.
    for (const index of [...rows.unclearExits].slice(0, 2)) rows.setExit(index, '/page-5')
  }
  expect(compared).toBeGreaterThan(2_000)
  expect(running.bytes).toBeGreaterThan(0)
})

const countPaths = (rows: TailRows, slice: RowSlice) =>
  sorted(new ValueCounter(rows, slice, 'path').byValue())

test('running counts: without room nothing is kept; with room for some, those asked for last; counts are right', () => {
  const { rows, running, slice } = filled()
  expect(sorted(running.count(slice, 'path', 100))).toEqual(countPaths(rows, slice))
  expect(running.bytes).toBe(0)
  running.count(slice, 'path', ROOM)
  const room = running.bytes + 1_000
  running.count(slice, 'title', room)
  expect(running.bytes).toBeGreaterThan(0)
  expect(running.bytes).toBeLessThanOrEqual(room)
  expect(sorted(running.count(slice, 'path', room))).toEqual(countPaths(rows, slice))
})

test('running counts: a second hit that opens a session ends them only when it tells of other values', () => {
  const { rows, running, slice } = filled()
  const opening = (hash: number, value: string): TailHit => ({
    ...someHits(1).next().value!,
    at: START + 9 * MINUTE,
    hash,
    sessionNo: 1_000,
    visitorNo: 1_000,
    sessionAt: START + 9 * MINUTE,
    opened: JSON.stringify(COPIED_COLUMNS.map(() => value)),
  })
  const visitorsOf = (value: string) => running.count(slice, 'country', ROOM).get(value)?.visitors.length
  rows.addHit(opening(1, 'here'))
  expect(visitorsOf('here')).toBe(1)
  const { bytes } = running
  rows.addHit(opening(2, 'here'))
  expect(running.bytes).toBe(bytes)
  expect(visitorsOf('here')).toBe(1)
  rows.addHit(opening(3, 'there'))
  expect(running.bytes).toBe(0)
  expect(visitorsOf('here')).toBeUndefined()
  expect(visitorsOf('there')).toBe(1)
})

function filled() {
  const rows = new TailRows(START)
  const running = new RunningCounts(rows)
  const hits = someHits(5)
  for (let count = 0; count < 100; count++) rows.addHit(hits.next().value!)
  return { rows, running, slice: openSlice(START) }
}
