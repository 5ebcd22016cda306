import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { createUser } from '../../src/teams/accounts.ts'
import type { Role } from '../../src/teams/schema.ts'
import { createToken } from '../../src/teams/tokens.ts'
import { type Api, type Member, startApi } from '../support/api.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPool } from '../support/in-process-pool.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')
const AT = Date.parse('2026-03-09T10:00:00Z')
const RANGE = 'from=2026-03-09&to=2026-03-09'
const SITE = '/api/sites/segment.example'

let api: Api
let owner: Member
let colleague: string
let viewer: string
let siteId: string

beforeAll(async () => {
  api = await startApi({ now: () => new Date(NOW) })
  api.services.rollups = inProcessPool(api.services.db)
  owner = await api.member()
  siteId = (await call('POST', '/api/sites', { body: { domain: 'segment.example' } })).body.id
  ;[colleague, viewer] = await Promise.all([tokenOf('member'), tokenOf('viewer')])
  const [row] = await api.services.db`select site_no from sites where id = ${siteId}`
  const site = { id: siteId, siteNo: row!.site_no, key: '' }
  // Three visits: /blog with signup (team), /blog with signup (pro), /pricing with download (team).
  const visits = [
    ['/blog', 'signup', 'team', 'DE'],
    ['/blog', 'signup', 'pro', 'FR'],
    ['/pricing', 'download', 'team', 'DE'],
  ] as const
  const hits = visits.flatMap(([url, name, plan, country], index) => {
    const at = AT + index * 60_000
    const visitorId = randomUUID()
    const geo = { country, region: '', city: '' }
    return [
      { ...enrichedHit(site, at, { url, visitorId }), ...geo },
      { ...enrichedHit(site, at + 5_000, { url, visitorId, type: 'event', name, props: { plan } }), ...geo },
    ]
  })
  await storeHits(api.services.db, 0, hits)
})
afterAll(() => api.close())

async function tokenOf(role: Role) {
  const userId = await createUser(api.services.db, { teamId: owner.teamId, email: `${role}@s.example`, role })
  const options = { teamId: owner.teamId, userId, name: role, siteIds: null, expiresAt: null }
  return (await createToken(api.services.db, options, new Date(NOW))).token
}

const call = (method: string, path: string, options: object = {}) =>
  api.call(method, path, { token: owner.token, ...options })

async function segment(filters: object, fields: object = {}, token = owner.token): Promise<string> {
  const body = { name: 'a', filters, ...fields }
  const made = await call('POST', `${SITE}/segments`, { body, token })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body.id
}

async function goal(match_value: string): Promise<string> {
  const body = { match_type: 'event', match_value, display_name: `${match_value} ${randomUUID()}` }
  return (await call('POST', `${SITE}/goals`, { body })).body.id
}

const overview = (query: string, token = owner.token) =>
  call('GET', `${SITE}/overview?${RANGE}&${query}`, { token })

/** Ids of the latest entries about segments and annotations in the audit log. */
const auditOf = async (id: string) =>
  (await call('GET', '/api/audit-log?per_page=100')).body.data.filter(
    ({ object_id }: { object_id: string }) => object_id === id,
  )

