import fc from 'fast-check'
import { DateTime } from 'luxon'
import { describe, expect, test } from 'vitest'
import { DIMENSIONS } from '../../src/dimensions/dimensions.ts'
import {
  hitStreams,
  nastyMoments,
  nastyZones,
  randomHitStream,
  shuffledArrival,
  timeOrderArrival,
} from './random-hits.ts'
import {
  type Recount,
  recountOverview,
  recountRange,
  recountSessions,
  recountSparkline,
  type SentHit,
} from './recount.ts'
import { hitDimensions, sessionDimensions } from './recount-world.ts'
import { day, engage, event, hit, identify, minute, noon, view } from './sent-hits.ts'

/** Each session as its hits' minutes after noon, pageviews and events and engagement alike. */
function minutesOf(result: Recount, batches: SentHit[][]): number[][] {
  const byId = new Map(batches.flat().map(sent => [sent.id, (sent.at - noon) / minute]))
  return result.sessions.map(session => session.hits.map(id => byId.get(id)!))
}

const ms = 1 / minute

describe('sessions', () => {
  const table: { name: string; batches: SentHit[][]; sessions: number[][] }[] = [
    { name: 'nothing makes no session', batches: [], sessions: [] },
    { name: 'exactly 30 minutes of silence go on', batches: [[view(0), view(30)]], sessions: [[0, 30]] },
    {
      name: 'a millisecond more opens another',
      batches: [[view(0), view(30 + ms)]],
      sessions: [[0], [30 + ms]],
    },
    {
      name: 'equal times share a session',
      batches: [[view(0), event(0, 'a'), view(0)]],
      sessions: [[0, 0, 0]],
    },
    {
      name: 'a batch is taken in time order',
      batches: [[view(50), view(0), view(25)]],
      sessions: [[0, 25, 50]],
    },
    {
      name: 'visitors have sessions of their own',
      batches: [[view(0), view(1, '/', { visitor: 'v2' })]],
      sessions: [[0], [1]],
    },
    {
      name: 'engagement lengthens the session, however long the silence was',
      batches: [[view(0), engage(200), view(230), view(261)]],
      sessions: [[0, 200, 230], [261]],
    },
    {
      name: 'the opening hit is at most 24 hours away, exactly 24 included',
      batches: [[view(0), engage(1439), view(1440), view(1440 + ms)]],
      sessions: [[0, 1439, 1440], [1440 + ms]],
    },
    {
      name: 'a late hit between two sessions joins the nearer',
      batches: [[view(0), view(40)], [view(21)]],
      sessions: [[0], [21, 40]],
    },
    {
      name: 'as near to both, it joins the earlier',
      batches: [[view(0), view(40)], [view(20)]],
      sessions: [[0, 20], [40]],
    },
    {
      name: 'a late hit never merges sessions',
      batches: [[view(0), view(40)], [view(20)], [view(31)]],
      sessions: [
        [0, 20],
        [31, 40],
      ],
    },
    {
      name: 'a late hit out of reach opens its own',
      batches: [[view(0), view(100)], [view(50)]],
      sessions: [[0], [50], [100]],
    },
    {
      name: 'a late hit exactly 30 minutes before the opening hit joins',
      batches: [[view(30)], [view(0)]],
      sessions: [[0, 30]],
    },
    {
      name: 'a late hit inside a stretch of engagement joins',
      batches: [[view(0), engage(600)], [view(300)]],
      sessions: [[0, 300, 600]],
    },
    {
      name: 'late hits go back 24 hours from the opening hit and no further',
      batches: [...Array.from({ length: 49 }, (_, index) => [view(1440 - index * 30)]), [view(-ms)]],
      sessions: [[-ms], Array.from({ length: 49 }, (_, index) => index * 30)],
    },
    {
      name: 'an id counts once',
      batches: [[view(0, '/', { id: 'x' })], [view(0, '/', { id: 'x' })]],
      sessions: [[0]],
    },
  ]

  test.each(table)('$name', ({ batches, sessions }) => {
    const result = recountSessions(batches)
    expect(minutesOf(result, batches)).toEqual(sessions)
    expect(result.dropped).toEqual([])
  })

  test('a session keeps start and entry page of its opening hit while it grows', () => {
    const opening = view(20, '/opening')
    const earlier = view(0, '/earlier')
    const signup = event(25, 'signup')
    const result = recountSessions([[opening, signup], [earlier]])
    expect(result.sessions).toEqual([
      {
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
      },
    ])
    expect(result.sessionOf).toEqual(new Map([earlier, opening, signup].map(sent => [sent.id, 0])))
  })

  test('visits are counted by start, late sessions included', () => {
    const result = recountSessions([[view(0), view(100)], [view(50)], [view(-60, '/', { visitor: 'v2' })]])
    expect(result.sessions.map(session => session.visitCount)).toEqual([1, 1, 2, 3])
  })

  test('an event with a reserved name is dropped and opens no session', () => {
    const payment = event(0, 'payment')
    expect(recountSessions([[payment]])).toEqual({
      sessions: [],
      dropped: [payment.id],
      sessionOf: new Map(),
      openedBy: [],
      pageviewOf: new Map(),
    })
  })
})

