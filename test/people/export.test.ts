import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stats, type StatsSite, startStats } from '../contract/stats-site.ts'
import { enrichedHit } from '../support/hits.ts'
import type { Json } from '../support/stripe.ts'

let stats: Stats
beforeAll(async () => {
  stats = await startStats('2026-03-18T12:00:00Z')
  stats.api.services.config.sitesPerTeam = 1_000
})
afterAll(() => stats.close())

const LISTS = ['identities', 'visitors', 'sessions', 'hits', 'payments', 'service_events'] as const

/** All pages of an export in one. */
async function exported(
  site: StatsSite,
  person: string,
  perPage: number,
  between = async (_page: number) => {},
) {
  const whole: Record<(typeof LISTS)[number], Json[]> & { pages: number } = {
    ...{ identities: [], visitors: [], sessions: [], hits: [], payments: [], service_events: [] },
    pages: 0,
  }
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`
    const path = `/visitors/${encodeURIComponent(person)}/export?per_page=${perPage}${query}`
    const page: Json = await stats.read(site, path)
    const items = page.sessions.length + page.hits.length + page.payments.length + page.service_events.length
    expect(items).toBeLessThanOrEqual(perPage)
    expect(page.person).toBe(person)
    for (const list of LISTS) whole[list].push(...page[list])
    cursor = page.next_cursor
    whole.pages += 1
    await between(whole.pages)
  } while (cursor !== null && whole.pages < 1_000)
  return whole
}

const at = (time: string) => Date.parse(`2026-03-10T${time}Z`)

/** A visitor with two visits, one of them as a user, two payments and a loose identify; and another visitor. */
async function story() {
  const site = await stats.site()
  const [visitorId, other, user] = [randomUUID(), randomUUID(), `user ${randomUUID()}/ä%`]
  const identity = {
    identifier: user,
    name: 'Ada',
    avatar: 'https://example.com/a.png',
    custom: { plan: 'x' },
  }
  const hits = [
    enrichedHit(site, at('09:00:00'), {
      visitorId,
      url: '/a?b=1',
      title: 'A',
      language: 'de',
      props: { k: 'v' },
    }),
    enrichedHit(site, at('09:01:00'), {
      visitorId,
      type: 'engagement',
      url: '/a',
      scroll: 70,
      engagedMs: 900,
    }),
    enrichedHit(site, at('15:00:00'), { visitorId, url: '/b', title: 'B' }),
    enrichedHit(site, at('15:00:01'), {
      ...{ visitorId, type: 'event', name: 'signup', url: '/b' },
      revenue: { amountMinor: '499', currency: 'EUR' },
    }),
    enrichedHit(site, at('15:00:02'), {
      ...{ visitorId, type: 'error', name: 'error', url: '/b' },
      error: {
        name: 'TypeError',
        message: 'x',
        stack: 'at y',
        fileName: 'a.js',
        lineNumber: '1',
        columnNumber: '2',
      },
    }),
    enrichedHit(site, at('15:00:03'), { visitorId, type: 'identify', identity }),
    enrichedHit(site, at('18:00:00'), { visitorId, type: 'identify', identity: { identifier: 'later' } }),
  ]
  await stats.store([
    ...hits,
    enrichedHit(site, at('15:00:00'), { visitorId: other, url: '/b' }),
    enrichedHit(site, at('15:00:03'), {
      visitorId: other,
      type: 'identify',
      identity: { identifier: 'other' },
    }),
  ])
  const pay = (body: Json) =>
    stats.api.call('POST', `${site.path}/payments`, {
      token: stats.owner.token,
      body: { amount: 5, currency: 'USD', transaction_id: randomUUID(), ...body },
    })
  await pay({ visitor_id: visitorId, email: 'ada@example.com', timestamp: '2026-03-10T10:00:00Z' })
  await pay({ visitor_id: visitorId, email: 'ada@example.com', timestamp: '2026-03-10T16:00:00Z' })
  await pay({ visitor_id: other, email: 'other@example.com', timestamp: '2026-03-10T16:00:00Z' })
  return { site, visitorId, other, user, hits }
}

describe('export', () => {
  test.each([1, 2, 3, 500])('of a visitor: exactly what was sent, with %i items on a page', async perPage => {
    const { site, visitorId, user, hits } = await story()
    const whole = await exported(site, visitorId, perPage)
    expect(whole.hits.map(({ id }) => id)).toEqual(hits.map(({ id }) => id))
    expect(whole.hits[0]).toMatchObject({
      timestamp: '2026-03-10T09:00:00.000Z',
      ...{ event_type: 'pageview', path: '/a', url: '/a?b=1', title: 'A', properties: { k: 'v' } },
      ...{ hostname: 'example.com', visitor_id: visitorId, session: whole.sessions[0]!.session },
    })
    expect(whole.hits[1]).toMatchObject({ event_type: 'engagement', scroll: 70, engaged_ms: 900 })
    expect(whole.hits[3]).toMatchObject({ event_name: 'signup', revenue_minor: 499, revenue_currency: 'EUR' })
    expect(whole.hits[4]).toMatchObject({
      ...{ event_type: 'error', error_message: 'x', error_stack: 'at y', error_file: 'a.js' },
      ...{ error_line: '1', error_column: '2' },
    })
    expect(whole.hits[6]).toMatchObject({ event_type: 'identify', session: null })
    expect(whole.sessions).toMatchObject([
      { visitor_id: visitorId, user_id: '', visit_count: 1, entry_path: '/a', language: 'de', pageviews: 1 },
      { visitor_id: visitorId, user_id: user, visit_count: 2, entry_path: '/b', pageviews: 1, events: 2 },
    ])
    expect(whole.sessions[0]).toMatchObject({ last_hit_at: '2026-03-10T09:01:00.000Z', identified_at: null })
    expect(whole.visitors).toEqual([
      {
        ...{ visitor_id: visitorId, sessions: 2, pending_identifier: 'later' },
        first_seen_at: '2026-03-10T09:00:00.000Z',
      },
    ])
    expect(whole.identities).toEqual([
      {
        ...{ identifier: user, name: 'Ada', avatar: 'https://example.com/a.png', custom: { plan: 'x' } },
        updated_at: '2026-03-10T15:00:03.000Z',
      },
    ])
    expect(whole.payments.map(({ timestamp, email }) => [timestamp, email])).toEqual([
      ['2026-03-10T10:00:00.000Z', 'ada@example.com'],
      ['2026-03-10T16:00:00.000Z', 'ada@example.com'],
    ])
    expect(whole.service_events.map(({ event_name, timestamp }) => [event_name, timestamp])).toEqual([
      ['payment', '2026-03-10T10:00:00.000Z'],
      ['payment', '2026-03-10T16:00:00.000Z'],
    ])
    if (perPage === 1) expect(whole.pages).toBeGreaterThanOrEqual(13)
    if (perPage === 500) expect(whole.pages).toBe(1)
  })

  test('of a user: their visits with the hits before they were identified, and their payments', async () => {
    const { site, visitorId, user, hits } = await story()
    for (const perPage of [1, 100]) {
      const whole = await exported(site, user, perPage)
      expect(whole.hits.map(({ id }) => id)).toEqual(hits.slice(2, 6).map(({ id }) => id))
      expect(whole.sessions.map(({ user_id }) => user_id)).toEqual([user])
      expect(whole.visitors.map(({ visitor_id }) => visitor_id)).toEqual([visitorId])
      expect(whole.identities.map(({ identifier }) => identifier)).toEqual([user])
      expect(whole.service_events.map(({ timestamp }) => timestamp)).toEqual(['2026-03-10T16:00:00.000Z'])
      expect(whole.payments.length).toBe(2)
    }
  })

  test('hits that are stored between two pages move nothing', async () => {
    const { site, visitorId, hits } = await story()
    const whole = await exported(site, visitorId, 2, async page => {
      const late = { visitorId, url: '/late' }
      await stats.store([enrichedHit(site, at('08:59:00') - page * 1_000, late)])
      await stats.store([enrichedHit(site, Date.parse('2026-03-18T12:00:01Z') + page * 3_600_000, late)])
    })
    expect(whole.hits.map(({ id }) => id)).toEqual(hits.map(({ id }) => id))
    expect(new Set(whole.sessions.map(({ session }) => session)).size).toBe(whole.sessions.length)
  })

  test.each([
    'x',
    Buffer.from('{}').toString('base64url'),
    ...[
      { until: 1e17, part: 'visits', after: null, hit: null },
      { until: 1, part: 'nothing', after: null, hit: null },
      { until: 1, part: 'visits', after: { at: 1, key: randomUUID() }, hit: null },
      { until: 1, part: 'loose', after: { at: 1, key: '1' }, hit: null },
      { until: 1, part: 'visits', after: null, hit: { at: 1, key: randomUUID() } },
      { until: 1, part: 'payments', after: { at: 1, key: "'; drop table events" }, hit: null },
    ].map(cursor => Buffer.from(JSON.stringify(cursor)).toString('base64url')),
  ])('a made-up cursor is refused: %s', async cursor => {
    const { site, visitorId } = await shared()
    const answer = await stats.ask(`${site.path}/visitors/${visitorId}/export?cursor=${cursor}`)
    expect(answer.status).toBe(422)
    expect(answer.json.errors).toHaveProperty('cursor')
  })

  test.each(['', '0', '1001', '1.5', 'x'])('per_page=%j is refused', async perPage => {
    const { site, visitorId } = await shared()
    const answer = await stats.ask(`${site.path}/visitors/${visitorId}/export?per_page=${perPage}`)
    expect(answer.status).toBe(422)
  })
})

let told: ReturnType<typeof story> | undefined
const shared = () => {
  told ??= story()
  return told
}
