import { expect, test } from 'vitest'
import type { EnrichedHit } from '../../src/ingestion/hit.ts'
import { randomFrom } from '../support/random-values.ts'
import { ADA, BEN, CAI, hit, type StatsSite, useStats } from './stats-site.ts'

const NOW = '2026-03-18T12:00:20.500Z'
const MINUTE = 60_000
const VISITORS = [ADA, BEN, CAI]

const stats = useStats(undefined, NOW)

interface Seen {
  at: number
  type: 'pageview' | 'event'
  visitor: string
  path: string
  source: string
  country: string
}

/** Hits of three visitors in the last 40 minutes, some in the current minute and at the bounds. */
function randomSeen(): Seen[] {
  const random = randomFrom(15)
  const now = Date.parse(NOW)
  const someTime = () => now - random.int(40 * MINUTE)
  const bounds = [5 * MINUTE, 5 * MINUTE + 1, 29 * MINUTE + 20_500, 29 * MINUTE + 20_501].map(
    ago => now - ago,
  )
  return [...bounds, ...Array.from({ length: 80 }, someTime)].map(at => {
    const who = random.int(3)
    return {
      at,
      type: random.chance(0.7) ? 'pageview' : 'event',
      visitor: VISITORS[who]!,
      path: random.pick(['/', '/a', '/b', '/c', '/d', '/e', '/f', '/g', '/h', '/i', '/j', '/k']),
      // Of the session: each visitor has one.
      source: ['Google', 'Bing', 'Direct / None'][who]!,
      country: ['DE', 'FR', ''][who]!,
    }
  })
}

const stored = (site: StatsSite, { at, type, visitor, path, source, country }: Seen): EnrichedHit => {
  const fields = { type, visitorId: visitor, url: path, ...(type === 'event' && { name: 'signup' }) }
  return hit(site, new Date(at).toISOString(), fields, { source, country })
}

const distinct = (hits: Seen[]) => new Set(hits.map(({ visitor }) => visitor)).size

/** Counted from docs/metrics.md "Live". */
function recountLive(all: Seen[]) {
  const now = Date.parse(NOW)
  const end = Date.parse('2026-03-18T12:01:00Z')
  const within = (start: number, to: number) => all.filter(({ at }) => at >= start && at < to)
  const present = within(now - 5 * MINUTE, end)
  const rows = (field: 'path' | 'source' | 'country') =>
    [...new Set(present.map(seen => seen[field]))]
      .map(value => ({ value, visitors: distinct(present.filter(seen => seen[field] === value)) }))
      .toSorted((a, b) => b.visitors - a.visitors || (a.value < b.value ? -1 : 1))
      .slice(0, 10)
      .map(row => ({ ...row, value: row.value || '(none)' }))
  return {
    now: NOW,
    visitors: distinct(present),
    minutes: Array.from({ length: 30 }, (_, index) => {
      const start = end - (30 - index) * MINUTE
      const inMinute = within(start, start + MINUTE)
      const pageviews = inMinute.filter(({ type }) => type === 'pageview').length
      return { start: new Date(start).toISOString(), visitors: distinct(inMinute), pageviews }
    }),
    pages: rows('path'),
    sources: rows('source'),
    countries: rows('country'),
    events: within(end - 30 * MINUTE, end)
      .toSorted((a, b) => b.at - a.at)
      .slice(0, 20)
      .map(({ at }) => new Date(at).toISOString()),
  }
}

const times = <Answer extends { events: { timestamp: string }[] }>(answer: Answer) => ({
  ...answer,
  events: answer.events.map(({ timestamp }) => timestamp),
})

test('live: every number is that of a count of the hits, with and without filters', async () => {
  const site = await stats.site('Asia/Kathmandu')
  const seen = randomSeen()
  await stats.store(seen.toSorted((a, b) => a.at - b.at).map(each => stored(site, each)))
  const live = async (filter = '') => times(await stats.read(site, `/stats/live?${filter}`))
  expect(await live()).toEqual(recountLive(seen))
  expect(await live('country=DE')).toEqual(recountLive(seen.filter(({ country }) => country === 'DE')))
  const byPath = seen.filter(({ path }) => path === '/a')
  expect(await live('path[matches_pattern]=/a*')).toEqual(recountLive(byPath))
})

test('live: a site without hits has 30 empty minutes, over REST and tRPC', async () => {
  const site = await stats.site()
  const expected = recountLive([])
  expect(await stats.read(site, '/stats/live')).toEqual(expected)
  expect(await stats.client.stats.live.query({ siteKey: site.id })).toEqual(expected)
})

test('live: engagement makes no visitor, and events have the form of the log', async () => {
  const site = await stats.site()
  await stats.store([
    hit(site, '2026-03-18T11:50:00Z', { visitorId: ADA, url: '/read' }),
    hit(site, '2026-03-18T11:59:00Z', { visitorId: ADA, url: '/read', type: 'engagement', engagedMs: 9 }),
  ])
  const { visitors, pages, events } = await stats.read(site, '/stats/live')
  expect([visitors, pages]).toEqual([0, []])
  expect(events).toEqual((await stats.read(site, '/stats/events')).data)
})

test('live: wrong filters are refused, and a range is ignored', async () => {
  const site = await stats.site()
  const ask = (query: string) => stats.ask(`${site.path}/stats/live?${query}`)
  for (const query of ['prop_value=1', 'path[near]=/', 'path[matches_regex]=(', 'goal=1']) {
    expect((await ask(query)).status, query).toBe(422)
  }
  const ranged = await ask('range=yesterday&from=x')
  expect([ranged.status, ranged.headers['x-ignored-parameters']]).toEqual([200, 'range, from'])
})