describe('a segment', () => {
  test('segments: one is made, listed by name, read, changed and deleted', async () => {
    const filters = {
      country: ['DE', 'AT'],
      path: { starts_with: '/blog' },
      prop_key: 'plan',
      prop_value: 'team',
    }
    const made = await call('POST', `${SITE}/segments`, {
      body: { name: ' Readers ', filters, visibility: 'site' },
    })
    expect(made).toMatchObject({ status: 201, body: { name: 'Readers', filters, visibility: 'site' } })
    expect(made.body).toMatchObject({
      created_by: expect.stringContaining('@'),
      created_at: expect.any(String),
    })
    const path = `${SITE}/segments/${made.body.id}`
    const second = await segment({ browser: 'Firefox' }, { name: 'Fans' })
    const listed = await call('GET', `${SITE}/segments`)
    expect(listed.body.map(({ name }: { name: string }) => name)).toEqual(['Fans', 'Readers'])
    expect((await call('GET', path)).body).toEqual(made.body)
    const changed = await call('PATCH', path, { body: { name: 'Others' } })
    expect(changed.body).toMatchObject({ name: 'Others', filters, visibility: 'site' })
    for (const each of [made.body.id, second]) {
      expect((await call('DELETE', `${SITE}/segments/${each}`)).status).toBe(204)
    }
    expect((await call('GET', path)).status).toBe(404)
    expect((await call('GET', `${SITE}/segments`)).body).toEqual([])
    const entries = await auditOf(made.body.id)
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'segment.delete',
      'segment.change',
      'segment.create',
    ])
    expect(entries[1].details).toMatchObject({ name: 'Readers', changed: ['name'] })
    expect(await auditOf(second)).toEqual([])
  })

  test.each([
    ['no name', { name: '' }, 'name'],
    ['a long name', { name: 'a'.repeat(121) }, 'name'],
    ['two lines', { name: 'a\nb' }, 'name'],
    ['no filters', { filters: undefined }, 'filters'],
    ['empty filters', { filters: {} }, 'filters'],
    ['only undefined values', { filters: { path: {} } }, 'filters'],
    ['a list', { filters: [] }, 'filters'],
    ['an unknown dimension', { filters: { mood: 'good' } }, 'filters'],
    ['a visitor', { filters: { visitor_id: randomUUID() } }, 'filters'],
    ['a range', { filters: { from: '2026-01-01' } }, 'filters'],
    ['another segment', { filters: { segment: randomUUID() } }, 'filters'],
    ['an unknown operator', { filters: { path: { like: '/a' } } }, 'filters.path'],
    ['a number', { filters: { path: 1 } }, 'filters.path'],
    ['an invalid expression', { filters: { path: { matches_regex: '(' } } }, 'filters.path.matches_regex'],
    ['a value without a key', { filters: { prop_value: 'a' } }, 'filters.prop_key'],
    ['an unknown goal', { filters: { goal: randomUUID() } }, 'filters.goal'],
    ['no goal', { filters: { goal: 'signup' } }, 'filters.goal'],
    ['no goals', { filters: { goal: [] } }, 'filters.goal'],
    ['many literals', { filters: { path: { contains: Array(21).fill('a') } } }, 'filters.path.contains'],
    ['an unknown visibility', { visibility: 'public' }, 'visibility'],
  ])('segments: %s is refused', async (_, fields, field) => {
    const body = { name: 'a', filters: { path: '/' }, ...fields }
    const { status, body: refusal } = await call('POST', `${SITE}/segments`, { body })
    expect(status).toBe(422)
    expect(Object.keys(refusal.errors)).toContain(field)
  })

  test('segments: there are at most 200 of the site', async () => {
    const { db } = api.services
    await db`insert into segments (site_no, name, filters, created_at, changed_at)
      select site_no, 'x', '{"path":"/"}', now(), now() from sites, generate_series(1, 200) where id = ${siteId}`
    const body = { name: 'a', filters: { path: '/' } }
    expect((await call('POST', `${SITE}/segments`, { body: { ...body, visibility: 'site' } })).status).toBe(
      403,
    )
    const own = await segment({ path: '/' })
    const shared = await call('PATCH', `${SITE}/segments/${own}`, { body: { visibility: 'site' } })
    expect(shared.status).toBe(403)
    await db`delete from segments where name in ('x', 'a')`
  })
})

