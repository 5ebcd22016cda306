import { afterAll, beforeAll, expect, test } from 'vitest'
import { fieldsOf } from '../../src/http/api/query.ts'
import { type Route, routes } from '../../src/http/api/routes.ts'
import { type Api, startApi } from '../support/api.ts'
import { type Teammate, wholeTeam } from '../support/teammates.ts'

let api: Api
let person: Teammate
let otherId: string
beforeAll(async () => {
  api = await startApi()
  const team = await wholeTeam(api)
  person = team.owner
  otherId = team.member.userId
})
afterAll(() => api.close())

const changes = routes.filter(
  ({ procedure, type }) => type === 'mutation' && /^(team|teams|users|invitations|tokens)\./.test(procedure),
)

const WHOLE = [
  '',
  'null',
  '[]',
  '5',
  '"x"',
  'true',
  '[{}]',
  '{',
  '{"a":',
  '\0',
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

test('hostile bodies: every change of a team answers them with 4xx, or does what a valid one asks for', async () => {
  api.services.config.limits.browser = 0
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
