import { expect, test } from 'vitest'
import { DIMENSIONS } from '../../src/platform/dimensions/dimensions.ts'
import { nastyMoments, nastyZones, randomHitStream } from './random-hits.ts'
import { recountSessions } from './recount.ts'
import { hitDimensions, sessionDimensions } from './recount-world.ts'

const DAY = 86_400_000

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
    if (sessions.some(({ lastAt, startedAt }) => lastAt - startedAt === DAY)) fullDay++
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
