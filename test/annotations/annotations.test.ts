import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, type Member, startApi } from '../support/api.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')
const SITE = '/api/sites/note.example'

let api: Api
let owner: Member

beforeAll(async () => {
  api = await startApi({ now: () => new Date(NOW) })
  owner = await api.member()
  const body = { domain: 'note.example', timezone: 'Europe/Berlin' }
  expect((await call('POST', '/api/sites', { body })).status).toBe(201)
})
afterAll(() => api.close())

const call = (method: string, path: string, options: object = {}) =>
  api.call(method, path, { token: owner.token, ...options })

const note = async (text: string, starts_at: string, ends_at?: string) => {
  const made = await call('POST', `${SITE}/annotations`, { body: { text, starts_at, ends_at } })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body
}
const textsOf = async (query: string) =>
  (await call('GET', `${SITE}/annotations?${query}`)).body.data.map(({ text }: { text: string }) => text)

test('annotations: one is made, changed and deleted, and the audit log has it', async () => {
  const made = await note('New\npricing', '2026-03-09T10:00:00+01:00')
  expect(made).toMatchObject({
    text: 'New\npricing',
    starts_at: '2026-03-09T09:00:00.000Z',
    ends_at: null,
    author: expect.stringContaining('@'),
  })
  const path = `${SITE}/annotations/${made.id}`
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
  expect(await textsOf('')).toEqual(['span', 'instant', 'day', 'days'])
  expect(await textsOf('from=2026-03-05&to=2026-03-05')).toEqual(['day', 'days'])
  expect(await textsOf('from=2026-03-06&to=2026-03-06')).toEqual(['span', 'instant'])
  expect(await textsOf('from=2026-03-07&to=2026-03-07')).toEqual(['span'])
  expect(await textsOf('from=2026-03-04&to=2026-03-04')).toEqual(['days'])
  expect(await textsOf('from=2026-03-01&to=2026-03-02')).toEqual([])
  expect(await textsOf('range=last_7_days')).toEqual(['span', 'instant', 'day', 'days'])
  expect(await textsOf('per_page=2&page=2')).toEqual(['day', 'days'])
  await call('PATCH', `${SITE}/timezone`, { body: { timezone: 'UTC' } })
  expect(await textsOf('from=2026-03-05&to=2026-03-05')).toEqual(['instant', 'day', 'days'])
})

describe('what is refused', () => {
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
    const answer = await call('POST', `${SITE}/annotations`, { body })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]])
  })

  test.each([['2026-03-11'], ['2026-03-01T00:00:00Z']])(
    'annotations: an end that does not fit the start that stays: %s',
    async starts_at => {
      const { id } = await note('a', '2026-03-09', '2026-03-10')
      const answer = await call('PATCH', `${SITE}/annotations/${id}`, { body: { starts_at } })
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['ends_at']])
    },
  )

  test.each(['range=ever', 'from=2026-03-01', 'page=0', 'per_page=101', 'from=2026-03-02&to=2026-03-01'])(
    'annotations: a list with %s',
    async query => expect((await call('GET', `${SITE}/annotations?${query}`)).status).toBe(422),
  )

  test('annotations: one of another site', async () => {
    const { id } = await note('a', '2026-03-09')
    await call('POST', '/api/sites', { body: { domain: 'else.example' } })
    expect((await call('DELETE', `/api/sites/else.example/annotations/${id}`)).status).toBe(404)
  })

  test('annotations: more than 10,000 of a site', async () => {
    const { db } = api.services
    await db`insert into annotations (site_no, text, starts_on, created_at, changed_at)
      select site_no, 'many', '2020-01-01', now(), now() from sites, generate_series(1, 10000)
      where domain = 'else.example'`
    const body = { text: 'a', starts_at: '2026-03-09' }
    expect((await call('POST', '/api/sites/else.example/annotations', { body })).status).toBe(403)
  })
})

test('annotations: shares with the section traffic read them without their authors', async () => {
  const share = async (section: string) =>
    (await call('POST', `${SITE}/shares`, { body: { name: 'a', sections: [section] } })).body.secret
  const read = async (token: string | undefined) => api.call('GET', `${SITE}/annotations`, { token })
  const { body } = await read(await share('traffic'))
  expect(new Set(body.data.map(({ author }: { author: unknown }) => author))).toEqual(new Set([null]))
  expect((await read(await share('goals'))).status).toBe(403)
  expect((await read(undefined)).status).toBe(401)
  await call('PATCH', `${SITE}/sharing`, { body: { is_public: true } })
  expect((await read(undefined)).body.data[0].author).toBeNull()
})

test('annotations: they are a file, too', async () => {
  const headers = { Accept: 'text/csv', Authorization: `Bearer ${owner.token}` }
  const text = await (await fetch(`${api.url}${SITE}/annotations`, { headers })).text()
  expect(text).toMatch(/^id,text,starts_at,ends_at,author,created_at,changed_at\r\n/)
})
