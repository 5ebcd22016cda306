import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { columnsOf, rowSchemaOf } from '../../../src/http/api/csv/columns.ts'
import { routes } from '../../../src/http/api/routes.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { BLOCK_ROWS, Download } from '../../../src/schema/download.ts'
import type { EventLogItem } from '../../../src/stats/event-log/event-item.ts'
import { EventLogQuery, getEventLog } from '../../../src/stats/reports/event-log.ts'
import { EMBEDDED_SLICES } from '../../../src/stats/sql/slices.ts'
import { type Api, type Member, startApi } from '../../support/api.ts'
import { enrichedHit } from '../../support/hits.ts'
import { inProcessPool } from '../../support/in-process-pool.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')
const DAY = 'from=2026-03-09&to=2026-03-09'
const AT = Date.parse('2026-03-09T10:00:00Z')
/** More than two blocks, in few quarters of an hour, many in the same millisecond. */
const HITS = 2 * BLOCK_ROWS + 345

let api: Api
let owner: Member
let site: { id: string; siteNo: number; key: string }

beforeAll(async () => {
  api = await startApi({ now: () => new Date(NOW) })
  api.services.rollups = inProcessPool(api.services.db)
  owner = await api.member()
  const { body } = await call('POST', '/api/sites', { body: { domain: 'list.example' } })
  const [row] = await api.services.db`select site_no from sites where id = ${body.id}`
  site = { id: body.id, siteNo: row!.site_no, key: '' }
  await store(Array.from({ length: HITS }, (_, index) => AT + Math.floor(index / 7) * 900))
})
afterAll(() => api.close())

const call = (method: string, path: string, options: object = {}) =>
  api.call(method, path, { token: owner.token, ...options })

const VISITOR = randomUUID()
let stored = 0
const store = (times: number[]) =>
  storeHits(
    api.services.db,
    0,
    times.map(at => {
      stored += 1
      const fields = { visitorId: VISITOR, url: `/page-${stored % 1_500}`, title: `=title,${stored}` }
      return enrichedHit(site, at, fields)
    }),
  )

