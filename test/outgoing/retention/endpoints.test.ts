import { expect, test } from 'vitest'
import { startApi } from '../../support/api.ts'
import { ofFile } from '../../support/of-file.ts'
import { sweep } from '../../support/runs.ts'

const DETAILS_FROM = '2026-05-22T00:00:00.000Z'

const api = ofFile(() => startApi({ now: () => new Date('2026-06-25T12:00:00Z') }))
const owner = ofFile(() => api.member())

async function newSite(detailsFrom: string | null = DETAILS_FROM) {
  const site = await api.site(owner)
  await api.services.db`
    update sites set details_from = ${detailsFrom}, first_event_at = '2026-01-01' where id = ${site.id}`
  return site
}
const get = (site: { id: string }, path: string) =>
  api.call('GET', `/api/sites/${site.id}/${path}`, { token: owner.token })

const READS = [
  ...['overview?', 'stats/timeseries?metric=visitors&', 'stats/breakdown?dimension=path&'],
  ...['stats/goals?', 'stats/events?', 'stats/events/timeseries?'],
  ...['stats/events/property-breakdown?event_type=event&event_name=signup&', 'stats/page-titles?'],
  ...['stats/page-titles/timeseries?title=Home&', 'stats/filter-values?dimension=path&'],
  ...['stats/errors?', 'stats/money?', 'stats/money/movements?'],
  'stats/money/breakdown?dimension=channel&',
]

test('details: every read says in a header from when on there are some', async () => {
  const [site, whole] = [await newSite(), await newSite(null)]
  const headerOf = async (of: { id: string }, path: string) => {
    const { status, headers } = await get(of, path)
    return [status, headers.get('x-details-from')]
  }
  for (const path of READS) {
    for (const filter of sweep(['', '&country=DE'])) {
      const from = (day: string) => headerOf(site, `${path}from=${day}&to=2026-05-23${filter}`)
      expect(await from('2026-05-21'), path).toEqual([200, DETAILS_FROM])
      expect(await from('2026-05-22'), path).toEqual([200, null])
    }
    expect(await headerOf(whole, `${path}range=all`), path).toEqual([200, null])
  }
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

const deleteHistory = (site: { id: string }, query: string) =>
  api.call('DELETE', `/api/sites/${site.id}/history?${query}`, { token: owner.token })

test('retention: its change and the deletion of history are in the audit log', async () => {
  const site = await newSite()
  const [token, body] = [owner.token, { retention_months: 3 }]
  const patch = await api.call('PATCH', `/api/sites/${site.id}/retention`, { token, body })
  expect([patch.status, patch.body.retention_months]).toEqual([200, 3])
  expect((await deleteHistory(site, 'before=2026-05-22')).status).toBe(204)
  const entries = await api.services.db`
    select action, details from audit_log
    where object_id = ${site.id} and action <> 'site.create' order by at, action desc`
  expect(entries.map(({ action, details }) => ({ action, ...details }))).toMatchObject([
    { action: 'site.change', retention_months: 3 },
    { action: 'history.delete', before: '2026-05-22' },
  ])
})

test('history: a date that is none or too late is refused, and a site whose details are all there keeps its numbers', async () => {
  const [site, whole] = [await newSite(), await newSite(null)]
  for (const [of, query, problem] of [
    [site, '', 'must be one calendar date'],
    [site, 'before=2026-02-30', 'must be one calendar date'],
    [site, 'before=2026-05-23', 'must not be later than'],
    [whole, 'before=2026-02-01', 'No details'],
  ] as const) {
    const answer = await deleteHistory(of, query)
    expect(answer.status).toBe(422)
    expect(answer.body.errors.before[0]).toContain(problem)
  }
})