describe('personal segments', () => {
  test('segments: that of another user is unknown, whatever is done with it', async () => {
    const id = await segment({ path: '/blog' })
    const path = `${SITE}/segments/${id}`
    expect((await call('GET', `${SITE}/segments`, { token: colleague })).body).toEqual([])
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'GET' ? {} : { body: { name: 'b' } }
      expect((await call(method, path, { token: colleague, ...body })).status).toBe(404)
    }
    const refused = await overview(`segment=${id}`, colleague)
    expect([refused.status, refused.body.errors]).toEqual([422, { segment: [expect.any(String)] }])
    const shared = await call('PATCH', path, { body: { visibility: 'site' } })
    expect(shared.body.visibility).toBe('site')
    expect((await overview(`segment=${id}`, colleague)).body.visitors).toBe(2)
    expect((await overview(`segment=${id}`, viewer)).body.visitors).toBe(2)
    const taken = await call('PATCH', path, { body: { visibility: 'personal' }, token: colleague })
    expect(taken.body.visibility).toBe('personal')
    expect((await call('GET', path)).status).toBe(404)
  })

  test('segments: a viewer reads those of the site, and makes none', async () => {
    const id = await segment({ path: '/blog' }, { visibility: 'site' })
    expect((await call('GET', `${SITE}/segments/${id}`, { token: viewer })).status).toBe(200)
    const body = { name: 'a', filters: { path: '/' } }
    expect((await call('POST', `${SITE}/segments`, { body, token: viewer })).status).toBe(403)
  })

  test('segments: they go with their user', async () => {
    const { db } = api.services
    const id = await segment({ path: '/' }, {}, await tokenOf('admin'))
    await db`delete from users where email = 'admin@s.example'`
    expect(await db`select from segments where id = ${id}`).toHaveLength(0)
  })
})

