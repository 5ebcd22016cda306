import { beforeAll, expect, test } from 'vitest'
import { type Route, routes } from '../../../src/http/api/routes.ts'
import { fieldsOf } from '../../../src/platform/schema/known-fields.ts'
import { siteOf, type Teammate, wholeTeam } from '../../support/teammates.ts'
import { useApi } from './use-api.ts'

let person: Teammate
let otherId: string
const api = useApi()
beforeAll(async () => {
  const team = await wholeTeam(api)
  person = team.owner
  otherId = team.member.userId
})

const changes = routes.filter(
  ({ procedure, type }) => type === 'mutation' && /^(team|teams|users|invitations|tokens)\./.test(procedure),
)

const WHOLE = [
  ...['', 'null', '[]', '5', '"x"', 'true', '[{}]', '{', '{"a":', '\0'],
  '{"__proto__":{"role":"owner"}}',
]
const DEEP = JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`)
const SCALARS = [null, true, -1, 1e300, '', '\0', '\ud800', "'; drop table users; --", 'x'.repeat(100_000)]
const LISTS = [[], [null], [[]], DEEP, Array(2_000).fill('x')]
const VALUES: unknown[] = [...SCALARS, ...LISTS, {}, { toString: 'x' }, { length: 5 }]

const namesOf = ({ path, inputs }: Route) =>
  inputs.flatMap(fieldsOf).filter(name => !path.includes(`:${name}`))

/** A request that may not change anything whatever happens to be allowed: the person may leave, or make a team named {}. */
async function ask({ method, path }: Route, body: string) {
  const answer = await fetch(api.url + path.replace(':id', otherId), {
    method: method.toUpperCase(),
    headers: person.headers,
    body,
  })
  await answer.arrayBuffer()
  return answer.status
}

const TIMES = ['9999-12-31T23:59:59-12:00', '9999-12-31T23:59:59Z', '0001-01-01T00:00:00+14:00']

test('tokens and shares: far ends and odd characters are accepted or refused, never a fault', async () => {
  const shares = `/api/sites/${await siteOf(api, person.teamId)}/shares`
  const share = { name: 'x', sections: ['traffic'] }
  const asked: [path: string, body: object][] = TIMES.flatMap((expires_at): [string, object][] => [
    ['/api/tokens', { name: 'x', expires_at }],
    [shares, { ...share, expires_at }],
  ])
  for (const value of ['\0', '\ud800', 'a\0b'])
    asked.push([shares, { ...share, name: `${value}x`, filters: { path: value, country: [value] } }])
  for (const [path, body] of asked) {
    const { status } = await person.ask('POST', path, body)
    expect([201, 422], JSON.stringify(body)).toContain(status)
    expect((await person.ask('GET', path)).status).toBe(200)
  }
})

test('passkeys: an id that no passkey can have is 404', async () => {
  for (const id of ['\0', '\ud800', 'x'.repeat(9_000)]) {
    const removed = await person.ask('POST', '/trpc/passkeys.remove', { id })
    expect([id, removed.status]).toEqual([id, 404])
  }
})

test('hostile bodies: every change of a team answers them with 4xx, or does what a valid one asks for', {
  tags: ['full'],
}, async () => {
  for (const route of changes) {
    const names = namesOf(route)
    const bodies = [
      ...WHOLE,
      ...names.flatMap(name => VALUES.map(value => JSON.stringify({ [name]: value }))),
      JSON.stringify(Object.fromEntries(names.map(name => [name, {}]))),
    ]
    for (const body of bodies) {
      const asked = [route.procedure, body.slice(0, 80)]
      expect([...asked, (await ask(route, body)) < 500]).toEqual([...asked, true])
    }
    await api.services.redis.flushall()
  }
  const roles = await api.services.db`
    select role from users where team_id = ${person.teamId} and role = 'owner'`
  expect(roles.length).toBeLessThanOrEqual(1)
})
