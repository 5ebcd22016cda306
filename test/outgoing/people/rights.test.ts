import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startStats } from '../../contract/stats-site.ts'
import { enrichedHit } from '../../support/hits.ts'
import { ofFile } from '../../support/of-file.ts'
import { aggregateAll, work } from './steps.ts'

const stats = ofFile(() => startStats('2026-03-18T12:00:00Z'))
const site = ofFile(() => stats.site())

const now = new Date('2026-03-18T12:00:00Z')

async function visitor(of = site, fields: object = {}): Promise<string> {
  const visitorId = randomUUID()
  await stats.store([enrichedHit(of, Date.parse('2026-03-10T10:00:00Z'), { visitorId, ...fields })])
  return visitorId
}

const user = (identifier: string) => visitor(site, { type: 'identify', identity: { identifier } })

const call = (method: string, path: string, of = site) =>
  stats.api.call(method, `${of.path}${path}`, { token: stats.owner.token })
const pathOf = (person: string) => `/visitors/${encodeURIComponent(person)}`

async function finish(): Promise<void> {
  const { db } = stats.api.services
  await work(db, now)
  await aggregateAll(db, now)
  await work(db, now)
}

test('erasures: a request is answered 202, and once it is finished nothing says who it was', async () => {
  const person = await visitor()
  const asked = await call('DELETE', pathOf(person))
  expect(asked.status).toBe(202)
  expect(asked.body).toEqual({
    ...{ id: expect.any(String), status: 'waiting', person },
    ...{ requested_at: now.toISOString(), finished_at: null },
  })
  expect((await call('DELETE', pathOf(person))).body).toEqual(asked.body)
  await finish()
  const read = await call('GET', `/erasures/${asked.body.id}`)
  expect(read.body).toEqual({
    ...asked.body,
    ...{ status: 'finished', person: null, finished_at: now.toISOString() },
  })
  const listed = await call('GET', '/erasures')
  expect(JSON.stringify(listed.body)).not.toContain(person)
  expect(listed.body.data).toContainEqual(read.body)
  expect((await call('DELETE', pathOf(person))).status).toBe(404)
  expect((await call('GET', `${pathOf(person)}/export`)).status).toBe(404)
})

test('erasures: the audit log has one entry for an erasure and one for an export, and neither names the person', async () => {
  const own = await stats.site()
  const person = await visitor(own)
  const ask = (method: string, path: string) => call(method, `${pathOf(person)}${path}`, own)
  const first = await ask('GET', '/export?per_page=1')
  await ask('GET', `/export?per_page=1&cursor=${first.body.next_cursor}`)
  const { body } = await ask('DELETE', '')
  await ask('DELETE', '')
  const entries = await stats.api.services.db`
    select action, object_type as type, object_id as id, details, audit_log::text as line
    from audit_log where details ->> 'site_id' = ${own.id} and action like 'person.%' order by action`
  expect(entries.map(({ line: _line, ...entry }) => entry)).toEqual([
    { action: 'person.erase', type: 'erasure', id: body.id, details: { site_id: own.id } },
    { action: 'person.export', type: null, id: null, details: { site_id: own.id } },
  ])
  for (const { line } of entries) expect(line).not.toContain(person)
})

test('erasures: two requests at once make one erasure', async () => {
  const person = await visitor()
  const answers = await Promise.all(Array.from({ length: 6 }, () => call('DELETE', pathOf(person))))
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
})

test('erasures: the list is paged, the newest first', async () => {
  const own = await stats.site()
  for (let count = 0; count < 3; count++) await call('DELETE', pathOf(await visitor(own)), own)
  const first = await stats.read(own, '/erasures?per_page=2')
  const second = await stats.read(own, '/erasures?per_page=2&page=2')
  expect(first.meta).toEqual({ current_page: 1, per_page: 2, total: 3, last_page: 2 })
  const ids = [...first.data, ...second.data].map(({ id }: { id: string }) => id)
  expect(new Set(ids).size).toBe(3)
})

test('erasures: a user is found by the text that was sent', { tags: ['full'] }, async () => {
  const identifiers = [
    ...['user 1', 'a/b', '../..', 'ä%', '100%', 'user@example.com', 'x'.repeat(255), '😀', '{}', '{1,2}'],
    ...["'; drop table x", '\\', '"', '%25', '?a=b', '#', 'null', '\u0001'],
  ]
  for (const identifier of identifiers) {
    await user(identifier)
    expect((await call('DELETE', pathOf(identifier))).status, identifier).toBe(202)
  }
  await finish()
  for (const identifier of identifiers)
    expect((await call('DELETE', pathOf(identifier))).status, identifier).toBe(404)
})

test('erasures: a person `..`, which clients resolve to the path of the site, does not delete the site', async () => {
  for (const person of ['..', '%2E%2E', '.%2e', '../']) {
    const answer = await call('DELETE', `/visitors/${person}`)
    expect([person, answer.status]).toEqual([person, 404])
  }
  expect((await call('GET', '')).status).toBe(200)
  await user('..')
  const { id } = await stats.client.people.erase.mutate({ siteKey: site.id, person: '..' })
  expect((await call('GET', `/erasures/${id}`)).body.person).toBe('..')
})

test('erasures: an unknown person or erasure is 404, and a person that nobody can be 422', async () => {
  const numbers = ['0', '-1', randomUUID()]
  const unknown = [...numbers, 'nobody', "' or 1=1 --", 'é', 'x'.repeat(1_000), '%20', '\u0007']
  const impossible = ['x'.repeat(1_001), '\0']
  const statusOf = async (person: string) => [
    (await call('DELETE', pathOf(person))).status,
    (await call('GET', `${pathOf(person)}/export`)).status,
  ]
  for (const person of unknown) expect(await statusOf(person), person).toEqual([404, 404])
  for (const person of impossible) expect(await statusOf(person), person).toEqual([422, 422])
  for (const id of ['x', '1', "'", '\0', randomUUID()])
    expect((await call('GET', `/erasures/${encodeURIComponent(id)}`)).status, id).toBe(404)
})