describe('engagement', () => {
  const table: { name: string; batches: SentHit[][]; recorded: boolean }[] = [
    { name: 'without any pageview', batches: [[engage(1)]], recorded: false },
    { name: 'of a path never seen', batches: [[view(0, '/a'), engage(1, '/b')]], recorded: false },
    {
      name: 'before its pageview',
      batches: [[view(0, '/a'), view(2, '/b'), engage(1, '/b')]],
      recorded: false,
    },
    { name: 'at the time of its pageview', batches: [[view(0)], [engage(0)]], recorded: true },
    { name: 'a millisecond under 24 hours', batches: [[view(0), engage(1440 - ms)]], recorded: true },
    { name: 'at 24 hours', batches: [[view(0), engage(1440)]], recorded: false },
    {
      name: 'of a path of an older session',
      batches: [[view(0, '/a'), view(60, '/b'), engage(61, '/a')]],
      recorded: false,
    },
    {
      name: 'late, between two sessions',
      batches: [[view(0, '/a'), view(60, '/b')], [engage(50, '/a')]],
      recorded: true,
    },
    { name: 'taken before its pageview arrived', batches: [[engage(1)], [view(0)]], recorded: false },
    {
      name: 'late, and before its pageview',
      batches: [[view(5, '/a'), view(9, '/b')], [engage(7, '/b')]],
      recorded: false,
    },
    {
      name: 'late, and before the opening hit',
      batches: [[view(20)], [view(0)], [engage(10)]],
      recorded: true,
    },
    {
      name: 'within 24 hours of the opening hit, not of a late first one',
      batches: [[view(20)], [view(0)], [engage(1450)]],
      recorded: true,
    },
    {
      name: 'dropped once and delivered again after its pageview',
      batches: [
        [hit('engagement', 1, { path: '/', id: 'again' })],
        [view(0)],
        [hit('engagement', 1, { path: '/', id: 'again' })],
      ],
      recorded: false,
    },
    {
      name: 'of an event with that path',
      batches: [[event(0, 'a', { path: '/' }), engage(1)]],
      recorded: false,
    },
  ]

  test.each(table)('$name: recorded is $recorded', ({ batches, recorded }) => {
    const engagement = batches.flat().find(sent => sent.kind === 'engagement')!
    const result = recountSessions(batches)
    expect(result.dropped).toEqual(recorded ? [] : [engagement.id])
    expect(result.sessionOf.has(engagement.id)).toBe(recorded)
  })

  test('engagement is part of the session of its pageview, and its end', () => {
    const engagement = engage(50, '/a')
    const result = recountSessions([[view(0, '/a'), view(60, '/b')], [engagement]])
    expect(result.sessionOf.get(engagement.id)).toBe(0)
    expect(result.sessions[0]!.lastAt).toBe(engagement.at)
  })
})

