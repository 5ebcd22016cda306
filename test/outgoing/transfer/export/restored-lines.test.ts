import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { storeHits } from '../../../../src/ingestion/store/store.ts'
import { useDatabase } from '../../../support/database.ts'
import { enrichedHit } from '../../../support/hits.ts'
import { createTestSite, type TestSite } from '../../../support/sites.ts'
import { imported } from './support.ts'

const NOON = Date.UTC(2026, 2, 10, 12)
const MINUTE = 60_000
const ADA = '00000000-0000-4000-8000-00000000000a'

const database = useDatabase()
let site: TestSite

const timeOf = (minutes: number) => new Date(NOON + minutes * MINUTE).toISOString()

interface Line {
  /** Minutes after noon. */
  at: number
  startedAt?: number
  endpoint?: string
  session?: object | null
  stored?: object
  body?: object
}

function lineOf({ at, startedAt = 0, endpoint = 'collect', session = {}, ...more }: Line): string {
  const { stored = {}, body = {} } = more
  return JSON.stringify({
    endpoint,
    timestamp: timeOf(at),
    body: { visitor_id: ADA, hostname: 'example.com', url: { path: '/' }, ...body },
    stored: {
      id: randomUUID(),
      session: session && { started_at: timeOf(startedAt), visit_count: 1, entry_path: '/', ...session },
      ...stored,
    },
  })
}

const restore = (...lines: Line[]) => imported(database.db, site, `${lines.map(lineOf).join('\n')}\n`)

const sessions = () => database.db`
  select started_at, first_at, last_at, pageviews, events, visit_count, user_id, entry_path, exit_path
  from sessions where site_no = ${site.siteNo} order by started_at`

beforeEach(async () => {
  site = await createTestSite(database.db)
})

test('lines of stored hits: money that waits for the visitor is attributed, also when the first session that comes is not the first visit', async () => {
  await database.db`
    insert into awaiting_visitors (site_no, visitor_id, target, at, id)
    values (${site.siteNo}, ${ADA}, 'revenue', ${timeOf(0)}, ${randomUUID()})`
  await restore({ at: 0, session: { visit_count: 3 } })
  expect(await database.db`select from awaiting_visitors where site_no = ${site.siteNo}`).toEqual([])
})

test('lines of stored hits: make the session that they name; its extent and counters follow from its hits', async () => {
  const user = { user_id: 'ada', user_since: timeOf(91) }
  const result = await restore(
    { at: -5, session: { pageviews: 9, last_at: timeOf(500) } },
    // Live, this gap would open another session.
    { at: 90, body: { url: { path: '/pricing' } } },
    { at: 91, endpoint: 'event', body: { name: 'signup' }, session: user },
  )
  expect(result).toEqual({ accepted: 3, dropped: 0, rejected: [], rejected_total: 0 })
  const [started_at, first_at, last_at] = [0, -5, 91].map(minutes => new Date(NOON + minutes * MINUTE))
  const counts = { pageviews: 2, events: 1, visit_count: 1 }
  const paths = { entry_path: '/', exit_path: '/pricing' }
  expect(await sessions()).toEqual([{ started_at, first_at, last_at, ...counts, user_id: 'ada', ...paths }])
})

