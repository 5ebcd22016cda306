import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { findSiteByKey } from '../../../src/access/sites/find-site.ts'
import type { Member } from '../../support/api.ts'
import { ofFile } from '../../support/of-file.ts'
import { hearSiteChanges } from '../../support/site-changes.ts'
import { useApi } from '../teams/use-api.ts'

const api = useApi(() => ({ config: { sitesPerTeam: 5, baseUrl: 'https://stats.example' } }))
const owner = ofFile(() => api.member())

const create = (member: Member, body: unknown) =>
  api.call('POST', '/api/sites', { token: member.token, body })

test('sites, creation: the answer is the whole site, and Location is its address', async () => {
  const made = await create(owner, { domain: ' HTTPS://Example.com/ ', timezone: 'europe/berlin' })
  expect(made.status).toBe(201)
  expect(made.headers.get('location')).toBe(`/api/sites/${made.body.id}`)
  expect(made.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    domain: 'example.com',
    favicon_url: 'https://stats.example/favicons/example.com',
    timezone: 'Europe/Berlin',
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
    has_processor: false,
    details_from: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  })
})

test('sites, creation: a domain that the team has already is refused in every spelling; another team can use it', async () => {
  const [one, other] = [await api.member(), await api.member()]
  expect((await create(one, { domain: 'taken.com' })).status).toBe(201)
  const again = await create(one, { domain: 'http://TAKEN.com./x' })
  expect(again.status).toBe(422)
  expect(again.body).toMatchObject({
    message: 'The team already has a site for that domain',
    code: 'validation_failed',
    errors: { domain: ['The team already has a site for that domain'] },
  })
  expect((await create(other, { domain: 'taken.com' })).status).toBe(201)
})

test('sites, creation: twenty concurrent requests create one site of a domain, and no more than the team may have', async () => {
  const member = await api.member()
  const race = async (domainOf: (index: number) => string) => {
    const asked = Array.from({ length: 20 }, (_, index) => create(member, { domain: domainOf(index) }))
    return (await Promise.all(asked)).map(({ status }) => status).sort()
  }
  expect(await race(() => 'race.com')).toEqual([201, ...Array(19).fill(422)])
  expect(await race(i => `site${i}.com`)).toEqual([...Array(4).fill(201), ...Array(16).fill(403)])
  const list = await api.call('GET', '/api/sites', { token: member.token })
  expect(list.body).toHaveLength(5)
  await api.call('DELETE', `/api/sites/${list.body[0].id}`, { token: member.token })
  const { status, body } = await create(member, { domain: 'room-again.com' })
  expect([status, body.timezone]).toEqual([201, 'UTC'])
})

test('sites, creation: a request is checked in this order: token, right to create, body', async () => {
  const trial = (after: number) => api.member({ plan: 'trial', trialEndsAt: new Date(Date.now() + after) })
  expect((await api.call('POST', '/api/sites', { body: '{' })).status).toBe(401)
  expect((await create(await trial(-1_000), { domain: '' })).status).toBe(403)
  expect((await create(await trial(60_000), { domain: '' })).status).toBe(422)
})

test('sites, creation: what is no domain, time zone or object is refused', async () => {
  const host = 'must be a host name, such as example.com'
  const zone = 'must be an IANA time zone, such as Europe/Berlin'
  for (const [body, field, problem] of [
    [{}, 'domain', 'is required'],
    [{ domain: null }, 'domain', 'must be a string'],
    [{ domain: 5 }, 'domain', 'must be a string'],
    [{ domain: 'not a domain' }, 'domain', host],
    [{ domain: `${'a'.repeat(63)}.`.repeat(4) }, 'domain', 'must be at most 255 characters'],
    [{ domain: 'a.com', timezone: 'FOO+3' }, 'timezone', zone],
    [{ domain: 'a.com', timezone: '' }, 'timezone', zone],
    [{ domain: 'a.com', timezone: 1 }, 'timezone', 'must be a string'],
    [[], 'body', 'The body must be a JSON object'],
    ['"text"', 'body', 'The body must be a JSON object'],
    ['null', 'body', 'The body must be a JSON object'],
  ] as const) {
    const { status, body: answer } = await create(owner, body)
    expect([body, status, answer.code]).toEqual([body, 422, 'validation_failed'])
    expect(answer.errors[field]).toContain(problem)
  }
})

test('sites, access: a site is found by its id and by its domain in any spelling', async () => {
  const member = await api.member()
  const { body: site } = await create(member, { domain: 'bücher.example:8080' })
  const spelled = ['BÜCHER.example%3A8080', 'b%C3%BCcher.example:8080']
  for (const key of [site.id, site.id.toUpperCase(), site.domain, ...spelled]) {
    const answer = await api.call('GET', `/api/sites/${key}`, { token: member.token })
    expect(answer.body, key).toEqual(site)
  }
})

test('sites, access: an unknown site, a site of another team and a site outside of the token give the same 404', async () => {
  const member = await api.member()
  const [a, b] = [await create(member, { domain: 'a.com' }), await create(member, { domain: 'b.com' })]
  const limited = await api.token(member, { siteIds: [a.body.id] })
  const stranger = await api.member()
  for (const [token, key] of [
    [member.token, randomUUID()],
    [member.token, 'unknown.com'],
    [member.token, 'not a domain'],
    [member.token, 'a%00b'],
    [stranger.token, a.body.id],
    [stranger.token, 'a.com'],
    [limited, b.body.id],
    [limited, 'b.com'],
  ] as const) {
    const answer = await api.call('GET', `/api/sites/${key}`, { token })
    expect(answer.status).toBe(404)
    expect({ ...answer.body, request_id: '' }).toEqual({
      message: 'No such site',
      code: 'not_found',
      request_id: '',
    })
  }
  expect((await api.call('GET', '/api/sites/a.com', { token: limited })).status).toBe(200)
  expect((await api.call('GET', '/api/sites', { token: limited })).body).toMatchObject([{ domain: 'a.com' }])
})

test('sites, deletion: a deleted site is unavailable at once, and its domain is free; workers are told of both', async () => {
  const { services } = api
  const heard = await hearSiteChanges(services)
  const member = await api.member({ role: 'admin' })
  const ask = (method: string, path: string) => api.call(method, path, { token: member.token })
  const { body: site } = await create(member, { domain: 'gone.com' })
  expect(await findSiteByKey(services.db, site.tracking_key)).toMatchObject({ siteId: site.id })
  expect(await ask('DELETE', '/api/sites/gone.com')).toMatchObject({ status: 204, body: undefined })
  await expect.poll(() => heard).toEqual([site.tracking_key, site.tracking_key])
  expect((await ask('GET', `/api/sites/${site.id}`)).status).toBe(404)
  expect((await ask('DELETE', '/api/sites/gone.com')).status).toBe(404)
  expect((await ask('GET', '/api/sites')).body).toEqual([])
  expect(await findSiteByKey(services.db, site.tracking_key)).toBeUndefined()
  expect((await create(member, { domain: 'gone.com' })).status).toBe(201)
})

test('list of sites: a query with an unknown sort, a long or a second search is refused', async () => {
  for (const query of ['sort=visitors', 'sort=', `search=${'x'.repeat(256)}`, 'search=a&search=b'])
    expect((await api.call('GET', `/api/sites?${query}`, { token: owner.token })).status).toBe(422)
})