describe('identify', () => {
  type Case = { name: string; batches: SentHit[][]; users: [userId: string, minutes: number[]][] }
  const table: Case[] = [
    { name: 'names the active session', batches: [[view(0), identify(1, 'ada')]], users: [['ada', [0]]] },
    {
      name: 'names hits before and after it',
      batches: [[view(0), identify(1, 'ada'), view(2)]],
      users: [['ada', [0, 2]]],
    },
    {
      name: 'does not make a session longer',
      batches: [[view(0), identify(20, 'ada'), view(40)]],
      users: [
        ['ada', [0]],
        ['', [40]],
      ],
    },
    {
      name: 'waits 30 minutes for the next hit',
      batches: [[identify(0, 'ada'), view(30)]],
      users: [['ada', [30]]],
    },
    {
      name: 'waits no longer',
      batches: [[identify(0, 'ada'), view(30 + ms)]],
      users: [['', [30 + ms]]],
    },
    {
      name: 'waits when the last session is over',
      batches: [[view(0), identify(31, 'ada'), view(32)]],
      users: [
        ['', [0]],
        ['ada', [32]],
      ],
    },
    {
      name: 'the last one waiting wins',
      batches: [[identify(0, 'ada'), identify(1, 'grace'), view(2)]],
      users: [['grace', [2]]],
    },
    {
      name: 'another user gets a session with the next hit',
      batches: [[view(0), identify(1, 'ada'), view(2), identify(3, 'grace'), view(4), view(5)]],
      users: [
        ['ada', [0, 2]],
        ['grace', [4, 5]],
      ],
    },
    {
      name: 'engagement goes on with the old session meanwhile',
      batches: [[view(0), identify(1, 'ada'), identify(2, 'grace'), engage(3), view(40), view(4)]],
      users: [
        ['ada', [0, 3]],
        ['grace', [4]],
        ['', [40]],
      ],
    },
    {
      name: 'another user catches every hit that would go on with the session',
      batches: [[view(0), identify(1, 'ada'), identify(2, 'grace'), engage(40), view(60)]],
      users: [
        ['ada', [0, 40]],
        ['grace', [60]],
      ],
    },
    {
      name: 'another user is forgotten when nothing follows in 30 minutes',
      batches: [[view(0), identify(1, 'ada'), identify(2, 'grace'), view(33)]],
      users: [
        ['ada', [0]],
        ['', [33]],
      ],
    },
    {
      name: 'the first user again takes the change back',
      batches: [[view(0), identify(1, 'ada'), identify(2, 'grace'), identify(3, 'ada'), view(4)]],
      users: [['ada', [0, 4]]],
    },
    {
      name: 'late, it names the session that was active at its time',
      batches: [[view(0), view(100)], [identify(10, 'ada')]],
      users: [
        ['ada', [0]],
        ['', [100]],
      ],
    },
    {
      name: 'late, it names the session it would have waited for',
      batches: [[view(30)], [identify(0, 'ada')]],
      users: [['ada', [30]]],
    },
    {
      name: 'late and older than the user the session has, it changes nothing',
      batches: [[view(0), identify(10, 'ada')], [identify(5, 'grace')], [view(15)]],
      users: [['ada', [0, 15]]],
    },
    {
      name: 'late and newer, it cuts nothing: the next hit beyond the session is another user',
      batches: [[view(0), identify(1, 'ada'), view(10)], [identify(5, 'grace')], [view(7)], [view(11)]],
      users: [
        ['ada', [0, 7, 10]],
        ['grace', [11]],
      ],
    },
    {
      name: 'a late hit from before it is none of its',
      batches: [[view(0), identify(1, 'ada'), identify(9, 'grace')], [view(8)], [view(10)]],
      users: [
        ['ada', [0, 8]],
        ['grace', [10]],
      ],
    },
    {
      name: 'a hit of the same time as another user follows it',
      batches: [[view(0), identify(1, 'ada'), identify(2, 'grace'), view(2), view(2)]],
      users: [
        ['ada', [0]],
        ['grace', [2, 2]],
      ],
    },
    {
      name: 'unless the session ends at that time and so takes it',
      batches: [[view(0), identify(0, 'ada'), identify(0, 'grace'), view(0), view(1)]],
      users: [
        ['ada', [0, 0]],
        ['grace', [1]],
      ],
    },
    {
      name: 'late and older than one that waits, it does not take its place',
      batches: [[identify(5, 'grace')], [identify(0, 'ada')], [view(10)]],
      users: [['grace', [10]]],
    },
    {
      name: 'waits when the session is full',
      batches: [[view(0), engage(1439), identify(1440 + ms, 'ada'), view(1441)]],
      users: [
        ['', [0, 1439]],
        ['ada', [1441]],
      ],
    },
    { name: 'never opens a session', batches: [[identify(0, 'ada')]], users: [] },
  ]

  test.each(table)('$name', ({ batches, users }) => {
    const result = recountSessions(batches)
    const minutes = minutesOf(result, batches)
    expect(result.sessions.map((session, index) => [session.userId, minutes[index]])).toEqual(users)
    expect(result.dropped).toEqual([])
  })
})

