import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DIMENSIONS } from '../../src/dimensions/dimensions.ts'
import { hitStreams, nastyMoments, nastyZones, randomHitStream } from './random-hits.ts'
import { type Recount, recountOverview, recountSessions, type SentHit } from './recount.ts'
import { hitDimensions, sessionDimensions } from './recount-world.ts'
import { seeded } from './runs.ts'
import { day, engage, event, identify, minute, noon, view } from './sent-hits.ts'

const ms = 1 / minute
const v2 = { visitor: 'v2' }
const ada = (minutes: number) => identify(minutes, 'ada')
const grace = (minutes: number) => identify(minutes, 'grace')

/** Returns the user of each session and the minutes of its hits after noon; `30+` is a part of a minute more. */
function shown({ sessions }: Recount, batches: SentHit[][]): string {
  const times = new Map(batches.flat().map(sent => [sent.id, (sent.at - noon) / minute]))
  const minuteOf = (id: string) => {
    const minutes = times.get(id)!
    return `${Math.floor(minutes)}${Number.isInteger(minutes) ? '' : '+'}`
  }
  return sessions.map(({ userId, hits }) => [userId || '-', ...hits.map(minuteOf)].join(' ')).join(' | ')
}

const halfHours = Array.from({ length: 49 }, (_, index) => index * 30)

test.each<[rule: string, batches: SentHit[][], sessions: string]>([
  ['nothing makes no session', [], ''],
  ['exactly 30 minutes of silence go on', [[view(0), view(30)]], '- 0 30'],
  ['a millisecond more opens another', [[view(0), view(30 + ms)]], '- 0 | - 30+'],
  ['a batch is taken in order of time', [[view(50), event(0, 'a'), view(0), view(25)]], '- 0 0 25 50'],
  ['visitors have sessions of their own', [[view(0), view(1, '/', v2)]], '- 0 | - 1'],
  ['engagement bridges any silence', [[view(0), engage(200), view(230), view(261)]], '- 0 200 230 | - 261'],
  [
    'the opening hit is at most 24 hours away',
    [[view(0), engage(1439), view(1440), view(1440 + ms)]],
    '- 0 1439 1440 | - 1440+',
  ],
  ['a late hit joins the nearer session', [[view(0), view(40)], [view(21)]], '- 0 | - 21 40'],
  ['as near to both, it joins the earlier', [[view(0), view(40)], [view(20)]], '- 0 20 | - 40'],
  ['it never merges sessions', [[view(0), view(40)], [view(20)], [view(31)]], '- 0 20 | - 31 40'],
  ['out of reach, it opens its own', [[view(0), view(100)], [view(50)]], '- 0 | - 50 | - 100'],
  ['exactly 30 minutes before the opening hit, it joins', [[view(30)], [view(0)]], '- 0 30'],
  ['inside a stretch of engagement, it joins', [[view(0), engage(600)], [view(300)]], '- 0 300 600'],
  [
    'late hits go back 24 hours from the opening hit and no further',
    [...halfHours.toReversed().map(minutes => [view(minutes)]), [view(-ms)]],
    `- -1+ | - ${halfHours.join(' ')}`,
  ],
  ['an id counts once', [[view(0, '/', { id: 'x' })], [view(0, '/', { id: 'x' })]], '- 0'],
  ['a reserved name is dropped', [[event(0, 'payment')]], ''],

  ['engagement needs a pageview', [[event(0, 'a', { path: '/' }), engage(1)]], '- 0'],
  ['of its path', [[view(0, '/a'), engage(1, '/b')]], '- 0'],
  ['of its time or before', [[view(0)], [engage(0)]], '- 0 0'],
  ['not after', [[view(0, '/a'), view(2, '/b'), engage(1, '/b')]], '- 0 2'],
  ['not after, late or not', [[view(5, '/a'), view(9, '/b')], [engage(7, '/b')]], '- 5 9'],
  ['of less than 24 hours ago', [[view(0)], [engage(1440 - ms)]], '- 0 1439+'],
  ['not of 24 hours ago', [[view(0), engage(1440)]], '- 0'],
  ['not of an older session', [[view(0, '/a'), view(60, '/b'), engage(61, '/a')]], '- 0 | - 60'],
  ['of the session before it', [[view(0, '/a'), view(60, '/b')], [engage(50, '/a')]], '- 0 50 | - 60'],
  ['that has arrived', [[engage(1)], [view(0)]], '- 0'],
  ['late or not', [[view(20)], [view(0)], [engage(10)]], '- 0 10 20'],
  ['the 24 hours begin at the opening hit', [[view(20)], [view(0)], [engage(1450)]], '- 0 20 1450'],
  ['dropped, it stays so', [[engage(1, '/', { id: 'y' })], [view(0)], [engage(1, '/', { id: 'y' })]], '- 0'],

  ['an identify names the active session', [[view(0), ada(1), view(2)]], 'ada 0 2'],
  ['it makes no session longer', [[view(0), ada(20), view(40)]], 'ada 0 | - 40'],
  ['it never opens one', [[ada(0)]], ''],
  ['it waits 30 minutes for the next hit', [[ada(0), view(30)]], 'ada 30'],
  ['it waits no longer', [[ada(0), view(30 + ms)]], '- 30+'],
  ['it waits when the session is over', [[view(0), ada(31), view(32)]], '- 0 | ada 32'],
  ['it waits when it is full', [[view(0), engage(1439), ada(1440 + ms), view(1441)]], '- 0 1439 | ada 1441'],
  ['the last one waiting wins', [[ada(0), grace(1), view(2)]], 'grace 2'],
  [
    'grace gets the next hit',
    [[view(0), ada(1), view(2), grace(3), view(4), view(5)]],
    'ada 0 2 | grace 4 5',
  ],
  [
    'ada keeps engagement',
    [[view(0), ada(1), grace(2), engage(3), view(40), view(4)]],
    'ada 0 3 | grace 4 | - 40',
  ],
  ['grace gets what would go on', [[view(0), ada(1), grace(2), engage(40), view(60)]], 'ada 0 40 | grace 60'],
  ['grace waits 30 minutes', [[view(0), ada(1), grace(2), view(33)]], 'ada 0 | - 33'],
  ['ada again takes it back', [[view(0), ada(1), grace(2), ada(3), view(4)]], 'ada 0 4'],
  ['late, it names the session of its time', [[view(0), view(100)], [ada(10)]], 'ada 0 | - 100'],
  ['late, it names what it would have waited for', [[view(30)], [ada(0)]], 'ada 30'],
  ['late and older, it changes nothing', [[view(0), ada(10)], [grace(5)], [view(15)]], 'ada 0 15'],
  [
    'late, grace gets what is beyond',
    [[view(0), ada(1), view(10)], [grace(5)], [view(7)], [view(11)]],
    'ada 0 7 10 | grace 11',
  ],
  [
    'ada keeps a late hit from before',
    [[view(0), ada(1), grace(9)], [view(8)], [view(10)]],
    'ada 0 8 | grace 10',
  ],
  ['grace gets hits of the same time', [[view(0), ada(1), grace(2), view(2), view(2)]], 'ada 0 | grace 2 2'],
  [
    'unless the session of ada ends then',
    [[view(0), ada(0), grace(0), view(0), view(1)]],
    'ada 0 0 | grace 1',
  ],
  ['late and older than one that waits', [[grace(5)], [ada(0)], [view(10)]], 'grace 10'],
])('recount: %s', (_rule, batches, sessions) => {
  const result = recountSessions(batches)
  expect(shown(result, batches)).toBe(sessions)
  const notThere = batches.flat().filter(({ id, kind }) => kind !== 'identify' && !result.sessionOf.has(id))
  expect(new Set(result.dropped)).toEqual(new Set(notThere.map(({ id }) => id)))
})

