// @module-tag full
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { Role, Scope } from '../../../../src/access/teams/caller.ts'
import { leasesOf } from '../../../../src/http/api/export-places.ts'
import { ROW_KINDS } from '../../../../src/outgoing/transfer/export/schema.ts'
import { createLease } from '../../../../src/platform/redis/lease.ts'
import { ADA, DAY, dayOfHits, hit, startStats, THAT_DAY } from '../../../contract/stats-site.ts'
import { READS } from '../../../stats/sharing/reads.ts'
import { ofFile } from '../../../support/of-file.ts'
import { answersOf } from '../archive/answers.ts'
import { imported } from './support.ts'

const NOW = '2026-03-18T12:00:00Z'

const stats = ofFile(() => startStats(NOW))
const site = ofFile(() => stats.site('Europe/Berlin'))
beforeAll(async () => {
  const vitals = { id: randomUUID(), lcp: 900, inp: 120, cls: 310, lcpTarget: '#hero' }
  await stats.store([
    ...dayOfHits(site),
    hit(site, `${DAY}T09:01:40Z`, { type: 'web_vitals', visitorId: ADA, url: '/pricing', vitals }),
    hit(site, `${DAY}T22:59:59.999Z`, { url: '/late', title: '\n=1+1 "quoted"' }),
    hit(site, `${DAY}T23:00:00Z`, { url: '/next-day' }),
  ])
})