describe('overview', () => {
  const nothing = {
    pageviews: 0,
    visitors: 0,
    sessions: 0,
    views_per_visit: 0,
    bounce_rate: 0,
    avg_session_seconds: 0,
    custom_events: 0,
  }

  test('the recounted overview counts hits by their time and sessions by their start', () => {
    // Midnight is 720 minutes after noon.
    const hits = [
      view(710),
      event(715, 'signup'),
      event(715, 'outbound'),
      event(716, 'payment'),
      view(725),
      view(600, '/', { visitor: 'v2' }),
      view(600, '/', { visitor: 'v3' }),
      event(600.5, 'error', { visitor: 'v3' }),
      event(900, 'signup', { visitor: 'v4' }),
    ]
    const result = recountSessions([hits])
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
    const second = {
      pageviews: 1,
      visitors: 2,
      sessions: 1,
      views_per_visit: 1,
      bounce_rate: 0,
      avg_session_seconds: 0,
      custom_events: 1,
    }
    expect(recountOverview(hits, result, 'UTC', '2025-06-10', '2025-06-10')).toEqual({
      ...first,
      days: 1,
      previous: nothing,
    })
    expect(recountOverview(hits, result, 'UTC', '2025-06-11', '2025-06-11')).toEqual({
      ...second,
      days: 1,
      previous: first,
    })
    expect(recountOverview(hits, result, 'UTC', '2025-06-11', '2025-06-13')).toEqual({
      ...second,
      days: 3,
      previous: first,
    })
  })

  test('a session is as long as from its first hit, late or not, to its last', () => {
    const batches = [[view(20), engage(25)], [view(0)]]
    const overview = recountOverview(
      batches.flat(),
      recountSessions(batches),
      'UTC',
      '2025-06-10',
      '2025-06-10',
    )
    expect(overview.avg_session_seconds).toBe(25 * 60)
  })

  test('the recounted overview rounds halves away from zero, exactly', () => {
    // 1 ms and 200 sessions: 0.000005 s; 1,000 ms in 200: 0.005 s, which is 0.01
    const openings = Array.from({ length: 200 }, (_, index) => view(0, '/', { visitor: `v${index}` }))
    const short = [...openings, view(ms, '/', { visitor: 'v0' })]
    const longer = [...openings, view(1 / 60, '/', { visitor: 'v0' })]
    const average = (hits: SentHit[]) =>
      recountOverview(hits, recountSessions([hits]), 'UTC', '2025-06-10', '2025-06-10')
    expect(average(short).avg_session_seconds).toBe(0)
    expect(average(longer).avg_session_seconds).toBe(0.01)
    // 201 pageviews in 200 sessions: 1.005, which floating point holds as less
    expect(average(longer).views_per_visit).toBe(1.01)
    expect(average(longer).bounce_rate).toBe(99.5)
  })

  test.each([
    // Clocks go forward on 2025-03-30 and back on 2025-10-26.
    { zone: 'Europe/Berlin', date: '2025-03-30', start: '2025-03-29T23:00:00Z', end: '2025-03-30T22:00:00Z' },
    { zone: 'Europe/Berlin', date: '2025-10-26', start: '2025-10-25T22:00:00Z', end: '2025-10-26T23:00:00Z' },
    {
      zone: 'Asia/Kathmandu',
      date: '2025-06-10',
      start: '2025-06-09T18:15:00Z',
      end: '2025-06-10T18:15:00Z',
    },
    {
      zone: 'Australia/Lord_Howe',
      date: '2025-04-06',
      start: '2025-04-05T13:00:00Z',
      end: '2025-04-06T13:30:00Z',
    },
  ])('a day in $zone, $date, runs from $start to $end', ({ zone, date, start, end }) => {
    const times = [Date.parse(start) - 1, Date.parse(start), Date.parse(end) - 1, Date.parse(end)]
    const hits = times.map((at, index) => view(0, '/', { at, visitor: `v${index}` }))
    const overview = recountOverview(hits, recountSessions([hits]), zone, date, date)
    expect(overview.visitors).toBe(2)
    expect(overview.previous.visitors).toBe(1)
  })
})

