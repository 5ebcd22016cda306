import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Hit } from '../../../src/ingestion/hit.ts'
import { type StatsSite, startStats } from '../../contract/stats-site.ts'
import { enrichedHit } from '../../support/hits.ts'
import { ofFile } from '../../support/of-file.ts'
import { sweep } from '../../support/runs.ts'
import type { Json } from '../../support/stripe.ts'

const stats = ofFile(() => startStats('2026-03-18T12:00:00Z'))

const LISTS = ['identities', 'visitors', 'sessions', 'hits', 'payments', 'service_events'] as const

/** All pages of an export in one. */
async function exported(
  site: StatsSite,
  person: string,
  perPage: number,
  between = async (_page: number) => {},
) {
  const empty = { identities: [], visitors: [], sessions: [], hits: [], payments: [], service_events: [] }
  const whole: Record<(typeof LISTS)[number], Json[]> & { pages: number } = { ...empty, pages: 0 }
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

const KNOWN = { name: 'Ada', avatar: 'https://example.com/a.png', custom: { plan: 'x' } }
const at = (time: string) => Date.parse(`2026-03-10T${time}Z`)

/** A visitor with two visits, one of them as a user, two payments and a loose identify; and another visitor. */
async function story() {
  const site = await stats.site()
  const [visitorId, other, user] = [randomUUID(), randomUUID(), `user ${randomUUID()}/ä%`]
  const identity = { identifier: user, ...KNOWN }
  const page = { url: '/a?b=1', title: 'A', language: 'de', props: { k: 'v' } }
  const engaged = { type: 'engagement', url: '/a', scroll: 70, engagedMs: 900 } as const
  const revenue = { amountMinor: '499', currency: 'EUR' }
  const place = { fileName: 'a.js', lineNumber: '1', columnNumber: '2' }
  const error = { name: 'TypeError', message: 'x', stack: 'at y', ...place }
  const hitOf = (time: string, fields: Partial<Hit>) =>
    enrichedHit(site, at(time), { visitorId, url: '/b', ...fields })
  const hits = [
    hitOf('09:00:00', page),
    hitOf('09:01:00', engaged),
    hitOf('15:00:00', { title: 'B' }),
    hitOf('15:00:01', { type: 'event', name: 'signup', revenue }),
    hitOf('15:00:02', { type: 'error', name: 'error', error }),
    hitOf('15:00:03', { type: 'identify', identity }),
    hitOf('18:00:00', { type: 'identify', identity: { identifier: 'later' } }),
  ]
  await stats.store([
    ...hits,
    hitOf('15:00:00', { visitorId: other }),
    hitOf('15:00:03', { visitorId: other, type: 'identify', identity: { identifier: 'other' } }),
  ])
  for (const [visitor_id, email, hour] of [
    [visitorId, 'ada@example.com', 10],
    [visitorId, 'ada@example.com', 16],
    [other, 'other@example.com', 16],
  ]) {
    const sale = { amount: 5, currency: 'USD', transaction_id: randomUUID(), visitor_id, email }
    const body = { ...sale, timestamp: `2026-03-10T${hour}:00:00Z` }
    await stats.api.call('POST', `${site.path}/payments`, { token: stats.owner.token, body })
  }
  return { site, visitorId, other, user, hits }
}

test.each(sweep([2, 1, 3, 500]))(
  'of a visitor: exactly what was sent, with %i items on a page',
  async perPage => {
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
    const visited = { sessions: 2, first_seen_at: '2026-03-10T09:00:00.000Z' }
    expect(whole.visitors).toEqual([{ visitor_id: visitorId, pending_identifier: 'later', ...visited }])
    const updated_at = '2026-03-10T15:00:03.000Z'
    expect(whole.identities).toEqual([{ identifier: user, ...KNOWN, updated_at }])
    const paid = ['2026-03-10T10:00:00.000Z', '2026-03-10T16:00:00.000Z']
    const email = 'ada@example.com'
    expect(whole.payments).toMatchObject(paid.map(timestamp => ({ timestamp, email })))
    expect(whole.service_events).toMatchObject(paid.map(timestamp => ({ timestamp, event_name: 'payment' })))
    if (perPage === 1) expect(whole.pages).toBeGreaterThanOrEqual(13)
    if (perPage === 500) expect(whole.pages).toBe(1)
  },
)

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

test('export: hits that are stored between two pages move nothing', async () => {
  const { site, visitorId, hits } = await story()
  const whole = await exported(site, visitorId, 2, async page => {
    const late = { visitorId, url: '/late' }
    await stats.store([enrichedHit(site, at('08:59:00') - page * 1_000, late)])
    await stats.store([enrichedHit(site, Date.parse('2026-03-18T12:00:01Z') + page * 3_600_000, late)])
  })
  expect(whole.hits.map(({ id }) => id)).toEqual(hits.map(({ id }) => id))
  expect(new Set(whole.sessions.map(({ session }) => session)).size).toBe(whole.sessions.length)
})

test('export: a made-up cursor and a size of pages beyond 1 to 1000 are refused', async () => {
  const { site, visitorId } = await story()
  const cursors = [
    { until: 1e17, part: 'visits', after: null, hit: null },
    { until: 1, part: 'nothing', after: null, hit: null },
    { until: 1, part: 'visits', after: { at: 1, key: randomUUID() }, hit: null },
    { until: 1, part: 'loose', after: { at: 1, key: '1' }, hit: null },
    { until: 1, part: 'visits', after: null, hit: { at: 1, key: randomUUID() } },
    { until: 1, part: 'payments', after: { at: 1, key: "'; drop table events" }, hit: null },
    {},
  ].map(cursor => Buffer.from(JSON.stringify(cursor)).toString('base64url'))
  const refused = [
    ...['x', ...cursors].map(cursor => ['cursor', cursor]),
    ...['', '0', '1001', '1.5', 'x'].map(size => ['per_page', size]),
  ]
  for (const [name, value] of refused) {
    const answer = await stats.ask(`${site.path}/visitors/${visitorId}/export?${name}=${value}`)
    expect([answer.status, Object.keys(answer.json.errors)], value).toEqual([422, [name]])
  }
})
