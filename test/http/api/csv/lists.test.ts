import { beforeAll, describe, expect, test } from 'vitest'
import { AuditLogQuery, listAuditEntries } from '../../../../src/access/audit/list-entries.ts'
import { columnsOf, rowSchemaOf } from '../../../../src/http/api/csv/columns.ts'
import { routes } from '../../../../src/http/api/routes.ts'
import { storeHits } from '../../../../src/ingestion/store/store.ts'
import { listPayments } from '../../../../src/money/site-payments.ts'
import { BLOCK_ROWS, Download } from '../../../../src/platform/schema/download.ts'
import { getPeople, PeopleQuery } from '../../../../src/stats/people/list-people.ts'
import { EventLogQuery, getEventLog } from '../../../../src/stats/reads/event-log.ts'
import { getSessions, SessionsQuery } from '../../../../src/stats/sessions/list-sessions.ts'
import { startApi } from '../../../support/api.ts'
import { enrichedHit } from '../../../support/hits.ts'
import { ofFile } from '../../../support/of-file.ts'
import { sweep } from '../../../support/runs.ts'
import { shareInBrowser } from '../../../support/shares.ts'

// Lists are longer than a block: sessions, people, events, payments and the audit log. Many rows of each have the same time.

const NOW = Date.parse('2026-03-10T12:00:00Z')
const DAY = 'from=2026-03-09&to=2026-03-09'
const AT = Date.parse('2026-03-09T10:00:00Z')
const ROWS = 2 * BLOCK_ROWS + 345
/** How many rows of each list there are. */
let stored = ROWS

const api = ofFile(() => startApi({ now: () => new Date(NOW) }))
const owner = ofFile(() => api.member())
const site = ofFile(() => api.site(owner, { domain: 'list.example' }))
const path = (list: string) => `/api/sites/list.example/${list}`

beforeAll(async () => {
  await visit(0, ROWS)
  await pay(0, ROWS)
  await log(0, ROWS)
})

const timeOf = (index: number) => AT + Math.floor((index * 7919) % ROWS) * 3

/** Sessions of one visitor and user each. */
async function visit(from: number, to: number) {
  const visitorOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  const hits = Array.from({ length: to - from }, (_, number) => {
    const index = from + number
    const at = AT + Math.floor(((index * 7919) % ROWS) / 7) * 900
    return [
      enrichedHit(site, at, { visitorId: visitorOf(index), url: '/page', title: `=title-${index}` }),
      enrichedHit(site, at + 1, {
        ...{ type: 'identify' as const, visitorId: visitorOf(index) },
        identity: { identifier: `user-${index}` },
      }),
    ]
  }).flat()
  await storeHits(api.services.db, 0, hits)
}

/** Payments of no customer. */
const pay = (from: number, to: number) => api.services.db`
  insert into payments (
    site_no, transaction_id, amount_minor, refunded_minor, currency, renewal, refunded, is_free_trial, recurring, paid_at, source
  )
  select
    ${site.siteNo}, 't' || number, 100, 0, 'USD', false, false, false, false,
    ${new Date(AT)}::timestamptz + ((number * 7919) % ${ROWS} / 7) * interval '1 second', 'api'
  from generate_series(${from}::int, ${to - 1}::int) as number`

const log = (from: number, to: number) => api.services.db`
  insert into audit_log (team_id, at, action, actor, network, object_type, object_id, details)
  select ${owner.teamId}, ${new Date(timeOf(1))}, 'payment.delete', 'a', '', 'goal', number::text, '{}'
  from generate_series(${from}::int, ${to - 1}::int) as number`

/** The column of each list that names its rows. */
const LISTS: [string, string][] = [
  [path(`stats/sessions?${DAY}`), 'session_id'],
  [path(`stats/sessions?${DAY}&path=/page`), 'session_id'],
  [path(`stats/sessions?${DAY}&country[is_not]=XX`), 'session_id'],
  [path(`stats/people?${DAY}`), 'visitor_id'],
  [path(`stats/people?${DAY}&path=/page`), 'visitor_id'],
  [path(`stats/people?${DAY}&kind=users`), 'user_id'],
  [path(`stats/events?${DAY}`), 'title'],
  [path(`stats/events?${DAY}&path[matches_pattern]=/pa*`), 'title'],
  [path('payments?'), 'transaction_id'],
  ['/api/audit-log?action=payment.delete', 'object_id'],
]

const call = (method: string, path: string, options: object = {}) =>
  api.call(method, path, { token: owner.token, ...options })