async function file(path: string, headers: Record<string, string> = {}, token = owner.token) {
  const response = await fetch(`${api.url}${path}`, {
    headers: { Accept: 'text/csv', Authorization: `Bearer ${token}`, ...headers },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const linesOf = (text: string) => text.trimEnd().split('\r\n')

test('csv: every list of the API has columns of its own, with different names', () => {
  const lists = routes.filter(({ method, output }) => method === 'get' && rowSchemaOf(output))
  expect(lists.length).toBeGreaterThan(15)
  for (const { path, output } of lists) {
    const names = columnsOf(rowSchemaOf(output)!).map(({ name }) => name)
    expect(new Set(names).size, path).toBe(names.length)
  }
})

test('csv: a breakdown is a file with all of its values', async () => {
  const { status, headers, text } = await file(
    `/api/sites/list.example/stats/breakdown?${DAY}&dimension=path`,
  )
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(headers.get('content-disposition')).toBe('attachment; filename="list.example-stats-breakdown.csv"')
  const lines = linesOf(text)
  expect(lines[0]).toMatch(/^value,visitors,sessions,pageviews,/)
  expect(new Set(lines.slice(1).map(line => line.split(',')[0])).size).toBe(1_500)
  expect(lines.length).toBe(1_501)
})

test('csv: with a page, the file is that page, with the values of the JSON', async () => {
  const path = `/api/sites/list.example/stats/breakdown?${DAY}&dimension=path&page=2&per_page=10`
  const [{ text }, { body }] = [await file(path), await call('GET', path)]
  const [header, ...lines] = linesOf(text)
  expect(lines).toEqual(
    body.data.map((row: Record<string, unknown>) =>
      header!
        .split(',')
        .map(name => row[name] ?? '')
        .join(','),
    ),
  )
  expect(lines).toHaveLength(10)
})

test('csv: the event log has every hit once, in the order of its pages, with formulas disarmed', async () => {
  const { text } = await file(`/api/sites/list.example/stats/events?${DAY}`)
  const lines = linesOf(text)
  expect(lines.length).toBe(HITS + 1)
  const titles = lines.slice(1).map(line => /"'=title,(\d+)"/.exec(line)?.[1])
  expect(new Set(titles).size).toBe(HITS)
  const { body } = await call('GET', `/api/sites/list.example/stats/events?${DAY}&page=15&per_page=100`)
  expect(titles.slice(1_400, 1_500)).toEqual(body.data.map(({ title }: EventLogItem) => title.slice(7)))
})

test.each([
  ['a filter that all hits fit', '&browser[is_not]=none', HITS],
  ['a pattern', '&path[matches_pattern]=/page-1*', undefined],
  ['nothing that fits', '&browser=none', 0],
])('csv: the event log with %s', async (_, filter, count) => {
  const path = `/api/sites/list.example/stats/events?${DAY}${filter}`
  const { body } = await call('GET', path)
  expect(linesOf((await file(path)).text).length - 1).toBe(count ?? body.meta.total)
})

describe.each([
  ['a server', undefined],
  ['the embedded database', EMBEDDED_SLICES],
])('the log while hits arrive, on %s', (_, slices) => {
  test('csv: no hit of the start is lost or there twice, whatever arrives', async () => {
    const services = { ...api.services, grant: null, slices }
    const context = { siteNo: site.siteNo, teamId: owner.teamId, timezone: 'UTC', currency: 'USD' }
    const query = EventLogQuery.parse({ from: '2026-03-09', to: '2026-03-09' })
    const log = (download: Download) =>
      download.next(async () => {
        const { rows, total } = await getEventLog(services, { ...context, firstEventAt: null }, query)
        download.take(rows, total)
      }) as Promise<EventLogItem[]>
    const titlesOf = async (onBlock: () => Promise<unknown>) => {
      const download = new Download({ startedAt: new Date(NOW), isWhole: true })
      const titles: string[] = []
      do {
        titles.push(...(await log(download)).map(({ title }) => title))
        await onBlock()
      } while (!download.isComplete)
      return titles
    }
    const before = await titlesOf(async () => {})
    const during = await titlesOf(() => store([AT - 1, AT, AT + 60_000, AT + 250_000, AT + 7_200_000]))
    expect(new Set(during).size).toBe(during.length)
    expect(before.filter(title => !during.includes(title))).toEqual([])
    const after = new Set(await titlesOf(async () => {}))
    expect(during.filter(title => !after.has(title))).toEqual([])
  })
})

test('csv: a download is charged once, whatever its length', async () => {
  api.services.config.limits.api = 3
  const { token } = await api.token(owner, {}).then(token => ({ token }))
  const path = `/api/sites/list.example/stats/events?${DAY}`
  for (const left of ['2', '1', '0']) {
    const { status, headers } = await file(path, {}, token)
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, left])
  }
  expect((await file(path, {}, token)).status).toBe(429)
  api.services.config.limits.api = 0
})

test('csv: what is refused is refused in JSON', async () => {
  const { status, headers, text } = await file(
    `/api/sites/list.example/stats/breakdown?${DAY}&dimension=mood`,
  )
  expect([status, headers.get('content-type')]).toEqual([422, 'application/json; charset=utf-8'])
  expect(JSON.parse(text).errors).toHaveProperty('dimension')
  expect((await file('/api/sites/unknown.example/goals')).status).toBe(404)
  expect((await file('/api/sites/list.example/goals?page=0')).status).toBe(422)
})

test.each([
  ['text/csv', 'text/csv'],
  ['text/*', 'text/csv'],
  ['text/csv, */*;q=0.1', 'text/csv'],
  ['*/*', 'application/json'],
  ['text/html,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
  ['application/json, text/csv;q=0.5', 'application/json'],
  ['image/png', 'application/json'],
  ['nonsense', 'application/json'],
  ['text/csv;q=0', 'application/json'],
])('csv: Accept: %s is answered as %s', async (accept, type) => {
  const { status, headers } = await file('/api/sites', { Accept: accept })
  expect([status, headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`])
})

test('csv: what is no list stays JSON', async () => {
  const { headers } = await file('/api/sites/list.example')
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
})

test.each([
  ['/api/sites', 'sites.csv', /^id,domain,/],
  ['/api/sites/list.example/goals', 'list.example-goals.csv', /^id,display_name,/],
  ['/api/sites/list.example/payments', 'list.example-payments.csv', /^transaction_id,/],
  ['/api/audit-log', 'audit-log.csv', /^at,action,/],
  ['/api/tokens', 'tokens.csv', /^id,/],
  ['/api/currencies', 'currencies.csv', /./],
])('csv: %s is the file %s', async (path, name, header) => {
  const { status, headers, text } = await file(path)
  expect(status).toBe(200)
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
  expect(text).toMatch(header)
})

describe('readers', () => {
  const share = async (may_export: boolean) => {
    const body = { name: 'a', sections: ['pages', 'events'], may_export }
    return (await call('POST', '/api/sites/list.example/shares', { body })).body.secret as string
  }
  const path = `/api/sites/list.example/stats/page-titles?${DAY}`

  test('csv: a share that may be exported gives files of its sections', async () => {
    const secret = await share(true)
    expect((await file(path, {}, secret)).status).toBe(200)
    expect((await file('/api/sites/list.example/goals', {}, secret)).status).toBe(403)
  })

  test.each(['', '&page=1'])('csv: a share that may not be exported gives none%s', async page => {
    const secret = await share(false)
    const { status, text } = await file(path + page, {}, secret)
    expect([status, JSON.parse(text).code]).toEqual([403, 'forbidden'])
    expect((await file(path, { Accept: 'application/json' }, secret)).status).toBe(200)
  })

  test('csv: a public site gives none to those who are no users', async () => {
    await call('PATCH', '/api/sites/list.example/sharing', { body: { is_public: true } })
    const ask = (accept: string) => fetch(api.url + path, { headers: { Accept: accept } })
    expect([(await ask('text/csv')).status, (await ask('application/json')).status]).toEqual([403, 200])
    await call('PATCH', '/api/sites/list.example/sharing', { body: { is_public: false } })
  })
})
