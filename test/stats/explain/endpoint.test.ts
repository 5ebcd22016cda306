import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { metricsOf, READS } from '../../../src/stats/explain/explain-query.ts'
import type { Explanation } from '../../../src/stats/explain/explanation.ts'
import { DAY } from '../../contract/stats-site.ts'
import { ofFile } from '../../support/of-file.ts'
import { startSharing } from '../sharing/world.ts'

const world = ofFile(startSharing)
let path: string

beforeAll(() => {
  path = `${world.site.path}/explain?from=${DAY}&to=${DAY}`
})

const get = (address: string, token?: string) => world.call('GET', address, undefined, token)
const ask = (query: string, token?: string) => get(`${path}&${query}`, token)

test.each([
  // An unknown metric is refused with those that there are.
  ['metric=mood', 'metric', 'visitors'],
  ['metric=mood', 'metric', 'mrr_churn_rate'],
  ['metric=mood', 'metric', 'scroll_depth'],
  ['metric=arr', 'metric', metricsOf('overview').join(', ')],
  ['metric=custom_events&dimension=path&value=/', 'metric', metricsOf('breakdown').join(', ')],
  ['metric=visitors&read=money', 'metric', metricsOf('money').join(', ')],
  ['metric=arr&read=movements', 'metric', metricsOf('movements').join(', ')],
  ['metric=visitors&dimension=path', 'value', 'is required'],
  ['metric=visitors&read=breakdown&value=a', 'dimension', 'is required'],
  ['metric=visitors&value=a', 'value', 'read=breakdown'],
  ['metric=conversion_rate&dimension=path&value=/', 'conversion_goal', 'is required'],
  ['metric=scroll_depth&dimension=channel&value=Direct', 'metric', 'path or title'],
  ['metric=visitors&bucket=2026-03-10T00:00:00Z', 'bucket', 'read=movements'],
  ['metric=mrr&read=movements&bucket=2001-03-10T00:00:00Z', 'bucket', 'label of the series'],
  ['metric=visitors&period=now', 'period', 'read=money'],
  ['metric=mrr&read=money&period=now&country=DE', 'period', 'filters'],
  ['metric=visitors&cursor=abc', 'cursor', 'next_cursor'],
  ['metric=visitors&limit=101', 'limit', '100'],
  ['metric=visitors&group=year', 'group', 'must be one of'],
])('explain, requests: %s is refused', async (query, field, message) => {
  const answer = await ask(query)
  expect(answer.status).toBe(422)
  expect(answer.body.errors[field][0]).toContain(message)
})

test('explain, requests: a cursor of another list is refused or finds nothing, and never fails', async () => {
  const made = Buffer.from(JSON.stringify([0, 'no number'])).toString('base64url')
  expect((await ask(`metric=visitors&cursor=${made}`)).status).toBe(422)
  expect((await ask(`metric=revenue&cursor=${made}`)).status).toBe(200)
})

test('explain, requests: too many parts are refused when they are asked for, else the range is one part', async () => {
  const long = `${world.site.path}/explain?metric=visitors&from=1971-01-01&to=9998-01-01`
  const chosen = await get(`${long}&group=day`)
  expect([chosen.status, Object.keys(chosen.body.errors)]).toEqual([422, ['group']])
  const whole = await get(long)
  expect(whole.body.buckets).toHaveLength(1)
  expect(whole.body.terms).toEqual(whole.body.buckets[0].values)
})

test('explain, readers: ids of payments are for those who may list payments', async () => {
  const owner = await ask('metric=revenue')
  expect(owner.body.rows.data[0].id).toEqual(expect.any(String))
  const member = await ask('metric=revenue', await world.colleague('member'))
  expect(member.body.number).toBe(owner.body.number)
  expect(member.body.rows.data.map((row: { id: string | null }) => row.id)).toEqual(
    owner.body.rows.data.map(() => null),
  )
})

test.each([
  ['metric=visitors', ['traffic'], 200],
  ['metric=visitors', ['sources'], 403],
  ['metric=visitors&dimension=channel&value=Direct', ['sources'], 200],
  ['metric=visitors&dimension=channel&value=Direct', ['traffic'], 403],
  ['metric=revenue', ['traffic'], 403],
  ['metric=revenue', ['traffic', 'revenue'], 200],
  ['metric=revenue&dimension=channel&value=Direct', ['sources'], 403],
  ['metric=mrr&read=money', ['traffic'], 403],
  ['metric=mrr&read=money', ['revenue'], 200],
  ['metric=new&read=movements', ['traffic', 'people'], 403],
  ['metric=visitors&user_id=a', ['traffic'], 403],
] as const)(
  'explain, readers: %s with the sections %j is %i, and its rows need people',
  async (query, sections, status) => {
    const { secret } = await world.share([...sections])
    const answer = await ask(query, secret)
    expect(answer.status).toBe(status)
    if (status === 200) expect(answer.body.rows).toBeNull()
    const { secret: withPeople } = await world.share([...sections, 'people'])
    const more = await ask(query, withPeople)
    if (status === 200) expect(more.body.rows.data).toEqual(expect.any(Array))
  },
)

test('explain, readers: a row leads to its session', async () => {
  const { body } = await ask('metric=bounce_rate&limit=1')
  const session = body.rows.data[0].session_id
  const detail = await get(`${world.site.path}/stats/sessions/${session}`)
  expect(detail.status).toBe(200)
  expect(detail.body.session.visitor_id).toBe(body.rows.data[0].visitor_id)
  const next = await ask(`metric=bounce_rate&limit=1&cursor=${body.rows.next_cursor}`)
  expect(next.body.rows.data[0].session_id).not.toBe(session)
})

test('explain: each definition is in docs/metrics.md', () => {
  const headings = readFileSync('docs/metrics.md', 'utf8').match(/^#+ .*$/gm)!
  const known = headings.map(heading => heading.replace(/^#+ /, ''))
  for (const [metric, { heading, formula, terms }] of Object.values(READS).flatMap(
    Object.entries<Explanation>,
  )) {
    expect(known, metric).toContain(heading)
    for (const term of terms) expect(formula, metric).toContain(term)
  }
})