describe('reads of a segment', () => {
  /** Every read that has filters. */
  const READS = [
    'overview?',
    'stats/timeseries?metric=visitors&',
    'stats/breakdown?dimension=path&',
    'stats/breakdown?dimension=country&',
    'stats/goals?',
    'stats/events?',
    'stats/events/timeseries?',
    'stats/events/property-breakdown?event_type=event&event_name=signup&',
    'stats/page-titles?',
    'stats/filter-values?dimension=browser&',
    'stats/errors?',
  ]
  const answerOf = async (path: string, query: string) => {
    const { status, body } = await call('GET', `${SITE}/${path}${RANGE}&${query}`)
    expect(status, `${path} ${query} ${JSON.stringify(body)}`).toBe(200)
    return { ...body, links: undefined }
  }

  test.each(READS)('segments: %s with a segment is what it is with its filters', async path => {
    const id = await segment({
      path: { matches_pattern: '/b*' },
      country: 'DE',
      prop_key: 'plan',
      prop_value: 'team',
    })
    const ask = async (query: string) => answerOf(path, query)
    // A filter on hits and one on properties: the event alone fits both, with its page.
    expect(await ask(`segment=${id}`)).toEqual(
      await ask('path[matches_pattern]=/b*&prop_key=plan&prop_value=team&country=DE'),
    )
  })

  test.each([
    ['a segment alone', [{ country: 'DE' }], '', 2],
    ['a segment and a filter', [{ country: 'DE' }], 'path=/blog', 1],
    ['two segments', [{ country: 'DE' }, { path: '/blog' }], '', 1],
    ['the same dimension twice', [{ country: 'DE' }], 'country=FR', 0],
    [
      'two properties, of a segment and of the request',
      [{ prop_key: 'plan', prop_value: 'team' }],
      'prop_key=plan',
      2,
    ],
    [
      'two properties that exclude each other',
      [
        { prop_key: 'plan', prop_value: 'team' },
        { prop_key: 'plan', prop_value: 'pro' },
      ],
      '',
      0,
    ],
  ])('segments: %s', async (_, filters, query, visitors) => {
    const ids = await Promise.all(filters.map(each => segment(each)))
    const given = ids.map(id => `segment=${id}`).join('&')
    expect((await overview(`${given}&${query}`)).body.visitors).toBe(visitors)
  })

  test('segments: their goals and that of the request are all needed, and only the latter gives a conversion rate', async () => {
    const [signup, download] = [await goal('signup'), await goal('download')]
    const [signed, downloaded] = [
      await segment({ goal: signup }),
      await segment({ goal: [download, signup] }),
    ]
    const visitorsOf = async (query: string) => (await overview(query)).body.visitors
    expect(await visitorsOf(`segment=${signed}`)).toBe(2)
    expect(await visitorsOf(`segment=${downloaded}`)).toBe(3)
    expect(await visitorsOf(`segment=${downloaded}&segment=${signed}`)).toBe(2)
    expect(await visitorsOf(`segment=${signed}&goal=${download}`)).toBe(0)
    expect(await visitorsOf(`segment=${signed}&country=DE`)).toBe(1)
    const [of, all] = [await overview(`segment=${signed}`), await overview('')]
    expect(of.body.conversion_rate).toBe(all.body.conversion_rate)
    for (const path of READS) await answerOf(path, `segment=${signed}&segment=${downloaded}`)
    const events = await answerOf('stats/events?', `segment=${signed}`)
    expect(events.data).toHaveLength(4)
  })

  test('segments: one whose goal was deleted is refused, and named', async () => {
    const id = await goal('gone')
    const made = await segment({ goal: id }, { name: 'Signed up', visibility: 'site' })
    expect((await call('DELETE', `${SITE}/goals/${id}`)).status).toBe(204)
    const { status, body } = await overview(`segment=${made}`)
    expect(status).toBe(422)
    expect(body.errors.segment[0]).toContain('Signed up')
    expect(body.errors.segment[0]).toContain(id)
    expect((await call('GET', `${SITE}/segments/${made}`)).status).toBe(200)
    const mended = await call('PATCH', `${SITE}/segments/${made}`, { body: { filters: { path: '/blog' } } })
    expect(mended.status).toBe(200)
    expect((await overview(`segment=${made}`)).body.visitors).toBe(2)
  })

  test.each([
    ['no id', 'segment=blog'],
    ['an empty one', 'segment='],
    ['an unknown one', `segment=${randomUUID()}`],
    ['an operator', `segment[is_not]=${randomUUID()}`],
    ['eleven', Array.from({ length: 11 }, () => `segment=${randomUUID()}`).join('&')],
  ])('segments: %s is 422', async (_, query) => {
    const { status, body } = await overview(query)
    expect([status, Object.keys(body.errors).every(name => name.startsWith('segment'))]).toEqual([422, true])
  })

  test('segments: that of another site is unknown', async () => {
    const id = await segment({ path: '/' }, { visibility: 'site' })
    await call('POST', '/api/sites', { body: { domain: 'other.example' } })
    expect((await call('GET', `/api/sites/other.example/overview?segment=${id}`)).status).toBe(422)
    expect((await call('GET', `/api/sites/other.example/segments/${id}`)).status).toBe(404)
  })

  test('segments: patterns of a segment and of the request are bounded together', async () => {
    const patterns = (letter: string, count: number) =>
      Array.from({ length: count }, (_, no) => `/${letter}${no}*`)
    const id = await segment({ path: { matches_pattern: patterns('a', 15) } })
    const query = patterns('b', 6).map(each => `path[matches_pattern]=${each}`)
    expect((await overview(`segment=${id}`)).status).toBe(200)
    const { status, body } = await overview(`segment=${id}&${query.join('&')}`)
    expect([status, Object.keys(body.errors)]).toEqual([422, ['segment']])
  })

  test('segments: readers of a share and of a public site have none', async () => {
    const id = await segment({ path: '/' }, { visibility: 'site' })
    const body = { name: 'a', sections: ['traffic'] }
    const { secret } = (await call('POST', `${SITE}/shares`, { body })).body
    expect((await overview(`segment=${id}`, secret)).status).toBe(403)
    expect((await call('GET', `${SITE}/segments`, { token: secret })).status).toBe(401)
    await call('PATCH', `${SITE}/sharing`, { body: { is_public: true } })
    expect((await overview(`segment=${id}`, undefined as never)).status).toBe(200)
    expect((await api.call('GET', `${SITE}/overview?${RANGE}&segment=${id}`)).status).toBe(403)
    expect((await api.call('GET', `${SITE}/segments`)).status).toBe(401)
  })
})