describe('ranges', () => {
  const now = Date.parse('2025-03-31T22:30:00Z')
  const firstEvent = Date.parse('2024-02-28T23:30:00Z')
  test.each([
    ['today', 'UTC', '2025-03-31', '2025-03-31'],
    ['today', 'Europe/Berlin', '2025-04-01', '2025-04-01'],
    ['yesterday', 'UTC', '2025-03-30', '2025-03-30'],
    ['last_7_days', 'UTC', '2025-03-25', '2025-03-31'],
    ['last_30_days', 'UTC', '2025-03-02', '2025-03-31'],
    ['this_month', 'UTC', '2025-03-01', '2025-03-31'],
    ['this_month', 'Europe/Berlin', '2025-04-01', '2025-04-01'],
    ['last_month', 'UTC', '2025-02-01', '2025-02-28'],
    ['last_12_months', 'UTC', '2024-04-01', '2025-03-31'],
    ['last_12_months', 'Europe/Berlin', '2024-05-01', '2025-04-01'],
    ['all', 'UTC', '2024-02-28', '2025-03-31'],
    ['all', 'Asia/Kathmandu', '2024-02-29', '2025-04-01'],
  ])('%s in %s is %s to %s', (preset, zone, from, to) => {
    expect(recountRange(preset, zone, now, firstEvent)).toEqual({ from, to })
  })

  test('all is today before the first event', () => {
    expect(recountRange('all', 'UTC', now, null)).toEqual({ from: '2025-03-31', to: '2025-03-31' })
  })

  test('an unknown preset throws', () => {
    expect(() => recountRange('last_week', 'UTC', now, null)).toThrow('last_week')
  })
})

