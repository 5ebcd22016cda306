import { expect, test } from 'vitest'
import { type StatsSite, useStats } from '../../contract/stats-site.ts'
import { shareInBrowser } from '../../support/shares.ts'

let site: StatsSite
let other: StatsSite
const stats = useStats(async () => {
  ;[site, other] = [await stats.site('Europe/Berlin'), await stats.site()]
}, '2026-03-10T12:00:00Z')

const call = (method: string, path: string, options: object = {}) =>
  stats.api.call(method, path, { token: stats.owner.token, ...options })

const note = async (text: string, starts_at: string, ends_at?: string) => {
  const made = await call('POST', `${site.path}/annotations`, { body: { text, starts_at, ends_at } })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body
}
const textsOf = async (query: string) =>
  (await call('GET', `${site.path}/annotations?${query}`)).body.data.map(({ text }: { text: string }) => text)

test('annotations: one is made, changed and deleted, and the audit log has it', async () => {
  const made = await note('New\npricing', '2026-03-09T10:00:00+01:00')
  const times = { starts_at: '2026-03-09T09:00:00.000Z', ends_at: null }
  expect(made).toMatchObject({ text: 'New\npricing', ...times, author: expect.stringContaining('@') })
  const path = `${site.path}/annotations/${made.id}`
  const changed = await call('PATCH', path, { body: { ends_at: '2026-03-09T12:00:00Z' } })
  expect(changed.body).toMatchObject({ text: 'New\npricing', ends_at: '2026-03-09T12:00:00.000Z' })
  const ofDays = await call('PATCH', path, { body: { starts_at: '2026-03-01', ends_at: '2026-03-01' } })
  expect(ofDays.body).toMatchObject({ starts_at: '2026-03-01', ends_at: '2026-03-01' })
  expect((await call('PATCH', path, { body: { ends_at: null } })).body.ends_at).toBeNull()
  expect((await call('DELETE', path)).status).toBe(204)
  expect((await call('DELETE', path)).status).toBe(404)
  expect((await call('PATCH', path, { body: {} })).status).toBe(404)
  const { body } = await call('GET', '/api/audit-log')
  const actions = body.data.filter(({ object_id }: { object_id: string }) => object_id === made.id)
  expect(actions.map(({ action }: { action: string }) => action)).toEqual([
    'annotation.delete',
    ...Array(3).fill('annotation.change'),
    'annotation.create',
  ])
})

test('annotations: a range has what touches it, the newest first, days by the zone of the site', async () => {
  await note('day', '2026-03-05')
  await note('days', '2026-03-03', '2026-03-05')
  // 00:30 of 6 March in Berlin.
  await note('instant', '2026-03-05T23:30:00Z')
  await note('span', '2026-03-06T10:00:00Z', '2026-03-08T10:00:00Z')
  for (const [query, texts] of [
    ['', ['span', 'instant', 'day', 'days']],
    ['from=2026-03-05&to=2026-03-05', ['day', 'days']],
    ['from=2026-03-06&to=2026-03-06', ['span', 'instant']],
    ['from=2026-03-07&to=2026-03-07', ['span']],
    ['from=2026-03-04&to=2026-03-04', ['days']],
    ['from=2026-03-01&to=2026-03-02', []],
    ['range=last_7_days', ['span', 'instant', 'day', 'days']],
    ['per_page=2&page=2', ['day', 'days']],
  ] as const) {
    expect(await textsOf(query), query).toEqual(texts)
  }
  await call('PATCH', `${site.path}/timezone`, { body: { timezone: 'UTC' } })
  expect(await textsOf('from=2026-03-05&to=2026-03-05')).toEqual(['instant', 'day', 'days'])
})

test.each([
  ['no text', { text: ' ' }, 'text'],
  ['a long text', { text: 'a'.repeat(1_001) }, 'text'],
  ['no start', { starts_at: undefined }, 'starts_at'],
  ['a month', { starts_at: '2026-03' }, 'starts_at'],
  ['no such day', { starts_at: '2026-02-30' }, 'starts_at'],
  ['a time without offset', { starts_at: '2026-03-09T10:00:00' }, 'starts_at'],
  ['a time before 1970', { starts_at: '1969-12-31T00:00:00Z' }, 'starts_at'],
  ['a number', { starts_at: 1 }, 'starts_at'],
  ['an end before the start', { ends_at: '2026-03-08' }, 'ends_at'],
  ['an end of another form', { ends_at: '2026-03-10T00:00:00Z' }, 'ends_at'],
])('annotations: %s', async (_, fields, field) => {
  const body = { text: 'a', starts_at: '2026-03-09', ...fields }
  const answer = await call('POST', `${site.path}/annotations`, { body })
  expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]])
})

test('annotations: an end that does not fit the start that stays', async () => {
  const { id } = await note('a', '2026-03-09', '2026-03-10')
  for (const starts_at of ['2026-03-11', '2026-03-01T00:00:00Z']) {
    const answer = await call('PATCH', `${site.path}/annotations/${id}`, { body: { starts_at } })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['ends_at']])
  }
})

test('annotations: a list with a wrong range or page', async () => {
  for (const query of ['range=ever', 'from=2026-03-01', 'page=0', 'per_page=101'])
    expect((await call('GET', `${site.path}/annotations?${query}`)).status, query).toBe(422)
})

test('annotations: more than 10,000 of a site', async () => {
  await stats.api.services.db`
    insert into annotations (site_no, text, starts_on, created_at, changed_at)
    select ${other.siteNo}, 'many', '2020-01-01', now(), now() from generate_series(1, 10000)`
  const body = { text: 'a', starts_at: '2026-03-09' }
  expect((await call('POST', `${other.path}/annotations`, { body })).status).toBe(403)
})

test('annotations: shares with the section traffic read them without their authors', async () => {
  const { path } = await stats.site()
  await call('POST', `${path}/annotations`, { body: { text: 'day', starts_at: '2026-03-05' } })
  const share = async (section: string) =>
    (await shareInBrowser(stats.api, stats.owner, path, { name: 'a', sections: [section] })).body.secret
  const read = async (token: string | undefined) => stats.api.call('GET', `${path}/annotations`, { token })
  const { body } = await read(await share('traffic'))
  expect(new Set(body.data.map(({ author }: { author: unknown }) => author))).toEqual(new Set([null]))
  expect((await read(await share('goals'))).status).toBe(403)
  await call('PATCH', `${path}/sharing`, { body: { is_public: true } })
  expect((await read(undefined)).body.data[0].author).toBeNull()
})