test('recount: a session keeps start and entry page of its opening hit; visits are counted by start', () => {
  const opening = view(20, '/opening')
  const earlier = view(0, '/earlier')
  const signup = event(25, 'signup')
  const [next, between] = [view(120), view(70)]
  const result = recountSessions([[opening, signup, next], [earlier], [between]])
  expect(result.sessions[0]).toEqual({
    visitor: 'v1',
    startedAt: opening.at,
    firstAt: earlier.at,
    lastAt: signup.at,
    pageviews: 2,
    events: 1,
    entryPath: '/opening',
    userId: '',
    visitCount: 1,
    hits: [earlier.id, opening.id, signup.id],
    openedBy: opening.id,
  })
  expect(result.sessions.map(({ hits, visitCount }) => [hits.at(-1), visitCount])).toEqual([
    [signup.id, 1],
    [between.id, 2],
    [next.id, 3],
  ])
})

test('recount: the overview counts hits by their time and sessions by their start', () => {
  // Midnight is 720 minutes after noon.
  const hits = [
    view(710),
    event(715, 'signup'),
    event(715, 'outbound'),
    event(716, 'payment'),
    view(725),
    view(600, '/', v2),
    view(600, '/', { visitor: 'v3' }),
    event(600.5, 'error', { visitor: 'v3' }),
    event(900, 'signup', { visitor: 'v4' }),
  ]
  const overview = (from: string, to: string) =>
    recountOverview(hits, recountSessions([hits]), 'UTC', from, to)
  const first = {
    pageviews: 3,
    visitors: 3,
    sessions: 3,
    views_per_visit: 1,
    bounce_rate: 66.67,
    // 15 minutes, nothing, and half a minute: 930 seconds in three sessions
    avg_session_seconds: 310,
    custom_events: 1,
  }
  const second = { ...first, pageviews: 1, visitors: 2, sessions: 1, bounce_rate: 0, avg_session_seconds: 0 }
  const nothing = Object.fromEntries(Object.keys(first).map(name => [name, 0]))
  expect(overview('2025-06-10', '2025-06-10')).toEqual({ ...first, days: 1, previous: nothing })
  expect(overview('2025-06-11', '2025-06-11')).toEqual({ ...second, days: 1, previous: first })
  expect(overview('2025-06-11', '2025-06-13')).toEqual({ ...second, days: 3, previous: first })
})