describe('sparkline', () => {
  const visitsAt = (times: string[]) =>
    times.map((time, index) => view(0, '/', { at: Date.parse(time), visitor: `v${index}` }))

  test('24h has the 24 clock hours that end with the present one', () => {
    const now = Date.parse('2025-06-10T12:20:00Z')
    const hits = visitsAt([
      '2025-06-09T12:59:59.999Z',
      '2025-06-09T13:00:00Z',
      '2025-06-10T11:59:59.999Z',
      '2025-06-10T12:00:00Z',
      '2025-06-10T12:19:00Z',
    ])
    const { sparkline, visitors, change } = recountSparkline([...hits, hits[1]!], 'UTC', '24h', now)
    expect(sparkline).toEqual([1, ...Array(21).fill(0), 1, 2])
    expect(visitors).toBe(4)
    expect(change).toBe(300)
  })

  test('hours begin where the local clock says so', () => {
    const now = Date.parse('2025-06-10T12:20:00Z') // 18:05 in Kathmandu
    const hits = visitsAt(['2025-06-10T12:14:59.999Z', '2025-06-10T12:15:00Z', '2025-06-09T12:15:00Z'])
    const { sparkline, visitors, change } = recountSparkline(hits, 'Asia/Kathmandu', '24h', now)
    expect(sparkline).toEqual([...Array(22).fill(0), 1, 1])
    expect(visitors).toBe(2)
    expect(change).toBe(100)
  })

  test.each([
    // 01:00 to 02:00 comes twice in New York; on Lord Howe only its second half does.
    { zone: 'America/New_York', now: '2025-11-02T06:30:00Z', first: '2025-11-01T07:00:00Z' },
    { zone: 'Australia/Lord_Howe', now: '2025-04-05T16:00:00Z', first: '2025-04-04T16:00:00Z' },
    { zone: 'Australia/Lord_Howe', now: '2025-10-04T15:45:00Z', first: '2025-10-03T16:30:00Z' },
  ])('24h in $zone at $now begins at $first', ({ zone, now, first }) => {
    const start = Date.parse(first)
    const hits = [start - 1, start].map((at, index) => view(0, '/', { at, visitor: `v${index}` }))
    const { sparkline, visitors } = recountSparkline(hits, zone, '24h', Date.parse(now))
    expect(sparkline).toEqual([1, ...Array(23).fill(0)])
    expect(visitors).toBe(1)
  })

  test('7d and 30d have the local days that end today', () => {
    const now = Date.parse('2025-03-31T22:30:00Z')
    const hits = visitsAt([
      '2025-03-25T22:59:59Z',
      '2025-03-25T23:00:00Z',
      '2025-03-31T21:59:59Z',
      '2025-03-31T22:00:00Z',
      '2025-03-02T23:00:00Z',
      '2025-03-02T22:59:59Z',
    ])
    const week = recountSparkline(hits, 'Europe/Berlin', '7d', now)
    expect(week).toEqual({ sparkline: [1, 0, 0, 0, 0, 1, 1], visitors: 3, change: 200 })
    const month = recountSparkline(hits, 'Europe/Berlin', '30d', now)
    expect(month.sparkline).toEqual([1, ...Array(21).fill(0), 1, 1, 0, 0, 0, 0, 1, 1])
    expect(month).toMatchObject({ visitors: 5, change: 400 })
  })

  test.each([
    { now: 0, before: 0, change: 0 },
    { now: 3, before: 0, change: 100 },
    { now: 0, before: 2, change: -100 },
    { now: 1, before: 8, change: -88 },
    { now: 9, before: 8, change: 13 },
    { now: 200, before: 201, change: 0 },
  ])('$now visitors after $before is a change of $change', ({ now, before, change }) => {
    const visits = (count: number, at: number) =>
      Array.from({ length: count }, (_, index) => view(0, '/', { at, visitor: `v${index}` }))
    const hits = [...visits(now, noon), ...visits(before, noon - 7 * day)]
    expect(recountSparkline(hits, 'UTC', '7d', noon).change).toBe(change)
  })
})

