import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser } from '../../src/teams/accounts.ts'
import type { Role } from '../../src/teams/schema.ts'
import { createToken } from '../../src/teams/tokens.ts'
import { type Stats, type StatsSite, startStats } from '../contract/stats-site.ts'
import { enrichedHit } from '../support/hits.ts'
import { aggregateAll, work } from './steps.ts'

let stats: Stats
let site: StatsSite
beforeAll(async () => {
  stats = await startStats('2026-03-18T12:00:00Z')
  stats.api.services.config.sitesPerTeam = 1_000
  site = await stats.site()
})
afterAll(() => stats.close())

const now = new Date('2026-03-18T12:00:00Z')

async function visitor(of = site, fields: object = {}): Promise<string> {
  const visitorId = randomUUID()
  await stats.store([enrichedHit(of, Date.parse('2026-03-10T10:00:00Z'), { visitorId, ...fields })])
  return visitorId
}

async function user(identifier: string): Promise<string> {
  await visitor(site, { type: 'identify', identity: { identifier } })
  return identifier
}

const call = (method: string, path: string, token = stats.owner.token) =>
  stats.api.call(method, `${site.path}${path}`, { token })
const pathOf = (person: string) => `/visitors/${encodeURIComponent(person)}`

async function tokenOf(role: Role): Promise<string> {
  const { db } = stats.api.services
  const { teamId } = stats.owner
  const userId = await createUser(db, { teamId, email: `${randomUUID()}@example.com`, role })
  return (await createToken(db, { teamId, userId, name: role, siteIds: null, expiresAt: null }, now)).token
}

async function finish(): Promise<void> {
  const { db } = stats.api.services
  await work(db, now)
  await aggregateAll(db, now)
  await work(db, now)
}

describe('erasures', () => {
  test('a request is answered 202, and once it is finished nothing says who it was', async () => {
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

  test('the audit log has one entry for an erasure and one for an export, and neither names the person', async () => {
    const own = await stats.site()
    const person = await visitor(own)
    const ask = (method: string, path: string) =>
      stats.api.call(method, `${own.path}${pathOf(person)}${path}`, { token: stats.owner.token })
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

  test('two requests at once make one erasure', async () => {
    const person = await visitor()
    const answers = await Promise.all(Array.from({ length: 6 }, () => call('DELETE', pathOf(person))))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
  })

  test('the list is paged, the newest first', async () => {
    const own = await stats.site()
    for (let count = 0; count < 3; count++) {
      const person = await visitor(own)
      await stats.api.call('DELETE', `${own.path}${pathOf(person)}`, { token: stats.owner.token })
    }
    const first = await stats.read(own, '/erasures?per_page=2')
    const second = await stats.read(own, '/erasures?per_page=2&page=2')
    expect(first.meta).toEqual({ current_page: 1, per_page: 2, total: 3, last_page: 2 })
    const ids = [...first.data, ...second.data].map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(3)
  })

  test.each([
    ...['user 1', 'a/b', '../..', 'ä%', '100%', 'user@example.com', 'x'.repeat(255), '😀', "'; drop table x"],
    ...['{}', '{1,2}', '\\', '"', '%25', '?a=b', '#', 'null', `\u0001`],
  ])('a user %j is found by the text that was sent', async identifier => {
    await user(identifier)
    const path = pathOf(identifier)
    const asked = await call('DELETE', path)
    expect(asked.status, JSON.stringify(asked.body)).toBe(202)
    await finish()
    expect((await call('DELETE', path)).status).toBe(404)
  })

  test('a person `..`, which clients resolve to the path of the site, does not delete the site', async () => {
    for (const person of ['..', '%2E%2E', '.%2e', '../']) {
      const answer = await call('DELETE', `/visitors/${person}`)
      expect([person, answer.status]).toEqual([person, 404])
    }
    expect((await call('GET', '')).status).toBe(200)
    await user('..')
    const { id } = await stats.client.people.erase.mutate({ siteKey: site.id, person: '..' })
    expect((await call('GET', `/erasures/${id}`)).body.person).toBe('..')
  })

  test.each([randomUUID(), 'nobody', "' or 1=1 --", '0', '-1', 'é', 'x'.repeat(1_000), '%20', '\u0007'])(
    'an unknown person %j is 404',
    async person => {
      for (const [method, path] of [
        ['DELETE', ''],
        ['GET', '/export'],
      ] as const) {
        expect((await call(method, `${pathOf(person)}${path}`)).status).toBe(404)
      }
    },
  )

  test.each(['x'.repeat(1_001), '\0'])('a person %j that nobody can be is 422', async person => {
    expect((await call('DELETE', pathOf(person))).status).toBe(422)
    expect((await call('GET', `${pathOf(person)}/export`)).status).toBe(422)
  })

  test.each(['x', '1', "'", '\0', randomUUID()])('an unknown erasure %j is 404', async id => {
    expect((await call('GET', `/erasures/${encodeURIComponent(id)}`)).status).toBe(404)
  })

  const paths = (person: string, id: string) =>
    [
      ['DELETE', pathOf(person)],
      ['GET', `${pathOf(person)}/export`],
      ['GET', '/erasures'],
      ['GET', `/erasures/${id}`],
    ] as const

  test.each(['member', 'viewer'] as const)('they are refused to a %s', async role => {
    const person = await visitor()
    const token = await tokenOf(role)
    for (const [method, path] of paths(person, randomUUID())) {
      expect((await call(method, path, token)).status, path).toBe(403)
    }
    expect((await call('GET', `${pathOf(person)}/export`)).status).toBe(200)
  })

  test('an admin may do everything', async () => {
    const person = await visitor()
    const token = await tokenOf('admin')
    expect((await call('GET', `${pathOf(person)}/export`, token)).status).toBe(200)
    const { status, body } = await call('DELETE', pathOf(person), token)
    expect(status).toBe(202)
    expect((await call('GET', `/erasures/${body.id}`, token)).body).toEqual(body)
  })

  test('another team gets 404 for the site, and another site 404 for the person and the erasure', async () => {
    const person = await visitor()
    const { body } = await call('DELETE', pathOf(person))
    const stranger = await stats.api.member()
    const other = await stats.site()
    for (const [method, path] of paths(person, body.id)) {
      expect((await call(method, path, stranger.token)).status, path).toBe(404)
      if (path === '/erasures') continue
      const elsewhere = await stats.api.call(method, `${other.path}${path}`, { token: stats.owner.token })
      expect(elsewhere.status, path).toBe(404)
    }
  })
})