test('recount: halves are rounded away from zero, exactly', () => {
  // 1 ms and 200 sessions: 0.000005 s; 1,000 ms in 200: 0.005 s, which is 0.01
  const openings = Array.from({ length: 200 }, (_, index) => view(0, '/', { visitor: `v${index}` }))
  const overview = (last: SentHit) => {
    const hits = [...openings, last]
    return recountOverview(hits, recountSessions([hits]), 'UTC', '2025-06-10', '2025-06-10')
  }
  expect(overview(view(ms, '/', { visitor: 'v0' })).avg_session_seconds).toBe(0)
  // 201 pageviews in 200 sessions: 1.005, which floating point holds as less
  const longer = { avg_session_seconds: 0.01, views_per_visit: 1.01, bounce_rate: 99.5 }
  expect(overview(view(1 / 60, '/', { visitor: 'v0' }))).toMatchObject(longer)
})

// Clocks go forward on 2025-03-30 and back on 2025-10-26.
test.each([
  ['Europe/Berlin', '2025-03-30', '2025-03-29T23:00:00Z', '2025-03-30T22:00:00Z'],
  ['Europe/Berlin', '2025-10-26', '2025-10-25T22:00:00Z', '2025-10-26T23:00:00Z'],
  ['Asia/Kathmandu', '2025-06-10', '2025-06-09T18:15:00Z', '2025-06-10T18:15:00Z'],
  ['Australia/Lord_Howe', '2025-04-06', '2025-04-05T13:00:00Z', '2025-04-06T13:30:00Z'],
])('recount: a day in %s, %s, runs from %s to %s', (zone, date, start, end) => {
  const times = [Date.parse(start) - 1, Date.parse(start), Date.parse(end) - 1, Date.parse(end)]
  const hits = times.map((at, index) => view(0, '/', { at, visitor: `v${index}` }))
  const overview = recountOverview(hits, recountSessions([hits]), zone, date, date)
  expect(overview).toMatchObject({ visitors: 2, previous: { visitors: 1 } })
})

test('recount: every random hit is in one session, whatever the order of arrival, and sessions do not overlap', () => {
  fc.assert(
    fc.property(hitStreams(), ({ hits, timely, late }) => {
      const timelyResult = recountSessions(timely)
      expect(timelyResult).toEqual(recountSessions([hits]))
      for (const result of [timelyResult, recountSessions(late)]) {
        const expected = hits.filter(({ id, kind }) => kind !== 'identify' && !result.dropped.includes(id))
        const recorded = result.sessions.flatMap(session => session.hits)
        expect(recorded.toSorted()).toEqual(expected.map(({ id }) => id).toSorted())
        const ends = new Map<string, number>()
        for (const { visitor, startedAt, firstAt, lastAt } of result.sessions) {
          expect(firstAt).toBeGreaterThan(ends.get(visitor) ?? Number.NEGATIVE_INFINITY)
          expect(startedAt).toBeGreaterThanOrEqual(firstAt)
          expect(Math.abs(lastAt - startedAt)).toBeLessThanOrEqual(day)
          ends.set(visitor, lastAt)
        }
      }
    }),
    { seed: seeded(20250610), numRuns: 150 },
  )
})

test('random hits: the streams contain what they are for', () => {
  const zones = new Set<string>()
  const seen = { late: 0, twice: 0, sameTime: 0, lost: 0, users: 0, early: 0 }
  let fullDay = 0
  for (let seed = 0; seed < 300; seed++) {
    const { zone, hits, late } = randomHitStream(seed)
    const { sessions, dropped } = recountSessions(late)
    const arrived = late.flat()
    zones.add(zone)
    if (arrived.some((sent, index) => sent.at < (arrived[index - 1]?.at ?? sent.at))) seen.late++
    if (arrived.length > hits.length) seen.twice++
    if (hits.some((sent, index) => sent.at === hits[index - 1]?.at)) seen.sameTime++
    if (dropped.length > 0) seen.lost++
    if (new Set(sessions.map(({ userId }) => userId)).size > 2) seen.users++
    if (sessions.some(({ firstAt, startedAt }) => firstAt < startedAt)) seen.early++
    if (sessions.some(({ lastAt, startedAt }) => lastAt - startedAt === day)) fullDay++
  }
  expect([...zones].toSorted()).toEqual(nastyZones.toSorted())
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(50)
  expect(fullDay).toBeGreaterThan(5)
  const clockChanges = ['2025-03-30T01:00:00Z', '2025-10-26T01:00:00Z', '2025-10-26T23:00:00Z'].map(
    Date.parse,
  )
  expect(nastyMoments('Europe/Berlin', 2025)).toEqual(expect.arrayContaining(clockChanges))
})

test('recount: it knows every dimension of the registry', () => {
  const advice = 'add the dimension to test/support/recount-world.ts; the compiler lists the other places'
  expect([...hitDimensions, ...sessionDimensions].sort(), advice).toEqual([...DIMENSIONS].sort())
})