describe('random hits', () => {
  const runs = { seed: 20250610, numRuns: 150 }

  /** Sessions of one visitor never overlap, and every pageview and event is in exactly one. */
  function expectSound(result: Recount, hits: SentHit[]): void {
    const bySession = result.sessions.flatMap(session => session.hits)
    expect(new Set(bySession).size).toBe(bySession.length)
    const expected = hits.filter(sent => sent.kind !== 'identify' && !result.dropped.includes(sent.id))
    expect(bySession.toSorted()).toEqual(expected.map(sent => sent.id).toSorted())

    const ends = new Map<string, number>()
    for (const session of result.sessions) {
      expect(session.firstAt).toBeGreaterThan(ends.get(session.visitor) ?? Number.NEGATIVE_INFINITY)
      expect(session.startedAt).toBeGreaterThanOrEqual(session.firstAt)
      expect(Math.abs(session.lastAt - session.startedAt)).toBeLessThanOrEqual(day)
      ends.set(session.visitor, session.lastAt)
    }
  }

  test('every hit has its place, whatever the order of arrival', () => {
    fc.assert(
      fc.property(hitStreams(), fc.nat(), ({ hits, timely, late }, seed) => {
        for (const batches of [timely, late, shuffledArrival(hits, seed, 5)]) {
          expectSound(recountSessions(batches), hits)
        }
      }),
      runs,
    )
  })

  test('random hits in time order: the size of the batches does not matter', () => {
    fc.assert(
      fc.property(hitStreams(), fc.integer({ min: 1, max: 9 }), ({ hits, timely }, batchSize) => {
        const atOnce = recountSessions([hits])
        expect(recountSessions(timely)).toEqual(atOnce)
        expect(recountSessions(timeOrderArrival(hits, batchSize))).toEqual(atOnce)
      }),
      runs,
    )
  })

  test('days add up to their range', () => {
    fc.assert(
      fc.property(hitStreams({ maxVisitors: 3, maxStepsPerVisitor: 8 }), ({ zone, around, hits, late }) => {
        const result = recountSessions(late)
        const middle = DateTime.fromMillis(around, { zone }).startOf('day')
        const date = (days: number) => middle.plus({ days }).toFormat('yyyy-MM-dd')
        const whole = recountOverview(hits, result, zone, date(-20), date(20))
        const total = { pageviews: 0, sessions: 0, custom_events: 0 }
        for (let days = -20; days <= 20; days++) {
          const one = recountOverview(hits, result, zone, date(days), date(days))
          total.pageviews += one.pageviews
          total.sessions += one.sessions
          total.custom_events += one.custom_events
        }
        expect(whole).toMatchObject(total)
        expect(whole.sessions).toBe(result.sessions.length)
      }),
      { ...runs, numRuns: 40 },
    )
  })

  test('a seed gives the same stream again, and another seed another', () => {
    expect(randomHitStream(7)).toEqual(randomHitStream(7))
    expect(randomHitStream(7).hits).not.toEqual(randomHitStream(8).hits)
  })

  test('the streams contain what they are for', () => {
    const seen = {
      zones: new Set<string>(),
      late: 0,
      twice: 0,
      sameTime: 0,
      lost: 0,
      users: 0,
      fullDay: 0,
      early: 0,
    }
    for (let seed = 0; seed < 300; seed++) {
      const { zone, hits, late } = randomHitStream(seed)
      const result = recountSessions(late)
      const arrived = late.flat()
      seen.zones.add(zone)
      if (arrived.some((sent, index) => sent.at < (arrived[index - 1]?.at ?? sent.at))) seen.late++
      if (arrived.length > hits.length) seen.twice++
      if (hits.some((sent, index) => sent.at === hits[index - 1]?.at)) seen.sameTime++
      if (result.dropped.length > 0) seen.lost++
      if (new Set(result.sessions.map(session => session.userId)).size > 2) seen.users++
      if (result.sessions.some(session => session.lastAt - session.startedAt === day)) seen.fullDay++
      if (result.sessions.some(session => session.firstAt < session.startedAt)) seen.early++
    }
    expect([...seen.zones].toSorted()).toEqual(nastyZones.toSorted())
    for (const count of [seen.late, seen.twice, seen.sameTime, seen.lost, seen.users, seen.early]) {
      expect(count).toBeGreaterThan(50)
    }
    expect(seen.fullDay).toBeGreaterThan(5)
  })

  test('the moments include clock changes in both directions', () => {
    const moments = nastyMoments('Europe/Berlin', 2025)
    expect(moments).toContain(Date.parse('2025-03-30T01:00:00Z'))
    expect(moments).toContain(Date.parse('2025-10-26T01:00:00Z'))
    expect(moments).toContain(Date.parse('2025-10-26T23:00:00Z'))
    expect(nastyMoments('UTC', 2025)).toHaveLength(3)
  })
})

test('recount: it knows every dimension of the registry', () => {
  const advice = 'add the dimension to test/support/recount-world.ts; the compiler lists the other places'
  expect([...hitDimensions, ...sessionDimensions].sort(), advice).toEqual([...DIMENSIONS].sort())
})