async function file(path: string, headers: Record<string, string> = {}, token = owner.token) {
  const response = await fetch(`${api.url}${path}`, {
    headers: { Accept: 'text/csv', Authorization: `Bearer ${token}`, ...headers },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const linesOf = (text: string) => text.trimEnd().split('\r\n')

async function idsOfFile(list: string, name: string): Promise<string[]> {
  const { status, text } = await file(list)
  expect(status).toBe(200)
  const [header, ...lines] = linesOf(text)
  const column = header!.split(',').indexOf(name)
  // Formulas are disarmed.
  return lines.map(line => line.split(',')[column]!.replace(/^'=/, '='))
}

async function idsOfPage(list: string, name: string, page: number): Promise<string[]> {
  const { body } = await call('GET', `${list}&per_page=100&page=${page}`)
  return body.data.map((row: Record<string, string>) => row[name])
}

/** Ids of each list, as it had them the first time: filters keep all of them. */
const knownIds = new Map<string, string[]>()

describe('csv in blocks', { tags: ['full'] }, () => {
  test.each(LISTS)('%s has every row once, in the order of its pages', async (list, name) => {
    const ids = await idsOfFile(list, name)
    expect(ids.length).toBe(ROWS)
    expect(new Set(ids).size).toBe(ROWS)
    const key = `${list.split('?')[0]} ${name}`
    expect(ids).toEqual(knownIds.get(key) ?? ids)
    knownIds.set(key, ids)
    for (const page of [1, 10, 11, 21, 24]) {
      expect(ids.slice(100 * (page - 1), 100 * page), `page ${page}`).toEqual(
        await idsOfPage(list, name, page),
      )
    }
  })
})

test.each(sweep(['without filters', 'with a filter']))(
  'csv in blocks: what arrives meanwhile loses no row, and none is there twice, %s',
  { tags: ['full'] },
  async filters => {
    const { db } = api.services
    const services = { ...api.services, grant: null } as never
    const context = {
      ...{ siteNo: site.siteNo, id: site.id, teamId: owner.teamId, timezone: 'UTC', currency: 'USD' },
      firstEventAt: null,
    } as never
    const range = {
      ...{ from: '2026-03-09', to: '2026-03-09' },
      ...(filters === 'with a filter' && { path: { is: ['/page'] } }),
    }
    const lists: Record<string, () => Promise<{ rows: unknown[]; total: number } | unknown>> = {
      session_id: () => getSessions(services, context, SessionsQuery.parse(range)),
      visitor_id: () => getPeople(services, context, PeopleQuery.parse(range)),
      title: () => getEventLog(services, context, EventLogQuery.parse(range)),
      transaction_id: () => listPayments({ db, pageUrl: () => null }, context, { page: 1, per_page: 25 }),
      object_id: () => listAuditEntries(db, owner.teamId, AuditLogQuery.parse({})),
    }
    const arrive = async () => {
      for (const add of [visit, pay, log]) await add(stored, stored + 5)
      stored += 5
    }
    for (const [name, read] of Object.entries(lists)) {
      const idsOf = async (onBlock = async () => {}) => {
        const download = new Download({ startedAt: new Date(NOW), isWhole: true })
        const ids: string[] = []
        let blocks = 0
        do {
          const rows = (await download.next(async () => {
            const list = (await read()) as { rows?: object[]; total: number }
            if (list.rows) download.take(list.rows, list.total)
          })) as Record<string, string>[]
          expect(rows.length, name).toBeLessThanOrEqual(BLOCK_ROWS)
          ids.push(...rows.map(row => row[name]!))
          blocks += 1
          await onBlock()
        } while (!download.isComplete)
        expect(blocks, name).toBeGreaterThan(2)
        return ids
      }
      const before = await idsOf()
      const during = await idsOf(arrive)
      const after = new Set(await idsOf())
      expect(new Set(during).size, name).toBe(during.length)
      const lost = before.filter(id => !during.includes(id))
      expect({ lost, made: during.filter(id => !after.has(id)) }, name).toEqual({ lost: [], made: [] })
    }
  },
)

test('csv: every list of the API has columns of its own, with different names', () => {
  const lists = routes.filter(({ method, output }) => method === 'get' && rowSchemaOf(output))
  expect(lists.length).toBeGreaterThan(15)
  for (const { path, output } of lists) {
    const names = columnsOf(rowSchemaOf(output)!).map(({ name }) => name)
    expect(new Set(names).size, path).toBe(names.length)
  }
})

test('csv: a breakdown is a file with all of its values; with a page, it is that page, with the values of the JSON', async () => {
  const list = path(`stats/breakdown?${DAY}&dimension=title`)
  const { status, headers, text } = await file(list)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(headers.get('content-disposition')).toBe('attachment; filename="list.example-stats-breakdown.csv"')
  const [header, ...lines] = linesOf(text)
  expect(header).toMatch(/^value,visitors,sessions,pageviews,/)
  expect(new Set(lines.filter(line => line.startsWith("'=title-"))).size).toBe(stored)

  const { body } = await call('GET', `${list}&page=2&per_page=10`)
  const page = linesOf((await file(`${list}&page=2&per_page=10`)).text)
  const names = header!.split(',')
  const cells = (row: Record<string, unknown>) => names.map(name => row[name] ?? '').join(',')
  expect(page.slice(1)).toEqual(body.data.map(cells).map((line: string) => line.replace(/^=/, "'=")))
  expect(page).toHaveLength(11)
  const none = await file(path(`stats/events?${DAY}&browser=none`))
  expect(linesOf(none.text)).toHaveLength(1)
})

test('csv: a download is charged once, whatever its length', { tags: ['full'] }, async () => {
  api.services.config.limits.api = 3
  const token = await api.token(owner, {})
  const list = path(`stats/events?${DAY}&path=/none`)
  for (const left of ['2', '1', '0']) {
    const { status, headers } = await file(list, {}, token)
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, left])
  }
  expect((await file(list, {}, token)).status).toBe(429)
  api.services.config.limits.api = 0
})

test('csv: what is refused is refused in JSON, and what is no list stays JSON', async () => {
  const { status, headers, text } = await file(
    `/api/sites/list.example/stats/breakdown?${DAY}&dimension=mood`,
  )
  expect([status, headers.get('content-type')]).toEqual([422, 'application/json; charset=utf-8'])
  expect(JSON.parse(text).errors).toHaveProperty('dimension')
  expect((await file('/api/sites/unknown.example/goals')).status).toBe(404)
  expect((await file('/api/sites/list.example/goals?page=0')).status).toBe(422)
  const one = await file('/api/sites/list.example')
  expect([one.status, one.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
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

test.each([
  ['/api/sites', 'sites.csv', /^id,domain,/],
  ['/api/sites/list.example/goals', 'list.example-goals.csv', /^id,display_name,/],
  ['/api/sites/list.example/payments', 'list.example-payments.csv', /^transaction_id,/],
  ['/api/audit-log', 'audit-log.csv', /^at,action,/],
  ['/api/tokens', 'tokens.csv', /^id,/],
  ['/api/currencies', 'currencies.csv', /./],
])('csv: %s is the file %s', async (list, name, header) => {
  const { status, headers, text } = await file(list)
  expect(status).toBe(200)
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
  expect(text).toMatch(header)
})

test('csv: csv_delimiter=semicolon puts semicolons between cells, and a byte order mark first', async () => {
  const list = '/api/currencies'
  const [{ text: plain }, { text: comma }, { text }] = [
    await file(list),
    await file(`${list}?csv_delimiter=comma`),
    await file(`${list}?csv_delimiter=semicolon`),
  ]
  expect(comma).toBe(plain)
  expect(plain).toMatch(/^value,label\r\n/)
  // `fetch` leaves the mark out.
  const response = await fetch(`${api.url}${list}?csv_delimiter=semicolon`, {
    headers: { Accept: 'text/csv', Authorization: `Bearer ${owner.token}` },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf')
  expect(bytes.subarray(3).toString()).toBe(text)
  expect(linesOf(text)[0]).toBe('value;label')
  expect(linesOf(text).length).toBe(linesOf(plain).length)
  const { status, text: refusal } = await file(`${list}?csv_delimiter=tab`)
  expect([status, JSON.parse(refusal).errors]).toEqual([
    422,
    { csv_delimiter: [expect.stringContaining('semicolon')] },
  ])
})

const share = async (may_export: boolean) => {
  const body = { name: 'a', sections: ['pages', 'events'], may_export }
  return (await shareInBrowser(api, owner, '/api/sites/list.example', body)).body.secret as string
}
const titles = path(`stats/page-titles?${DAY}&page=1`)

test('csv: a share gives files of its sections where it may be exported', { tags: ['full'] }, async () => {
  const may = await share(true)
  expect((await file(titles, {}, may)).status).toBe(200)
  expect((await file(path('goals'), {}, may)).status).toBe(403)
  const mayNot = await share(false)
  for (const list of [titles, titles.replace('&page=1', '')]) {
    const { status, text } = await file(list, {}, mayNot)
    expect([status, JSON.parse(text).code]).toEqual([403, 'forbidden'])
  }
  expect((await file(titles, { Accept: 'application/json' }, mayNot)).status).toBe(200)
})

test('csv: a public site gives none to those who are no users', { tags: ['full'] }, async () => {
  await call('PATCH', '/api/sites/list.example/sharing', { body: { is_public: true } })
  const ask = (accept: string) => fetch(api.url + titles, { headers: { Accept: accept } })
  expect([(await ask('text/csv')).status, (await ask('application/json')).status]).toEqual([403, 200])
  await call('PATCH', '/api/sites/list.example/sharing', { body: { is_public: false } })
})
