import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { hit, type StatsSite, useStats } from '../../contract/stats-site.ts'
import { shareInBrowser } from '../../support/shares.ts'
import { teammate } from '../../support/teammates.ts'

const RANGE = 'from=2026-03-09&to=2026-03-09'

let site: StatsSite
let colleague: string
let viewer: string

// Three visits: /blog with signup (team), /blog with signup (pro), /pricing with download (team).
const stats = useStats(async () => {
  site = await stats.site()
  ;[colleague, viewer] = await Promise.all([tokenOfOther('member'), tokenOfOther('viewer')])
  const visits = [
    ['/blog', 'signup', 'team', 'DE'],
    ['/blog', 'signup', 'pro', 'FR'],
    ['/pricing', 'download', 'team', 'DE'],
  ] as const
  const hits = visits.flatMap(([url, name, plan, country], index) => {
    const visitorId = randomUUID()
    const event = { type: 'event', name, props: { plan } } as const
    return [
      hit(site, `2026-03-09T10:0${index}:00Z`, { url, visitorId }, { country }),
      hit(site, `2026-03-09T10:0${index}:05Z`, { ...event, url, visitorId }, { country }),
    ]
  })
  await stats.store(hits)
}, '2026-03-10T12:00:00Z')

async function tokenOfOther(role: 'member' | 'viewer') {
  return stats.api.token(await teammate(stats.api, { teamId: stats.owner.teamId, role }))
}

const call = (method: string, path: string, options: object = {}) =>
  stats.api.call(method, path, { token: stats.owner.token, ...options })

async function segment(filters: object, fields: object = {}, token = stats.owner.token): Promise<string> {
  const body = { name: 'a', filters, ...fields }
  const made = await call('POST', `${site.path}/segments`, { body, token })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body.id
}

async function goal(match_value: string): Promise<string> {
  const body = { match_type: 'event', match_value, display_name: `${match_value} ${randomUUID()}` }
  return (await call('POST', `${site.path}/goals`, { body })).body.id
}

const overview = (query: string, token = stats.owner.token) =>
  call('GET', `${site.path}/overview?${RANGE}&${query}`, { token })

/** Ids of the latest entries about segments and annotations in the audit log. */
const auditOf = async (id: string) =>
  (await call('GET', '/api/audit-log?per_page=100')).body.data.filter(
    ({ object_id }: { object_id: string }) => object_id === id,
  )

test('segments: one is made, listed by name, read, changed and deleted', async () => {
  const properties = { prop_key: 'plan', prop_value: 'team' }
  const filters = { country: ['DE', 'AT'], path: { starts_with: '/blog' }, ...properties }
  const body = { name: ' Readers ', filters, visibility: 'site' }
  const made = await call('POST', `${site.path}/segments`, { body })
  const times = { created_by: expect.stringContaining('@'), created_at: expect.any(String) }
  expect(made).toMatchObject({ status: 201, body: { ...body, name: 'Readers', ...times } })
  const path = `${site.path}/segments/${made.body.id}`
  const second = await segment({ browser: 'Firefox' }, { name: 'Fans' })
  const listed = async () => {
    const { body } = await call('GET', `${site.path}/segments`)
    const own = body.filter(({ id }: { id: string }) => [made.body.id, second].includes(id))
    return own.map(({ name }: { name: string }) => name)
  }
  expect(await listed()).toEqual(['Fans', 'Readers'])
  expect((await call('GET', path)).body).toEqual(made.body)
  const changed = await call('PATCH', path, { body: { name: 'Others' } })
  expect(changed.body).toMatchObject({ name: 'Others', filters, visibility: 'site' })
  for (const each of [made.body.id, second])
    expect((await call('DELETE', `${site.path}/segments/${each}`)).status).toBe(204)
  expect((await call('GET', path)).status).toBe(404)
  expect(await listed()).toEqual([])
  const entries = await auditOf(made.body.id)
  const actions = entries.map(({ action }: { action: string }) => action)
  expect(actions).toEqual(['segment.delete', 'segment.change', 'segment.create'])
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
  const { status, body: refusal } = await call('POST', `${site.path}/segments`, { body })
  expect(status).toBe(422)
  expect(Object.keys(refusal.errors)).toContain(field)
})

test('segments: there are at most 200 of the site', async () => {
  const { db } = stats.api.services
  await db`insert into segments (site_no, name, filters, created_at, changed_at)
    select site_no, 'x', '{"path":"/"}', now(), now() from sites, generate_series(1, 200) where id = ${site.id}`
  const body = { name: 'a', filters: { path: '/' }, visibility: 'site' }
  expect((await call('POST', `${site.path}/segments`, { body })).status).toBe(403)
  const own = await segment({ path: '/' })
  const shared = await call('PATCH', `${site.path}/segments/${own}`, { body: { visibility: 'site' } })
  expect(shared.status).toBe(403)
  await db`delete from segments where name in ('x', 'a')`
})

