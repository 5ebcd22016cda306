import { afterAll, beforeAll, expect, test } from 'vitest'
import { fieldsOf } from '../../src/http/api/query.ts'
import { type Route, routes } from '../../src/http/api/routes.ts'
import { type Api, startApi } from '../support/api.ts'
import { type Teammate, teammate, wholeTeam } from '../support/teammates.ts'

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
const VALUES: unknown[] = [
  null,
  true,
  -1,
  1e300,
  '',
  '\0',
  '\ud800',
  "'; drop table users; --",
  'x'.repeat(100_000),
  [],
  [null],
  [[]],
  DEEP,
  {},
  { toString: 'x' },
  { length: 5 },
  Array(2_000).fill('x'),
]

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

test.each(changes.map(route => [`${route.method} ${route.path}`, route] as const))(
  'hostile bodies: %s answers them with 4xx, or does what a valid one asks for',
  async (_, route) => {
    api.services.config.limits.browser = 0
    const bodies = [
      ...WHOLE,
      ...namesOf(route).flatMap(name => VALUES.map(value => JSON.stringify({ [name]: value }))),
      JSON.stringify(Object.fromEntries(namesOf(route).map(name => [name, {}]))),
    ]
    for (const body of bodies) {
      const status = await ask(route, body)
      expect([body.slice(0, 80), status < 500]).toEqual([body.slice(0, 80), true])
    }
    await api.services.redis.flushall()
  },
)

test('hostile bodies: nobody got more rights', async () => {
  const stranger = await teammate(api)
  expect((await stranger.ask('GET', '/api/teams')).body).toHaveLength(1)
  const roles = await api.services.db<{ role: string }[]>`
    select role from users where team_id = ${person.teamId} and role = 'owner'`
  expect(roles.length).toBeLessThanOrEqual(1)
})
