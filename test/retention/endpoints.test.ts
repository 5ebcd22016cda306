import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { tasks } from '../../src/rollups/tasks.ts'
import { type Api, type Member, startApi } from '../support/api.ts'
import { inProcessPool } from '../support/in-process-pool.ts'

const DETAILS_FROM = '2026-05-22T00:00:00.000Z'

let api: Api
let owner: Member

beforeAll(async () => {
  const pool = {
    run: (task: string, input: unknown) =>
      inProcessPool(api.services.db).run(task as keyof typeof tasks, input),
    close: async () => {},
  }
  api = await startApi({ pool, now: () => new Date('2026-06-25T12:00:00Z') })
  api.services.config.limits.api = 0
  api.services.config.sitesPerTeam = 100
  owner = await api.member()
})
afterAll(() => api.close())

async function newSite(detailsFrom: string | null = DETAILS_FROM) {
  const made = await api.call('POST', '/api/sites', {
    token: owner.token,
    body: { domain: `${randomUUID()}.example` },
  })
  await api.services.db`
    update sites set details_from = ${detailsFrom}, first_event_at = '2026-01-01' where id = ${made.body.id}`
  return made.body as { id: string; timezone: string }
}
const get = (site: { id: string }, path: string) =>
  api.call('GET', `/api/sites/${site.id}/${path}`, { token: owner.token })

const READS = [
  'overview?',
  'stats/timeseries?metric=visitors&',
  'stats/breakdown?dimension=path&',
  'stats/goals?',
  'stats/events?',
  'stats/events/timeseries?',
  'stats/events/property-breakdown?event_type=event&event_name=signup&',
  'stats/page-titles?',
  'stats/page-titles/timeseries?title=Home&',
  'stats/filter-values?dimension=path&',
  'stats/errors?',
  'stats/money?',
  'stats/money/movements?',
  'stats/money/breakdown?dimension=channel&',
]

test.each(READS)('details: GET %s says in a header from when on there are some', async path => {
  const site = await newSite()
  for (const filter of ['', '&country=DE']) {
    const before = await get(site, `${path}from=2026-05-21&to=2026-05-23${filter}`)
    expect(before.status).toBe(200)
    expect(before.headers.get('x-details-from')).toBe(DETAILS_FROM)
    const after = await get(site, `${path}from=2026-05-22&to=2026-05-23${filter}`)
    expect(after.headers.has('x-details-from')).toBe(false)
  }
  const all = await get(await newSite(null), `${path}range=all`)
  expect(all.headers.has('x-details-from')).toBe(false)
})

test('details: a tRPC batch says it, too, with the latest time', async () => {
  const sites = [await newSite('2026-03-01T00:00:00Z'), await newSite(), await newSite(null)]
  const input = Object.fromEntries(sites.map(({ id }, index) => [index, { siteKey: id, range: 'all' }]))
  const path = `/trpc/${sites.map(() => 'stats.overview').join(',')}?batch=1&input=${encodeURIComponent(JSON.stringify(input))}`
  const answer = await api.call('GET', path, { token: owner.token })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-details-from')).toBe(DETAILS_FROM)
})

test('details: the site shows from when on there are some, and its time zone stays', async () => {
  const site = await newSite()
  const shown = await api.call('GET', `/api/sites/${site.id}`, { token: owner.token })
  expect(shown.body).toMatchObject({ details_from: DETAILS_FROM, retention_months: null })
  const change = (timezone: string) =>
    api.call('PATCH', `/api/sites/${site.id}/timezone`, { token: owner.token, body: { timezone } })
  const refused = await change('Europe/Berlin')
  expect(refused.status).toBe(422)
  expect(refused.body.errors.timezone[0]).toContain(DETAILS_FROM)
  expect((await change('UTC')).status).toBe(200)
})

test.each([
  ['member', 403],
  ['viewer', 403],
  ['admin', 200],
] as const)('retention: a %s gets %i', async (role, status) => {
  const member = await api.member({ role })
  const [site] = await api.services.db<{ id: string }[]>`
    insert into sites (team_id, domain) values (${member.teamId}, ${`${randomUUID()}.example`}) returning id`
  const patch = await api.call('PATCH', `/api/sites/${site!.id}/retention`, {
    token: member.token,
    body: { retention_months: 3 },
  })
  expect(patch.status).toBe(status)
  await api.services.db`update sites set details_from = ${DETAILS_FROM} where id = ${site!.id}`
  const path = `/api/sites/${site!.id}/history?before=2026-05-22`
  expect((await api.call('DELETE', path, { token: member.token })).status).toBe(status === 200 ? 204 : 403)
  const entries = await api.services.db`
    select action, details from audit_log where object_id = ${site!.id} order by at, action desc`
  expect(entries.map(({ action, details }) => ({ action, ...details }))).toMatchObject(
    status === 200
      ? [
          { action: 'site.change', retention_months: 3 },
          { action: 'history.delete', before: '2026-05-22' },
        ]
      : [],
  )
})

test.each([
  ['', 'must be one calendar date'],
  ['before=2026-02-30', 'must be one calendar date'],
  ['before=2026-05-23', 'must not be later than'],
])('history: DELETE with "%s" is refused', async (query, problem) => {
  const site = await newSite()
  const answer = await api.call('DELETE', `/api/sites/${site.id}/history?${query}`, { token: owner.token })
  expect(answer.status).toBe(422)
  expect(answer.body.errors.before[0]).toContain(problem)
})

test('history: a site whose details are all there keeps its numbers', async () => {
  const site = await newSite(null)
  const answer = await api.call('DELETE', `/api/sites/${site.id}/history?before=2026-02-01`, {
    token: owner.token,
  })
  expect(answer.status).toBe(422)
  expect(answer.body.errors.before[0]).toContain('No details')
})