/** @param token without one if it is empty */
async function download(path: string, token = stats.owner.token, method = 'GET') {
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {}
  const response = await fetch(`${stats.api.url}${path}`, { method, headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const tokenOf = async (role: Role, scopes?: Scope[]) =>
  (await stats.api.member({ teamId: stats.owner.teamId, role, ...(scopes && { scopes }) })).token

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

/** Fields that name something of one site, or carry its address. */
const OWN = new Set(['session_id', 'next_cursor', 'error_id', 'links', 'avatar_url', 'created_at', 'id'])

test('export over the API: every read gives the same of a site that an export was imported into, also after retention', async () => {
  const { db } = stats.api.services
  const [old, copy] = [await stats.site(), await stats.site()]
  await stats.store(dayOfHits(old))
  await db`update sites set details_from = ${`${DAY}T00:00:00Z`} where site_no = ${old.siteNo}`
  const { text } = await download(`${old.path}/export`)
  expect(linesOf(text).filter(({ timestamp }) => timestamp < DAY)).toEqual([])
  expect(await imported(db, copy, text)).toMatchObject({ dropped: 0, rejected_total: 0 })
  const answers = []
  for (const of of [old, copy]) {
    await stats.goal(of, { match_type: 'scroll', match_value: '/pricing', scroll_threshold: 50 })
    const options = { own: OWN, order: (list: unknown[]) => list }
    answers.push(await answersOf(stats, of, READS, { person: ADA, range: THAT_DAY }, options))
  }
  expect(answers[1]).toEqual(answers[0])
  const { data } = await stats.read(copy, `/stats/sessions?visitor_id=${ADA}&from=${DAY}&to=${DAY}`)
  expect(data[0].visit_count).toBe(2)
})

test('export over the API: days are those of the zone of the site; what is received later is not in it', async () => {
  await stats.store([hit(site, '2026-03-18T12:00:00Z', { url: '/now' })])
  const pathsOf = async (query: string) =>
    linesOf((await download(`${site.path}/export?${query}`)).text)
      .filter(({ endpoint }) => endpoint === 'collect')
      .map(({ body }) => body.url.path)
  const paths = ['/home?a=1', '/pricing', '/home?a=1', '/home?a=1', '/late']
  expect(await pathsOf(`from=${DAY}&to=${DAY}`)).toEqual(paths)
  expect(await pathsOf('from=2026-03-11&to=2026-03-20')).toEqual(['/next-day'])
})

test('export over the API: CSV has one line a hit, with quotes and harmless formulas', async () => {
  const { text, headers } = await download(`${site.path}/export?format=csv&from=${DAY}&to=${DAY}`)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('content-disposition')).toMatch(
    /^attachment; filename="[\w.-]+-hits-2026-03-10-2026-03-10.csv"$/,
  )
  const lines = text.split('\r\n')
  expect(lines[0]).toMatch(/^timestamp,id,type,event_name,visitor_id,hostname,path,url,title,properties,/)
  // Web vitals and identities are no hits.
  expect(lines).toHaveLength(1 + 12 + 1)
  expect(lines.at(-2)).toContain(`,/late,/late,"'\n=1+1 ""quoted""",`)
  expect(lines[1]).toContain(',"{""plan"": ""pro""}",')
})

test('export over the API: is for owners and admins with the scope to read', async () => {
  const tokens = [
    stats.owner.token,
    ...(await Promise.all([tokenOf('admin'), tokenOf('member'), tokenOf('viewer')])),
    await tokenOf('owner', ['write']),
    '',
  ]
  for (const path of [`${site.path}/export`, `${site.path}/export/payments`]) {
    const statuses: number[] = []
    for (const token of tokens) statuses.push((await download(path, token)).status)
    expect(statuses).toEqual([200, 200, 403, 403, 403, 401])
  }
  expect((await download('/api/sites/unknown.example/export')).status).toBe(404)
})

test('export over the API: is noted in the audit log', async () => {
  const other = await stats.site()
  await download(`${other.path}/export?from=${DAY}&to=${DAY}&format=csv`)
  await download(`${other.path}/export/goals`)
  await download(`${other.path}/export?format=xml`)
  const { data } = await stats.ask('/api/audit-log?action=site.export&per_page=2').then(({ json }) => json)
  const objects = { object_type: 'site', object_id: other.id }
  expect(data).toMatchObject([
    { details: { kind: 'goals' }, ...objects },
    { details: { format: 'csv', from: DAY, to: DAY }, ...objects },
  ])
})

test('export over the API: what is asked for wrongly is 422; HEAD has no body; unknown parameters are named', async () => {
  for (const [query, field] of [
    ['from=2026-03-01', 'to'],
    ['to=2026-03-01', 'from'],
    ['from=2026-03-02&to=2026-03-01', 'from'],
    ['from=2026-02-30&to=2026-03-01', 'from'],
    ['format=xml', 'format'],
    ['format=csv&format=csv', 'format'],
  ] as const) {
    const { status, text } = await download(`${site.path}/export?${query}`)
    expect([status, Object.keys(JSON.parse(text).errors ?? {})], query).toEqual([422, [field]])
  }
  expect((await download(`${site.path}/export/secrets`)).status).toBe(422)
  const head = await download(`${site.path}/export?nonsense=1`, stats.owner.token, 'HEAD')
  expect([head.status, head.text, head.headers.get('x-ignored-parameters')]).toEqual([200, '', 'nonsense'])
})

test('export over the API: one at a time of a site and of a login, whatever its team, on all hosts', async () => {
  const { redis, db } = stats.api.services
  const email = `${randomUUID()}@example.com`
  const [login] = await db<{ id: string }[]>`insert into logins (email) values (${email}) returning id`
  await db`update users set login_id = ${login!.id} where id = ${stats.owner.userId}`
  const names = leasesOf({ siteId: site.id, personId: login!.id })
  for (const [name, message] of [
    [names.site, /Another export of the site is running/],
    [names.person, /You have another export running/],
  ] as const) {
    const lease = createLease(redis, name)
    await lease.hold()
    const { status, text, headers } = await download(`${site.path}/export/goals`)
    expect([status, headers.get('retry-after')]).toEqual([503, '30'])
    expect(JSON.parse(text).message).toMatch(message)
    await lease.release()
    expect((await download(`${site.path}/export/goals`)).status).toBe(200)
  }
})

test('export over the API: personal segments are those of the caller alone', async () => {
  const own = await stats.site()
  const other = await tokenOf('admin')
  for (const [name, visibility, token] of [
    ['Of the site', 'site', other],
    ['Of the owner', 'personal', stats.owner.token],
    ['Of the admin', 'personal', other],
  ] as const) {
    const body = { name, visibility, filters: { path: '/' } }
    const { status } = await stats.api.call('POST', `${own.path}/segments`, { token, body })
    expect(status).toBe(201)
  }
  const namesFor = async (token: string) =>
    linesOf((await download(`${own.path}/export/segments`, token)).text)
      .map(({ name }) => name)
      .sort()
  expect(await namesFor(stats.owner.token)).toEqual(['Of the owner', 'Of the site'])
  expect(await namesFor(other)).toEqual(['Of the admin', 'Of the site'])
})

test('export over the API: of settings, definitions and money has every stored field, and no secret', async () => {
  const { db } = stats.api.services
  const own = await stats.site()
  const token = stats.owner.token
  const post = async (path: string, body: object) => {
    const answer = await stats.api.call('POST', `${own.path}${path}`, { token, body })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  }
  await stats.api.call('PUT', `${own.path}/identify-secret`, { token })
  await stats.goal(own, { match_type: 'page', match_value: '/thanks' })
  const home = { type: 'pageview', operator: 'is', value: '/' }
  await post('/funnels', { name: 'Buy', steps: [home, { type: 'event', value: 'signup' }] })
  await post('/segments', { name: 'Home', filters: { path: '/' } })
  await post('/annotations', { text: 'Launch', starts_at: DAY })
  await stats.store([hit(own, `${DAY}T09:00:00Z`, { visitorId: ADA })])
  const payment = { transaction_id: 't1', amount: 999, currency: 'USD', visitor_id: ADA }
  await post('/payments', { ...payment, timestamp: `${DAY}T09:05:00Z` })
  await db`
    insert into mrr_movements (site_no, at, subscription_id, kind, currency, amount_minor)
    values (${own.siteNo}, ${`${DAY}T09:05:00Z`}, 's1', 'start', 'USD', 900)`
  const rows = new Map<string, Record<string, unknown>[]>()
  for (const kind of ROW_KINDS) {
    const { status, text } = await download(`${own.path}/export/${kind}`)
    expect([kind, status]).toEqual([kind, 200])
    rows.set(kind, text === '' ? [] : linesOf(text))
  }
  expect(Object.keys(rows.get('settings')![0]!)).not.toContain('identify_secret')
  const found = { attributed_visitor_id: ADA, attributed_session_at: '2026-03-10T09:00:00+00:00' }
  const paid = { transaction_id: 't1', amount_minor: 999, aliases: [], is_first_of_customer: true }
  expect(Object.fromEntries(rows)).toMatchObject({
    settings: [{ id: own.id, timezone: 'UTC', tracking_key: own.key }],
    goals: [{ type: 'page', match_value: '/thanks' }],
    funnels: [{ name: 'Buy', steps: [{}, {}] }],
    segments: [{ name: 'Home', filters: { path: expect.anything() } }],
    annotations: [{ text: 'Launch', starts_on: DAY }],
    payments: [{ ...paid, ...found }],
    movements: [{ kind: 'start', amount_minor: 900, attributed_visitor_id: null }],
    'service-events': [{ name: 'payment', attributed_visitor_id: ADA }],
  })
})
