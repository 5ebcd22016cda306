import { randomUUID } from 'node:crypto'
import { TRPCClientError } from '@trpc/client'
import { DateTime } from 'luxon'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { sharedService, type TestService } from '../support/service.ts'
import {
  type Answer,
  createMember,
  createSite,
  expectError,
  type Member,
  request,
  type Site,
  sendHit,
  settle,
  tokenOf,
} from './requests.ts'

const COUNTED = [
  ...['pageviews', 'visitors', 'sessions', 'views_per_visit', 'bounce_rate', 'avg_session_seconds'],
  'custom_events',
]
const ZEROS = Object.fromEntries(COUNTED.map(name => [name, 0]))
/** A zone in which it is about noon, so that no test sees its day end. */
const offset = 12 - new Date().getUTCHours()
const NOON = offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`

let service: TestService
let owner: Member
let sentinel: Site

beforeAll(async () => {
  service = await sharedService()
  owner = { token: service.token, teamId: service.teamId, userId: '' }
  sentinel = await createSite(service, 'sentinel.example')
})
afterAll(() => service.close())

const get = (path: string, token = service.token) => request(`${service.url}/api${path}`, { token })
const create = (token: string, body: object) =>
  request(`${service.url}/api/sites`, { method: 'POST', token, body })
const pageview = (site: Site, body: object = {}) => sendHit(service, 'collect', site, body)
const visitor = () => ({ visitor_id: randomUUID() })

/** A site of any team. */
async function siteOf(token: string, domain: string, timezone = NOON): Promise<Site> {
  const { status, json, text } = await create(token, { domain, timezone })
  expect(status, text).toBe(201)
  const [row] = await service.db<{ site_no: number }[]>`select site_no from sites where id = ${json.id}`
  return { id: json.id, key: json.tracking_key, domain, siteNo: row!.site_no }
}

const overviewOf = async (site: Site, query = '', token = service.token) => {
  const answer = await get(`/sites/${site.id}/overview${query}`, token)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

/** Moves everything a site has into the past, by whole days, and marks where it was and is as changed. */
async function moveBack(site: Site, days: number) {
  const interval = `${days} days`
  await service.db.begin(async db => {
    await db`
      with gone as (delete from events where site_no = ${site.siteNo} returning *)
      insert into events select (jsonb_populate_record(null::events, to_jsonb(gone) || jsonb_build_object(
        'at', at - ${interval}::interval, 'session_at', session_at - ${interval}::interval,
        'page_at', page_at - ${interval}::interval))).* from gone`
    await db`
      with gone as (delete from sessions where site_no = ${site.siteNo} returning *)
      insert into sessions select (jsonb_populate_record(null::sessions, to_jsonb(gone) || jsonb_build_object(
        'started_at', started_at - ${interval}::interval, 'first_at', first_at - ${interval}::interval,
        'last_at', last_at - ${interval}::interval))).* from gone`
    // In UTC, since Citus takes only immutable functions here.
    await db`
      update visitors set
        first_seen_at = (first_seen_at at time zone 'UTC' - ${interval}::interval) at time zone 'UTC',
        newest_session_at = (newest_session_at at time zone 'UTC' - ${interval}::interval) at time zone 'UTC'
      where site_no = ${site.siteNo}`
    await db`
      update sites set first_event_at = first_event_at - ${interval}::interval where site_no = ${site.siteNo}`
    await db`
      insert into dirty_buckets (aggregate, site_no, bucket)
      select aggregate, ${site.siteNo}, bucket
      from (values ('hits'), ('sessions')) as aggregates (aggregate),
        (select distinct time_bucket(interval '15 minutes', at + shift) as bucket
         from events, (values (interval '0'), (${interval}::interval)) as shifts (shift)
         where site_no = ${site.siteNo}) as buckets
      where bucket < (select watermark from watermarks where watermarks.aggregate = aggregates.aggregate)
      on conflict (aggregate, site_no, bucket) do update set version = excluded.version`
  })
}

describe('GET /api/sites/{siteKey}/overview', () => {
  let site: Site
  const today = DateTime.now().setZone(NOON).startOf('day')
  const date = (days: number) => today.plus({ days }).toISODate()!

  // A visitor who reads twice and signs up, one who leaves at once, one who only clicks.
  const expected = {
    pageviews: 3,
    visitors: 3,
    sessions: 3,
    views_per_visit: 1,
    bounce_rate: 33.33,
    avg_session_seconds: expect.any(Number),
    custom_events: 1,
  }

  beforeAll(async () => {
    site = await siteOf(service.token, 'overview.example')
    const reader = visitor()
    await pageview(site, reader)
    await pageview(site, { ...reader, url: { path: '/pricing' } })
    await sendHit(service, 'event', site, reader)
    await pageview(site, visitor())
    await sendHit(service, 'event', site, { ...visitor(), name: 'outbound' })
    await settle(service, sentinel)
  })

  test('the answer has exactly these fields, without revenue fields when there are no payments and no processor', async () => {
    const overview = await overviewOf(site)
    expect(overview).toEqual({
      kpi: { metric: 'mrr', label: 'MRR change', currency: 'USD', static: false },
      ...expected,
      days: 1,
      previous: ZEROS,
    })
    expect(overview.avg_session_seconds).toBeLessThan(10)
  })

  test('the site key can be the id or the domain, in any case', async () => {
    const byId = await get(`/sites/${site.id}/overview`)
    for (const siteKey of [site.domain, site.id.toUpperCase(), site.domain.toUpperCase()])
      expect((await get(`/sites/${siteKey}/overview`)).json, siteKey).toEqual(byId.json)
  })

  test('all numbers are zero before the first hit', async () => {
    const empty = await siteOf(service.token, 'empty.example')
    for (const query of ['', '?range=all', '?range=last_30_days'])
      expect(await overviewOf(empty, query)).toMatchObject({ ...ZEROS, previous: ZEROS })
    expect((await overviewOf(empty, '?range=all')).days).toBe(1)
  })

  const presets: [string, number, boolean][] = [
    ['today', 1, true],
    ['yesterday', 1, false],
    ['last_7_days', 7, true],
    ['last_30_days', 30, true],
    ['this_month', today.day, true],
    ['last_month', today.minus({ months: 1 }).daysInMonth!, false],
    [
      'last_12_months',
      Math.round(today.diff(today.startOf('month').minus({ months: 11 }), 'days').days) + 1,
      true,
    ],
    ['all', 1, true],
  ]

  test.each(presets)('the range %s has %i days', async (range, days, hasToday) => {
    const overview = await overviewOf(site, `?range=${range}`)
    expect(overview.days).toBe(days)
    expect(overview).toMatchObject(hasToday ? expected : ZEROS)
    expect(Object.keys(overview.previous).sort()).toEqual([...COUNTED].sort())
  })

  test.each(['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kolkata', 'America/St_Johns'])(
    'days start at midnight of %s',
    async zone => {
      const there = await siteOf(service.token, `${zone.toLowerCase().replace(/[\W_]/g, '-')}.example`, zone)
      await pageview(there)
      await settle(service, sentinel)
      const now = DateTime.now().setZone(zone)
      const day = now.toISODate()
      expect(await overviewOf(there, `?from=${day}&to=${day}`)).toMatchObject({ pageviews: 1, days: 1 })
      const dayBefore = now.minus({ days: 1 }).toISODate()
      expect(await overviewOf(there, `?from=${dayBefore}&to=${dayBefore}`)).toMatchObject({ pageviews: 0 })
      expect((await overviewOf(there, '?range=this_month')).days).toBe(now.day)
    },
  )

  test('from and to are both included, and range is ignored when they are given', async () => {
    const query = `?from=${date(-1)}&to=${date(0)}&range=nonsense`
    expect(await overviewOf(site, query)).toMatchObject({ ...expected, days: 2 })
    expect(await overviewOf(site, `?from=${date(-9)}&to=${date(-1)}`)).toMatchObject({ ...ZEROS, days: 9 })
    expect(await overviewOf(site, '?from=2024-01-01&to=2024-12-31')).toMatchObject({ ...ZEROS, days: 366 })
    expect(await overviewOf(site, '?from=2024-02-29&to=2024-02-29')).toMatchObject({ days: 1 })
  })

  test('previous covers the same number of days directly before', async () => {
    expect(await overviewOf(site, `?from=${date(1)}&to=${date(1)}`)).toMatchObject({
      ...ZEROS,
      previous: expected,
    })
    expect(await overviewOf(site, `?from=${date(4)}&to=${date(6)}`)).toMatchObject({
      ...ZEROS,
      previous: ZEROS,
    })
    expect(await overviewOf(site, `?from=${date(2)}&to=${date(3)}`)).toMatchObject({
      days: 2,
      previous: expected,
    })
  })

  test.each([
    ['an unknown preset', 'range=last_year', 'range'],
    ['an empty preset', 'range=', 'range'],
    ['a lone from', 'from=2026-01-01', 'to'],
    ['a lone to', 'to=2026-01-01', 'from'],
    ['a lone from beside a range', 'from=2026-01-01&range=today', 'to'],
    ['from after to', 'from=2026-01-02&to=2026-01-01', undefined],
    ['a 30th of February', 'from=2026-02-30&to=2026-03-01', 'from'],
    ['a 29th of February of 2026', 'from=2026-02-01&to=2026-02-29', 'to'],
    ['a 13th month', 'from=2026-13-01&to=2026-13-01', undefined],
    ['another notation', 'from=1.1.2026&to=2.1.2026', undefined],
    ['no leading zeros', 'from=2026-1-1&to=2026-1-2', undefined],
    ['a time of day', 'from=2026-01-01T00:00&to=2026-01-02T00:00', undefined],
  ])('%s gives 422', async (_, query, field) => {
    const answer = await get(`/sites/${site.id}/overview?${query}`)
    expectError(answer, 422, 'validation_failed')
    if (field) expect(Object.keys(answer.json.errors)).toContain(field)
  })

  test('ignored query parameters are named in a header', async () => {
    const answer = await get(`/sites/${site.id}/overview?range=today&foo=1&bar=2&foo=3`)
    expect(answer.status).toBe(200)
    expect(listed(answer)).toEqual(['bar', 'foo'])
    expect(
      (await get(`/sites/${site.id}/overview?range=today`)).headers['x-ignored-parameters'],
    ).toBeUndefined()
  })

  test('late hits count on the day on which they happened', async () => {
    const past = await siteOf(service.token, 'past.example')
    const returning = visitor()
    await pageview(past, returning)
    await pageview(past, visitor())
    await settle(service, sentinel)
    await moveBack(past, 1)
    expect(await overviewOf(past)).toMatchObject({
      ...ZEROS,
      previous: { pageviews: 2, visitors: 2, sessions: 2 },
    })
    await pageview(past, returning)
    await settle(service, sentinel)
    expect(await overviewOf(past)).toMatchObject({ pageviews: 1, visitors: 1, sessions: 1, bounce_rate: 100 })
    expect(await overviewOf(past, '?range=yesterday')).toMatchObject({
      pageviews: 2,
      visitors: 2,
      sessions: 2,
    })
    // Who comes on two days is one visitor of both.
    const both = { pageviews: 3, visitors: 2, sessions: 3, views_per_visit: 1, bounce_rate: 100 }
    expect(await overviewOf(past, '?range=last_7_days')).toMatchObject(both)
    expect(await overviewOf(past, '?range=all')).toMatchObject({ ...both, days: 2 })
    await moveBack(past, 30)
    expect(await overviewOf(past, '?range=last_30_days')).toMatchObject({ ...ZEROS, previous: both })
    expect(await overviewOf(past, '?range=all')).toMatchObject({ ...both, days: 32 })
    expect(await overviewOf(past, '?range=last_12_months')).toMatchObject(both)
  })
})

describe('GET /api/sites', () => {
  let member: Member
  const sites: Record<string, Site> = {}
  const list = async (query = '') => {
    const answer = await get(`/sites${query}`, member.token)
    expect(answer.status, answer.text).toBe(200)
    return answer.json as Record<string, unknown>[]
  }
  const domains = async (query = '') => (await list(query)).map(item => item.domain)

  beforeAll(async () => {
    member = await createMember(service)
    // Not in the order of any sort.
    for (const [domain, visitors] of [
      ['c.example', 1],
      ['a.example', 0],
      ['d-x.example', 2],
      ['b.example', 1],
    ] as const) {
      const site = await siteOf(member.token, domain)
      sites[domain] = site
      for (let count = 0; count < visitors; count++) await pageview(site, visitor())
    }
    await settle(service, sentinel)
  })

  test('the answer is a bare array of items with exactly these fields', async () => {
    const items = await list('?sort=domain_asc')
    expect(items).toHaveLength(4)
    for (const item of items) {
      expect(item).toEqual({
        id: sites[item.domain as string]!.id,
        domain: item.domain,
        favicon_url: `${service.url}/favicons/${item.domain}`,
        timezone: NOON,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/),
        has_data: item.domain !== 'a.example',
        is_pinned: false,
        visitors: item.visitors,
        change: item.visitors === 0 ? 0 : 100,
        sparkline: expect.any(Array),
        revenue: 0,
        revenue_sparkline: expect.any(Array),
        currency: 'USD',
        has_revenue: false,
      })
    }
  })

  test.each([
    ['', 24],
    ['?period=24h', 24],
    ['?period=7d', 7],
    ['?period=30d', 30],
    ['?period=90d', 24],
    ['?period=', 24],
    ['?period=7D', 24],
  ])('the query "%s" gives sparklines of %i buckets', async (query, length) => {
    for (const item of await list(query)) {
      const sparkline = item.sparkline as number[]
      expect(sparkline).toHaveLength(length)
      expect(item.revenue_sparkline).toEqual(Array(length).fill(0))
      // The hits are of now; the hour may have turned since.
      expect((sparkline.at(-1) ?? 0) + (sparkline.at(-2) ?? 0)).toBe(item.visitors)
      expect(sparkline.reduce((sum, count) => sum + count, 0)).toBe(item.visitors)
    }
  })

  test.each([
    ['', ['d-x.example', 'b.example', 'c.example', 'a.example']],
    ['?sort=most_visitors', ['d-x.example', 'b.example', 'c.example', 'a.example']],
    ['?sort=fewest_visitors', ['a.example', 'b.example', 'c.example', 'd-x.example']],
    ['?sort=domain_asc', ['a.example', 'b.example', 'c.example', 'd-x.example']],
    ['?sort=domain_desc', ['d-x.example', 'c.example', 'b.example', 'a.example']],
    ['?search=B.EX', ['b.example']],
    ['?search=example&sort=domain_desc', ['d-x.example', 'c.example', 'b.example', 'a.example']],
    ['?search=nowhere', []],
    ['?search=%25', []],
    ['?search=_', []],
    ['?search=%5C', []],
    ['?search=', ['d-x.example', 'b.example', 'c.example', 'a.example']],
  ])('the query "%s" lists %j', async (query, expected) => {
    expect(await domains(query)).toEqual(expected)
  })

  test('pinned sites come first in every order', async () => {
    const pin = (isPinned: boolean) =>
      service.db`update sites set is_pinned = ${isPinned} where id = ${sites['c.example']!.id}`
    await pin(true)
    for (const sort of ['most_visitors', 'fewest_visitors', 'domain_asc', 'domain_desc'])
      expect((await domains(`?sort=${sort}`))[0], sort).toBe('c.example')
    await pin(false)
  })

  test('an unknown sort and a search that is too long are refused; ignored parameters are named', async () => {
    expectError(await get('/sites?sort=domain'), 422, 'validation_failed')
    expectError(await get(`/sites?search=${'a'.repeat(256)}`), 422, 'validation_failed')
    const answer = await get('/sites?limit=5&page=2&search=x')
    expect(answer.status).toBe(200)
    expect(listed(answer)).toEqual(['limit', 'page'])
  })

  test('change compares with the window directly before', async () => {
    const site = sites['d-x.example']!
    await moveBack(site, 1)
    const item = async (period: string) => (await list(`?search=d-x&period=${period}`))[0]!
    // Hits of a day ago lie in the window before, or at its very edge.
    const before = await item('24h')
    expect([before.visitors, before.change]).toEqual([0, -100])
    await pageview(site, visitor())
    await settle(service, sentinel)
    const now = await item('24h')
    expect([now.visitors, now.change]).toEqual([1, -50])
    const week = await item('7d')
    expect([week.visitors, week.change]).toEqual([3, 100])
    expect((week.sparkline as number[]).slice(-2)).toEqual([2, 1])
  })

  test('sites of another team are not listed', async () => {
    const other = await createMember(service)
    expect((await get('/sites', other.token)).json).toEqual([])
  })
})

describe('POST /api/sites', () => {
  test('the answer is 201 with the new site and its Location', async () => {
    const member = await createMember(service)
    const { status, json, headers } = await create(member.token, { domain: 'new.example' })
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      domain: 'new.example',
      favicon_url: `${service.url}/favicons/new.example`,
      timezone: 'UTC',
      currency: 'USD',
      tracking_mode: 'cookieless',
      tracking_key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      is_public: false,
      is_pinned: false,
      has_data: false,
      track_errors: false,
      track_web_vitals: false,
      track_session_replay: false,
      replay_sample_percent: 100,
      replay_excluded_paths: [],
      replay_days: 30,
      retention_months: null,
      details_from: null,
      created_at: expect.stringMatching(/^\d{4}-/),
    })
    expect(json.tracking_key).not.toBe(json.id)
    expect(new URL(headers.location!, service.url).pathname).toBe(`/api/sites/${json.id}`)
    expect((await get(`/sites/${json.id}`, member.token)).json).toEqual(json)
    expect((await get('/sites/new.example', member.token)).json).toEqual(json)
  })

  test.each([
    [' WWW.Shop.Example ', 'www.shop.example'],
    ['https://shop.example/path?x=1#y', 'shop.example'],
    ['shop.example.', 'shop.example'],
    ['shop.example:8080', 'shop.example:8080'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
  ])('the domain "%s" is stored as %s, once per team', async (domain, kept) => {
    const [one, other] = [await createMember(service), await createMember(service)]
    const made = await create(one.token, { domain })
    expect([made.status, made.json.domain]).toEqual([201, kept])
    const again = await create(one.token, { domain: kept })
    expectError(again, 422, 'validation_failed')
    expect(again.json.errors.domain.join()).toMatch(/already/i)
    expect((await create(other.token, { domain })).status).toBe(201)
    expect((await get(`/sites/${encodeURIComponent(kept)}/overview`, one.token)).status).toBe(200)
  })

  test.each([
    ['active', 201],
    ['trial', 201],
    ['lapsed', 403],
    ['none', 403],
  ] as const)('with the plan %s is %i', async (plan, status) => {
    const member = await createMember(service, plan === 'trial' ? { plan: 'active' } : { plan })
    if (plan === 'trial')
      await service.db`
        update teams set plan = 'trial', trial_ends_at = now() + interval '1 day' where id = ${member.teamId}`
    const answer = await create(member.token, { domain: 'plan.example' })
    if (status === 403) expectError(answer, 403, 'forbidden')
    else expect(answer.status).toBe(201)
  })

  test('a trial that is over gives 403', async () => {
    const member = await createMember(service)
    await service.db`
      update teams set plan = 'trial', trial_ends_at = now() - interval '1 minute' where id = ${member.teamId}`
    expectError(await create(member.token, { domain: 'plan.example' }), 403, 'forbidden')
    // The role and plan come before the body.
    expectError(await create(member.token, { domain: 5 }), 403, 'forbidden')
  })

  test('a 31st site gives 403 until another one is deleted', async () => {
    const member = await createMember(service)
    for (let count = 1; count <= 30; count++)
      expect((await create(member.token, { domain: `site-${count}.example` })).status).toBe(201)
    expectError(await create(member.token, { domain: 'one-more.example' }), 403, 'forbidden')
    const asked = { method: 'DELETE', token: member.token }
    expect((await request(`${service.url}/api/sites/site-1.example`, asked)).status).toBe(204)
    expect((await create(member.token, { domain: 'one-more.example' })).status).toBe(201)
  })

  test('concurrent requests create a domain once and do not exceed the ceiling', async () => {
    const member = await createMember(service)
    const same = Array.from({ length: 5 }, () => create(member.token, { domain: 'race.example' }))
    const statuses = (await Promise.all(same)).map(answer => answer.status)
    expect(statuses.sort()).toEqual([201, 422, 422, 422, 422])
    const many = Array.from({ length: 40 }, (_, index) =>
      create(member.token, { domain: `race-${index}.example` }),
    )
    const made = (await Promise.all(many)).filter(answer => answer.status === 201)
    expect(made).toHaveLength(29)
  })

  test('a token that is limited to sites is refused', async () => {
    const member = await createMember(service)
    const site = await siteOf(member.token, 'limited.example')
    const token = await tokenOf(service, member, { siteIds: [site.id] })
    expectError(await create(token, { domain: 'other.example' }), 403, 'forbidden')
  })
})

describe('tokens', () => {
  const paths: [string, string][] = [
    ['GET', '/sites'],
    ['POST', '/sites'],
    ['GET', '/sites/none.example'],
    ['DELETE', '/sites/none.example'],
    ['GET', '/sites/none.example/overview?range=nonsense'],
  ]

  test.each(paths)('%s %s gives 401 without a valid token, whatever else is wrong', async (method, path) => {
    const member = await createMember(service)
    const expired = await tokenOf(service, member, { expiresAt: new Date(Date.now() - 1_000) })
    const last = member.token.at(-1)
    const unknown = member.token.slice(0, -1) + (last === 'a' ? 'b' : 'a')
    for (const authorization of [
      ...[undefined, '', 'Bearer', 'Bearer ', 'Bearer nonsense', `Basic ${member.token}`, member.token],
      ...[`Bearer ${unknown}`, `Bearer ${expired}`, `Bearer ${member.token}x`, `Bearer ${member.token} x`],
    ]) {
      const asked = { method, headers: { authorization }, ...(method === 'POST' && { body: '{' }) }
      const answer = await request(`${service.url}/api${path}`, asked)
      expectError(answer, 401, 'unauthenticated')
    }
    const good = await request(`${service.url}/api${path}`, { method, token: member.token })
    expect(good.status).not.toBe(401)
  })

  test('a token works until it expires', async () => {
    const member = await createMember(service)
    const token = await tokenOf(service, member, { expiresAt: new Date(Date.now() + 60_000) })
    expect((await get('/sites', token)).status).toBe(200)
  })

  test('a token that is limited to sites sees only these', async () => {
    const member = await createMember(service)
    const [inside, outside] = [
      await siteOf(member.token, 'in.example'),
      await siteOf(member.token, 'out.example'),
    ]
    const token = await tokenOf(service, member, { siteIds: [inside.id] })
    expect((await get('/sites', token)).json.map((item: Site) => item.id)).toEqual([inside.id])
    expect((await get(`/sites/${inside.id}/overview`, token)).status).toBe(200)
    expectError(await get(`/sites/${outside.id}/overview`, token), 404, 'not_found')
    expectError(await get('/sites/out.example/overview', token), 404, 'not_found')
  })
})

describe('a site outside of the access of the caller', () => {
  test.each([
    ['GET', ''],
    ['GET', '/overview'],
    ['GET', '/overview?range=nonsense'],
    ['DELETE', ''],
  ])(
    'a site without access gives the same answer as an unknown site: %s /api/sites/{siteKey}%s',
    async (method, path) => {
      const member = await createMember(service)
      const outside = await siteOf(member.token, 'outside.example')
      const inside = await siteOf(member.token, 'inside.example')
      const foreign = await siteOf((await createMember(service)).token, 'foreign.example')
      const gone = await siteOf(member.token, 'gone.example')
      const token = await tokenOf(service, member, { siteIds: [inside.id, gone.id] })
      await request(`${service.url}/api/sites/${gone.id}`, { method: 'DELETE', token: member.token })
      const said = new Set<string>()
      for (const siteKey of [
        ...[outside.id, outside.domain, foreign.id, foreign.domain, gone.id, gone.domain],
        ...[randomUUID(), 'none.example', 'not-a-uuid', inside.key],
      ]) {
        const answer = await request(`${service.url}/api/sites/${siteKey}${path}`, { method, token })
        expectError(answer, 404, 'not_found')
        said.add(answer.text.replace(answer.json.request_id, '').replaceAll(siteKey, ''))
      }
      expect(said.size).toBe(1)
      expect((await get(`/sites/${outside.id}`, member.token)).status).toBe(200)
    },
  )
})

describe('DELETE /api/sites/{siteKey}', () => {
  test('owners and admins can delete; a member gets 403', async () => {
    const first = await createMember(service)
    const [admin, member] = [
      await createMember(service, { teamId: first.teamId, role: 'admin' }),
      await createMember(service, { teamId: first.teamId, role: 'member' }),
    ]
    for (const [by, status] of [
      [member, 403],
      [admin, 204],
      [first, 204],
    ] as const) {
      const site = await siteOf(first.token, `${randomUUID()}.example`)
      const url = `${service.url}/api/sites/${site.id}`
      const answer = await request(url, { method: 'DELETE', token: by.token })
      if (status === 403) {
        expectError(answer, 403, 'forbidden')
        expect((await get(`/sites/${site.id}`, by.token)).status).toBe(200)
        // 404 comes before 403.
        const none = `${service.url}/api/sites/none.example`
        expectError(await request(none, { method: 'DELETE', token: by.token }), 404, 'not_found')
      } else {
        expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' })
        expect(answer.headers['x-request-id']).toMatch(/./)
        expectError(await get(`/sites/${site.id}`, by.token), 404, 'not_found')
        expectError(await request(url, { method: 'DELETE', token: by.token }), 404, 'not_found')
        expect((await get(`/sites?search=${site.domain}`, by.token)).json).toEqual([])
      }
    }
  })

  test('the domain is free for a new site, which has no data of the old one', async () => {
    const old = await siteOf(service.token, 'again.example')
    await pageview(old)
    await settle(service, sentinel)
    await request(`${service.url}/api/sites/${old.id}`, { method: 'DELETE', token: service.token })
    const fresh = await siteOf(service.token, 'again.example')
    expect([fresh.id, fresh.key]).not.toEqual([old.id, old.key])
    expect(await overviewOf(fresh, '?range=all')).toMatchObject(ZEROS)
  })
})

describe('routes', () => {
  test.each([
    ['PUT', '/api/sites', ['GET', 'POST']],
    ['DELETE', '/api/sites', ['GET', 'POST']],
    ['POST', '/api/sites/overview.example', ['GET', 'DELETE']],
    ['POST', '/api/sites/overview.example/overview', ['GET']],
    ['DELETE', '/api/sites/overview.example/overview', ['GET']],
    ['GET', '/api/collect', ['POST']],
    ['DELETE', '/api/identify', ['POST']],
  ])('%s %s gives 405 and names the allowed methods', async (method, path, allowed) => {
    const answer = await request(service.url + path, { method, token: service.token })
    expectError(answer, 405, 'method_not_allowed')
    const named = answer.headers.allow!.split(/, */)
    expect(named).toEqual(expect.arrayContaining(allowed))
    expect(named).not.toContain(method)
  })

  test.each([
    '/api',
    '/api/nothing',
    '/api/sites/overview.example/nothing',
    '/api/v1/sites',
    '/nothing/at/all',
  ])('%s gives 404', async path => {
    expectError(await request(service.url + path, { token: service.token }), 404, 'not_found')
  })

  test('every answer has its own request id', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => get('/sites')))
    expect(new Set(answers.map(answer => answer.headers['x-request-id'])).size).toBe(10)
  })

  test.each(['/healthz', '/readyz', '/metrics'])('%s needs no token', async path => {
    expect((await request(service.url + path)).status).toBe(200)
  })
})

describe('the typed client', () => {
  const clientOf = (token: string) => createClient(service.url, token)
  const failure = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      caught => caught,
    )
    expect(error).toBeInstanceOf(TRPCClientError)
    expect(error.data).toMatchObject({ message: error.message, request_id: expect.stringMatching(/./) })
    return error.data as { code: string; httpStatus: number; errors?: object }
  }

  test('a call gives the same answer as REST', async () => {
    const member = await createMember(service)
    const client = clientOf(member.token)
    const made = await client.sites.create.mutate({ domain: 'Client.Example', timezone: NOON })
    const [row] = await service.db<{ site_no: number }[]>`select site_no from sites where id = ${made.id}`
    const site = { id: made.id, key: made.tracking_key, domain: made.domain, siteNo: row!.site_no }
    await pageview(site)
    await settle(service, sentinel)
    const rest = async (path: string) => (await get(path, member.token)).json
    expect(await client.sites.get.query({ siteKey: 'client.example' })).toEqual(
      await rest(`/sites/${site.id}`),
    )
    expect(await client.sites.list.query()).toEqual(await rest('/sites'))
    expect(await client.sites.list.query({ period: '7d', sort: 'domain_desc', search: 'CLI' })).toEqual(
      await rest('/sites?period=7d'),
    )
    for (const range of ['today', 'last_month', 'all'] as const)
      expect(await client.stats.overview.query({ siteKey: site.id, range })).toEqual(
        await rest(`/sites/${site.id}/overview?range=${range}`),
      )
    const dates = { from: '2026-01-01', to: '2026-01-31' }
    expect(await client.stats.overview.query({ siteKey: site.id, ...dates })).toMatchObject({
      ...ZEROS,
      days: 31,
    })
    await client.sites.delete.mutate({ siteKey: site.id })
    expect(await client.sites.list.query({})).toEqual([])
  })

  test('an unknown period means 24h, as over REST', async () => {
    const period = '90d' as '24h'
    expect((await clientOf(service.token).sites.list.query({ period }))[0]!.sparkline).toHaveLength(24)
  })

  test('errors are the same as over REST', async () => {
    const member = await createMember(service, { role: 'member' })
    const site = await siteOf(owner.token, 'refused.example')
    const lapsed = await createMember(service, { plan: 'lapsed' })
    const colleague = await createMember(service, { teamId: owner.teamId, role: 'member' })
    const expired = await tokenOf(service, member, { expiresAt: new Date(Date.now() - 1_000) })
    const mine = clientOf(service.token)
    const overview = (given: object) =>
      failure(mine.stats.overview.query({ siteKey: site.id, ...given } as { siteKey: string }))

    for (const token of ['', 'nonsense', expired])
      expect(await failure(clientOf(token).sites.list.query())).toMatchObject({
        code: 'unauthenticated',
        httpStatus: 401,
      })
    for (const siteKey of [site.id, site.domain, randomUUID(), 'none.example'])
      expect(await failure(clientOf(member.token).stats.overview.query({ siteKey }))).toMatchObject({
        code: 'not_found',
        httpStatus: 404,
      })
    expect(await failure(clientOf(colleague.token).sites.delete.mutate({ siteKey: site.id }))).toMatchObject({
      code: 'forbidden',
      httpStatus: 403,
    })
    expect(await failure(clientOf(lapsed.token).sites.create.mutate({ domain: 'x.example' }))).toMatchObject({
      code: 'forbidden',
      httpStatus: 403,
    })
    const invalid = { code: 'validation_failed', httpStatus: 422, errors: expect.any(Object) }
    expect(await failure(mine.sites.create.mutate({ domain: 'refused.example' }))).toMatchObject(invalid)
    expect(await failure(mine.sites.list.query({ sort: 'x' as 'domain_asc' }))).toMatchObject(invalid)
    for (const given of [
      { range: 'last_year' },
      { from: '2026-01-01' },
      { to: '2026-01-01' },
      { from: '2026-01-02', to: '2026-01-01' },
      { from: '2026-02-30', to: '2026-03-01' },
    ])
      expect(await overview(given), JSON.stringify(given)).toMatchObject(invalid)
  })

  test('each call of a batch has its own answer', async () => {
    const client = clientOf(service.token)
    const [list, none, overview] = await Promise.allSettled([
      client.sites.list.query(),
      client.sites.get.query({ siteKey: 'none.example' }),
      client.stats.overview.query({ siteKey: 'sentinel.example' }),
    ])
    expect([list.status, none.status, overview.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})

/** The names in X-Ignored-Parameters. */
const listed = (answer: Answer) =>
  String(answer.headers['x-ignored-parameters'] ?? '')
    .split(/, */)
    .sort()
