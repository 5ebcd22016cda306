import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AuditLogQuery, listAuditEntries } from '../../../src/audit/list.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { listPayments } from '../../../src/revenue/payments.ts'
import { BLOCK_ROWS, Download } from '../../../src/schema/download.ts'
import { getPeople, PeopleQuery } from '../../../src/stats/people/list.ts'
import { getSessions, SessionsQuery } from '../../../src/stats/sessions/list.ts'
import { EMBEDDED_SLICES } from '../../../src/stats/sql/slices.ts'
import { type Api, type Member, startApi } from '../../support/api.ts'
import { enrichedHit } from '../../support/hits.ts'
import { inProcessPool } from '../../support/in-process-pool.ts'

// Lists that are longer than a block: sessions, people, payments and the audit log. Many rows of each have the same time.

const NOW = Date.parse('2026-03-10T12:00:00Z')
const DAY = 'from=2026-03-09&to=2026-03-09'
const AT = Date.parse('2026-03-09T10:00:00Z')
const ROWS = 2 * BLOCK_ROWS + 345

let api: Api
let owner: Member
let site: { id: string; siteNo: number; key: string }
const path = (list: string) => `/api/sites/long.example/${list}`

beforeAll(async () => {
  api = await startApi({ now: () => new Date(NOW) })
  api.services.rollups = inProcessPool(api.services.db)
  owner = await api.member()
  const { body } = await api.call('POST', '/api/sites', {
    token: owner.token,
    body: { domain: 'long.example' },
  })
  const [row] = await api.services.db`select site_no from sites where id = ${body.id}`
  site = { id: body.id, siteNo: row!.site_no, key: '' }
  await visit(0, ROWS)
  await pay(0, ROWS)
  await log(0, ROWS)
})
afterAll(() => api.close())

const timeOf = (index: number) => AT + Math.floor((index * 7919) % ROWS) * 3

/** Sessions of one visitor and user each. */
async function visit(from: number, to: number) {
  const visitorOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  const hits = Array.from({ length: to - from }, (_, number) => {
    const index = from + number
    const at = AT + Math.floor(((index * 7919) % ROWS) / 7) * 900
    return [
      enrichedHit(site, at, { visitorId: visitorOf(index), url: '/page' }),
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
  [path('payments?'), 'transaction_id'],
  ['/api/audit-log?action=payment.delete', 'object_id'],
]

async function idsOfFile(list: string, name: string): Promise<string[]> {
  const response = await fetch(`${api.url}${list}`, {
    headers: { Accept: 'text/csv', Authorization: `Bearer ${owner.token}` },
  })
  expect(response.status).toBe(200)
  const [header, ...lines] = (await response.text()).trimEnd().split('\r\n')
  const column = header!.split(',').indexOf(name)
  return lines.map(line => line.split(',')[column]!)
}

async function idsOfPage(list: string, name: string, page: number): Promise<string[]> {
  const { body } = await api.call('GET', `${list}&per_page=100&page=${page}`, { token: owner.token })
  return body.data.map((row: Record<string, string>) => row[name])
}

describe.each([
  ['a server', undefined],
  ['the embedded database', EMBEDDED_SLICES],
])('csv in blocks, on %s', (_, slices) => {
  test.each(LISTS)('%s has every row once, in the order of its pages', async (list, name) => {
    Object.assign(api.services, { slices })
    const ids = await idsOfFile(list, name)
    expect(ids.length).toBe(ROWS)
    expect(new Set(ids).size).toBe(ROWS)
    for (const page of [1, 10, 11, 21, 24]) {
      expect(ids.slice(100 * (page - 1), 100 * page), `page ${page}`).toEqual(
        await idsOfPage(list, name, page),
      )
    }
  })
})

test('csv in blocks: what arrives meanwhile loses no row, and none is there twice', async () => {
  const { db } = api.services
  const services = { ...api.services, grant: null }
  const context = {
    ...{ siteNo: site.siteNo, id: site.id, teamId: owner.teamId, timezone: 'UTC', currency: 'USD' },
    firstEventAt: null,
  }
  const range = { from: '2026-03-09', to: '2026-03-09' }
  const page = { page: 1, per_page: 25 }
  const lists: Record<string, (download: Download) => Promise<unknown>> = {
    session_id: async download => {
      const { rows, total } = await getSessions(
        services as never,
        context as never,
        SessionsQuery.parse(range),
      )
      download.take(rows, total)
    },
    visitor_id: async download => {
      const { rows, total } = await getPeople(services as never, context as never, PeopleQuery.parse(range))
      download.take(rows, total)
    },
    transaction_id: () => listPayments({ db, pageUrl: () => null }, context, page),
    object_id: async download => {
      const { rows, total } = await listAuditEntries(db, owner.teamId, AuditLogQuery.parse({}))
      download.take(rows, total)
    },
  }
  let more = ROWS
  const arrive = async () => {
    await visit(more, more + 5)
    await pay(more, more + 5)
    await log(more, more + 5)
    more += 5
  }
  for (const [name, read] of Object.entries(lists)) {
    const idsOf = async (onBlock: () => Promise<unknown>) => {
      const download = new Download({ startedAt: new Date(NOW), isWhole: true })
      const ids: string[] = []
      let blocks = 0
      do {
        const rows = (await download.next(() => read(download))) as Record<string, string>[]
        expect(rows.length, name).toBeLessThanOrEqual(BLOCK_ROWS)
        ids.push(...rows.map(row => row[name]!))
        blocks += 1
        await onBlock()
      } while (!download.isComplete)
      expect(blocks, name).toBeGreaterThan(2)
      return ids
    }
    const before = await idsOf(async () => {})
    const during = await idsOf(arrive)
    expect(new Set(during).size, name).toBe(during.length)
    expect(
      before.filter(id => !during.includes(id)),
      name,
    ).toEqual([])
  }
})