test('segments: that of another user is unknown, whatever is done with it', async () => {
  const id = await segment({ path: '/blog' })
  const path = `${site.path}/segments/${id}`
  const { body: listed } = await call('GET', `${site.path}/segments`, { token: colleague })
  expect(listed.map((each: { id: string }) => each.id)).not.toContain(id)
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

test('segments: they go with their user', async () => {
  const { db } = stats.api.services
  const admin = await teammate(stats.api, { teamId: stats.owner.teamId, role: 'admin' })
  const id = await segment({ path: '/' }, {}, await stats.api.token(admin))
  await db`delete from users where id = ${admin.userId}`
  expect(await db`select from segments where id = ${id}`).toHaveLength(0)
})

/** Every read that has filters. */
const READS = [
  ...['overview?', 'stats/timeseries?metric=visitors&', 'stats/breakdown?dimension=path&'],
  ...['stats/breakdown?dimension=country&', 'stats/goals?', 'stats/events?'],
  'stats/events/timeseries?',
  ...['stats/events/property-breakdown?event_type=event&event_name=signup&', 'stats/page-titles?'],
  ...['stats/filter-values?dimension=browser&', 'stats/errors?'],
]
const answerOf = async (path: string, query: string) => {
  const { status, body } = await call('GET', `${site.path}/${path}${RANGE}&${query}`)
  expect(status, `${path} ${query} ${JSON.stringify(body)}`).toBe(200)
  return { ...body, links: undefined }
}

test.each(READS)('segments: %s with a segment is what it is with its filters', async path => {
  const properties = { prop_key: 'plan', prop_value: 'team' }
  const id = await segment({ path: { matches_pattern: '/b*' }, country: 'DE', ...properties })
  // A filter on hits and one on properties: the event alone fits both, with its page.
  const query = 'path[matches_pattern]=/b*&prop_key=plan&prop_value=team&country=DE'
  expect(await answerOf(path, `segment=${id}`)).toEqual(await answerOf(path, query))
})

const [TEAM, PRO] = ['team', 'pro'].map(prop_value => ({ prop_key: 'plan', prop_value }))
test.each<[string, object[], string, number]>([
  ['a segment alone', [{ country: 'DE' }], '', 2],
  ['a segment and a filter', [{ country: 'DE' }], 'path=/blog', 1],
  ['two segments', [{ country: 'DE' }, { path: '/blog' }], '', 1],
  ['the same dimension twice', [{ country: 'DE' }], 'country=FR', 0],
  ['two properties, of a segment and of the request', [TEAM!], 'prop_key=plan', 2],
  ['two properties that exclude each other', [TEAM!, PRO!], '', 0],
])('segments: %s', async (_, filters, query, visitors) => {
  const ids = await Promise.all(filters.map(each => segment(each)))
  const given = ids.map(id => `segment=${id}`).join('&')
  expect((await overview(`${given}&${query}`)).body.visitors).toBe(visitors)
})

test('segments: their goals and that of the request are all needed, and only the latter gives a conversion rate', async () => {
  const [signup, download] = [await goal('signup'), await goal('download')]
  const signed = await segment({ goal: signup })
  const downloaded = await segment({ goal: [download, signup] })
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
  expect((await call('DELETE', `${site.path}/goals/${id}`)).status).toBe(204)
  const { status, body } = await overview(`segment=${made}`)
  expect(status).toBe(422)
  expect(body.errors.segment[0]).toContain('Signed up')
  expect(body.errors.segment[0]).toContain(id)
  expect((await call('GET', `${site.path}/segments/${made}`)).status).toBe(200)
  const mended = await call('PATCH', `${site.path}/segments/${made}`, {
    body: { filters: { path: '/blog' } },
  })
  expect(mended.status).toBe(200)
  expect((await overview(`segment=${made}`)).body.visitors).toBe(2)
})

test('segments: one that is unknown or of another site is 422, and so are eleven', async () => {
  for (const query of [
    ...['segment=blog', 'segment=', `segment=${randomUUID()}`, `segment[is_not]=${randomUUID()}`],
    Array.from({ length: 11 }, () => `segment=${randomUUID()}`).join('&'),
  ]) {
    const { status, body } = await overview(query)
    const isNamed = Object.keys(body.errors).every(name => name.startsWith('segment'))
    expect([status, isNamed], query).toEqual([422, true])
  }
  const id = await segment({ path: '/' }, { visibility: 'site' })
  const { path } = await stats.site()
  expect((await call('GET', `${path}/overview?segment=${id}`)).status).toBe(422)
})

test('segments: patterns of a segment and of the request are bounded together', async () => {
  const patterns = (letter: string, length: number) => Array.from({ length }, (_, no) => `/${letter}${no}*`)
  const id = await segment({ path: { matches_pattern: patterns('a', 15) } })
  const query = patterns('b', 6).map(each => `path[matches_pattern]=${each}`)
  expect((await overview(`segment=${id}`)).status).toBe(200)
  const { status, body } = await overview(`segment=${id}&${query.join('&')}`)
  expect([status, Object.keys(body.errors)]).toEqual([422, ['segment']])
})

test('segments: readers of a share and of a public site have none', async () => {
  const id = await segment({ path: '/' }, { visibility: 'site' })
  const body = { name: 'a', sections: ['traffic'] }
  const { secret } = (await shareInBrowser(stats.api, stats.owner, site.path, body)).body
  expect((await overview(`segment=${id}`, secret)).status).toBe(403)
  await call('PATCH', `${site.path}/sharing`, { body: { is_public: true } })
  expect((await stats.api.call('GET', `${site.path}/overview?${RANGE}&segment=${id}`)).status).toBe(403)
})