test('lines of stored hits: are rejected with what cannot be', async () => {
  const engaged = { endpoint: 'engage', body: { sd: 1, time: 1 } }
  const [ofAda, ofBen] = ['ada', 'ben'].map((user_id, at) => ({ at, session: { user_id } })) as [Line, Line]
  const long = { referrer: 'x'.repeat(2_050) }
  const future = { first_seen_at: '2200-01-01T00:00:00Z' }
  const cases: [lines: Line[], reason: RegExp][] = [
    [[{ at: 0 }, { at: 60 }, { at: 61, startedAt: 30 }], /overlaps another session/],
    [[{ at: 0 }, { at: 1, session: { source: 'Google' } }], /stored with another source/],
    [[ofAda, ofBen], /belongs to another user/],
    [[{ at: -1_430 }, { at: 1_430 }, { at: 1_450 }], /more than 24 hours from timestamp/],
    [[{ at: 0, startedAt: -1_441 }], /more than 24 hours/],
    [[{ at: 0, session: { started_at: 'noon' } }], /started_at must be an ISO 8601/],
    [[{ at: 0, session: null }], /stored.session is required/],
    [[{ at: 0, body: { visitor_id: null } }], /visitor_id is required/],
    [[{ at: 0, stored: { id: 'x' } }], /stored.id must be a UUID/],
    [[{ at: 0, session: { visit_count: 0 } }], /visit_count must be a whole number/],
    [[{ at: 0, session: long }], /referrer must be at most 2049/],
    [[{ at: 1, ...engaged }], /page_at is required/],
    [[{ at: 1, ...engaged, stored: { page_at: timeOf(2) } }], /page_at lies after timestamp/],
    [[{ at: 0, stored: future }], /future/],
  ]
  for (const [lines, reason] of cases) {
    site = await createTestSite(database.db)
    const { accepted, rejected } = await restore(...lines)
    expect(rejected).toEqual([{ line: lines.length, error: expect.stringMatching(reason) }])
    expect(accepted).toBe(lines.length - 1)
  }
})

test('lines of stored hits: of engagement without its pageview, and of reserved names, are dropped', async () => {
  const result = await restore(
    { at: 0 },
    { at: 1, endpoint: 'engage', body: { sd: 1, time: 1 }, stored: { page_at: timeOf(0.5) } },
    { at: 2, endpoint: 'event', body: { name: 'payment' } },
  )
  expect(result).toMatchObject({ accepted: 1, dropped: 2, rejected_total: 0 })
})

test('lines of stored hits: before a visit that came live are numbered with it', async () => {
  await storeHits(database.db, 'all', [enrichedHit(site, NOON + 600 * MINUTE, { visitorId: ADA })])
  await restore({ at: 0 }, { at: 120, startedAt: 120, session: { visit_count: 2 } })
  const rows = await sessions()
  expect(rows.map(row => row.visit_count)).toEqual([1, 2, 3])
  const [visitor] = await database.db`select session_count from visitors where site_no = ${site.siteNo}`
  expect(visitor!.session_count).toBe(3)
  await storeHits(database.db, 'all', [enrichedHit(site, NOON + 900 * MINUTE, { visitorId: ADA })])
  expect((await sessions()).at(-1)!.visit_count).toBe(4)
})

test('lines of stored hits: of a time whose details are gone are rejected; a session may begin a day before', async () => {
  const detailsFrom = new Date(NOON)
  const text = [-1, 5].map(at => `${lineOf({ at, startedAt: -10 })}\n`).join('')
  const result = await imported(database.db, site, text, { detailsFrom })
  const rejected = [{ line: 1, error: expect.stringMatching(/retention/) }]
  expect(result).toMatchObject({ accepted: 1, rejected })
})

test('lines of stored hits: of an identity are known by the latest time, and need no hit', async () => {
  const identity = (at: number, body: object) =>
    JSON.stringify({ endpoint: 'identity', timestamp: timeOf(at), body: { identifier: 'ada', ...body } })
  const lines = [
    identity(5, { name: 'Ada', custom: { plan: 'team' } }),
    identity(1, { name: 'A.', avatar: 'https://example.com/ada.png' }),
    identity(2, { avatar: 'ada.png' }),
  ]
  const result = await imported(database.db, site, `${lines.join('\n')}\n`)
  const error = 'body.avatar must be an http or https URL'
  expect(result).toMatchObject({ accepted: 2, rejected: [{ line: 3, error }] })
  const stored = await database.db`
    select identifier, name, avatar, custom, updated_at from identities where site_no = ${site.siteNo}`
  const ada = { identifier: 'ada', name: 'Ada', avatar: 'https://example.com/ada.png' }
  const updated_at = new Date(NOON + 5 * MINUTE)
  expect(stored).toEqual([{ ...ada, custom: { plan: 'team' }, updated_at }])
})
