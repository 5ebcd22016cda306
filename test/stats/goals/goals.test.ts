import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { listAllGoals } from '../../../src/stats/goals/find-goal.ts'
import type { Answer } from '../../support/api.ts'
import { race } from '../../support/race.ts'
import { useGoals } from './site.ts'

const goals = useGoals('member')
const { newSite } = goals

const event = (match_value: string, fields: object = {}) => ({ match_type: 'event', match_value, ...fields })
const names = (answer: Answer) => answer.body.data.map((goal: { display_name: string }) => goal.display_name)
const IDENTICAL = { match_value: ['The site already has an identical goal'] }
const nothing = (answer: Answer) => expect([answer.status, answer.body]).toEqual([204, undefined])

test('the list of goals is sorted by display name without case, then by id', async () => {
  const site = await newSite()
  for (const name of ['beta', 'Alpha', 'ALPHA', 'alpha', 'Öl', 'öd', 'Zeta', '1st', '_x']) {
    expect((await site.create(event(name))).status).toBe(201)
  }
  const answer = await site.list()
  const sorted = ['1st', '_x', 'alpha', 'alpha', 'alpha', 'beta', 'zeta', 'öd', 'öl']
  expect(names(answer).map((name: string) => name.toLowerCase())).toEqual(sorted)
  const ids = answer.body.data.slice(2, 5).map((goal: { id: string }) => goal.id)
  expect(ids).toEqual([...ids].sort())
  const all = await listAllGoals(goals.api.services.db, site.siteNo)
  expect(all.map(goal => goal.id)).toEqual(answer.body.data.map((goal: { id: string }) => goal.id))
})

// Links and bounds of pages: test/platform/schema/pagination.test.ts.
test('the list of goals has pages that keep the search', async () => {
  const site = await newSite()
  const all = Array.from({ length: 60 }, (_, i) => `goal ${String(i).padStart(2, '0')}`)
  await site.batch({ event_names: all })
  const first = await site.list()
  expect(first.body.meta).toEqual({ current_page: 1, per_page: 25, total: 60, last_page: 3 })
  expect(names(first)).toEqual(all.slice(0, 25))
  const base = `${goals.api.services.config.baseUrl}${site.path}`
  const last = await site.list('?search=GOAL&page=7&per_page=9')
  expect(names(last)).toEqual(all.slice(54))
  expect(last.body.links).toEqual({
    first: `${base}?search=GOAL&page=1&per_page=9`,
    last: `${base}?search=GOAL&page=7&per_page=9`,
    prev: `${base}?search=GOAL&page=6&per_page=9`,
    next: null,
  })
  expect((await site.list(`?page=${Math.floor(Number.MAX_SAFE_INTEGER / 100)}`)).body.data).toEqual([])
  const empty = (await (await newSite()).list()).body
  expect([empty.data, empty.meta.total, empty.meta.last_page]).toEqual([[], 0, 1])
})

test('the list of goals finds names that contain a text literally', async () => {
  const site = await newSite()
  await site.batch({ event_names: ['Signup', 'sign_in', '50%', 'öl'] })
  for (const [search, expected] of [
    ['sign', ['Signup', 'sign_in']],
    ['SIGN_', ['sign_in']],
    ['%25', ['50%']],
    ['_', ['sign_in']],
    ['%C3%96L', ['öl']],
    ['nothing', []],
    ['', ['50%', 'Signup', 'sign_in', 'öl']],
    ['x'.repeat(255), []],
  ] as const) {
    expect(names(await site.list(`?search=${search}`)).sort(), search).toEqual([...expected].sort())
  }
})

test('the list of goals refuses wrong parameters', async () => {
  const site = await newSite()
  for (const [query, field, problem] of [
    [`search=${'x'.repeat(256)}`, 'search', 'must be at most 255 characters'],
    ['search=a&search=b', 'search', 'must be a string'],
    ['page=0', 'page', 'must be at least 1'],
  ] as const) {
    const answer = await site.list(`?${query}`)
    expect([answer.status, answer.body.errors]).toEqual([422, { [field]: [problem] }])
  }
})

test('goals, creating: a goal that is identical except for its name is refused', async () => {
  const site = await newSite()
  const page = { match_type: 'page', match_value: '/a' }
  const scroll = { match_type: 'scroll', match_value: '/a', scroll_threshold: 50 }
  const paid = event('paid', { custom_props: { plan: 'pro', term: 'year' }, currency: 'USD' })
  const any = { match_type: 'copy' }
  for (const body of [page, scroll, paid, any]) expect((await site.create(body)).status).toBe(201)
  for (const again of [
    ...[page, scroll, { ...page, match_value: 'a', match_operator: 'matches_pattern' }],
    ...[
      { ...paid, custom_props: { term: 'year', plan: 'pro' } },
      { ...paid, currency: null },
    ],
    { ...any, match_value: '' },
  ]) {
    const answer = await site.create({ ...again, display_name: 'Other' })
    expect([answer.status, answer.body.errors]).toEqual([422, IDENTICAL])
  }
  const others = [
    ...[
      { ...page, match_operator: 'is' },
      { ...page, match_value: '/A' },
      { ...scroll, scroll_threshold: 51 },
    ],
    ...[
      { ...paid, custom_props: { plan: 'pro' } },
      { ...paid, custom_props: null },
    ],
    ...[
      { ...any, match_type: 'form' },
      { ...any, match_value: '#x' },
    ],
  ]
  for (const [number, other] of others.entries()) {
    expect((await site.create({ ...other, display_name: String(number) })).status).toBe(201)
  }
})

test('goals, creating: a display name in use is refused, given or derived; case matters', async () => {
  const site = await newSite()
  await site.create(event('signup'))
  const taken = ['The site already has a goal with the display name signup']
  const given = await site.create({ match_type: 'copy', display_name: 'signup' })
  expect([given.status, given.body.errors]).toEqual([422, { display_name: taken }])
  const derived = await site.create(event('signup', { match_operator: 'contains' }))
  expect([derived.status, derived.body.errors]).toEqual([422, { display_name: taken }])
  expect((await site.create({ match_type: 'copy', display_name: 'Signup' })).status).toBe(201)
  expect((await (await newSite()).create(event('signup'))).status).toBe(201)
})

test('goals, creating: the same goal in twenty parallel requests succeeds once', async () => {
  const site = await newSite()
  const answers = await Promise.all(Array.from({ length: 20 }, () => site.create(event('signup'))))
  expect(answers.map(answer => answer.status).sort()).toEqual([201, ...Array(19).fill(422)])
  const named = Array.from({ length: 20 }, (_, i) => event('paid', { display_name: `paid ${i}` }))
  const other = await Promise.all(named.map(body => site.create(body)))
  expect(other.map(answer => answer.status).sort()).toEqual([201, ...Array(19).fill(422)])
})

test('goals, creating: a site has at most 1,000 goals, also with twenty parallel requests', async () => {
  const site = await newSite()
  const made = await site.batch({ event_names: Array.from({ length: 999 }, (_, i) => `goal ${i}`) })
  expect(made.body).toHaveLength(999)
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => site.create(event(`last ${i}`))))
  expect(answers.map(answer => answer.status).sort()).toEqual([201, ...Array(19).fill(422)])
  const refused = answers.find(answer => answer.status === 422)!
  expect(refused.body.errors).toEqual({ body: ['The site already has 1000 goals'] })
  const full = await site.list('?per_page=1')
  expect(full.body.meta.total).toBe(1000)
  expect((await site.update(full.body.data[0].id, event('renamed'))).status).toBe(200)
  nothing(await site.remove(full.body.data[0].id))
  expect((await site.create(event('fits'))).status).toBe(201)
  expect((await site.create(event('does not'))).status).toBe(422)
})

test('goals, creating: a new goal has the current currency of the site', async () => {
  const site = await newSite()
  expect((await site.setCurrency('EUR')).status).toBe(200)
  expect((await site.create(event('paid', { currency: 'USD' }))).status).toBe(422)
  const goal = (await site.create(event('paid', { currency: 'EUR' }))).body
  expect(goal.currency).toBe('EUR')
  expect((await site.setCurrency('USD')).status).toBe(422)
  expect((await site.update(goal.id, event('paid'))).body.currency).toBeNull()
  expect((await site.setCurrency('USD')).status).toBe(200)
})

test('goals, creating: a revenue goal and a parallel change of the currency never both succeed', async () => {
  for (let round = 0; round < 5; round++) {
    const site = await newSite()
    const [goal, change] = await Promise.all([
      site.create(event('paid', { currency: 'USD' })),
      site.setCurrency('EUR'),
    ])
    expect([goal.status, change.status]).toBeOneOf([
      [201, 422],
      [422, 200],
    ])
  }
})

// The embedded database has one session, which takes transactions one after the other.
test('goals, creating: waits for a transaction that changes the currency', { tags: ['native'] }, async () => {
  const site = await newSite()
  const { siteNo } = site
  const created = await race(
    goals.api.services.db,
    tx => tx`update sites set currency = 'EUR' where site_no = ${siteNo}`,
    () => site.create(event('paid', { currency: 'USD' })),
  )
  expect(created.body.errors).toEqual({ currency: ['currency must be that of the site, EUR'] })
})

test('goals, replacing: resets omitted fields and keeps id and creation time', async () => {
  const site = await newSite()
  const paid = { match_operator: 'starts_with', currency: 'USD', custom_props: { plan: 'pro' } }
  const goal = (await site.create(event('paid', { display_name: 'Sale', ...paid }))).body
  const answer = await site.update(goal.id, event('sold'))
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    ...{ id: goal.id, display_name: 'sold', type: 'event', match_value: 'sold', match_operator: 'is' },
    ...{ scroll_threshold: -1, currency: null, custom_props: {}, created_at: goal.created_at },
  })
  const scroll = { match_type: 'scroll', match_value: 'a', scroll_threshold: 10 }
  expect((await site.update(goal.id, scroll)).body).toMatchObject({
    ...{ display_name: 'Scroll 10% on /a', match_operator: 'matches_pattern', scroll_threshold: 10 },
  })
  expect((await site.update(goal.id, { match_type: 'copy' })).body).toMatchObject({
    ...{ display_name: 'Copy', match_value: null, scroll_threshold: -1 },
  })
  expect((await site.list()).body.data).toHaveLength(1)
})

test('replacing a goal accepts the same definition; only other goals conflict', async () => {
  const site = await newSite()
  const one = (await site.create(event('one'))).body
  const two = (await site.create(event('two', { display_name: 'Two' }))).body
  expect((await site.update(one.id, event('one'))).body).toEqual(one)
  const twin = await site.update(one.id, event('two'))
  expect([twin.status, twin.body.errors]).toEqual([422, IDENTICAL])
  const name = await site.update(one.id, event('one', { display_name: 'Two' }))
  expect([name.status, Object.keys(name.body.errors)]).toEqual([422, ['display_name']])
  expect((await site.update(two.id, event('two', { display_name: 'one' }))).status).toBe(422)
  expect((await site.list()).body.data).toEqual([one, two])
})

test('goals: replacing a goal uses the id in the path, in either case, and ignores an id in the body', async () => {
  const site = await newSite()
  const [one, two] = [(await site.create(event('one'))).body, (await site.create(event('two'))).body]
  const ids = { goal: two.id, id: two.id, siteKey: randomUUID() }
  const answer = await site.update(one.id.toUpperCase(), event('three', ids))
  expect(answer.body).toMatchObject({ id: one.id, match_value: 'three' })
  expect((await site.list('?search=two')).body.data).toEqual([two])
})

test('goals, replacing: ten parallel requests with one name: one succeeds', async () => {
  const site = await newSite()
  const made = await site.batch({ event_names: Array.from({ length: 10 }, (_, i) => `goal ${i}`) })
  const rename = ({ id, match_value }: { id: string; match_value: string }) =>
    site.update(id, event(match_value, { display_name: 'wanted' }))
  const answers: Answer[] = await Promise.all(made.body.map(rename))
  expect(answers.map(answer => answer.status).sort()).toEqual([200, ...Array(9).fill(422)])
})

test('goals: a deleted goal is not found', async () => {
  const site = await newSite()
  const goal = (await site.create(event('signup'))).body
  nothing(await site.remove(goal.id))
  expect((await site.list()).body.data).toEqual([])
  expect((await site.remove(goal.id)).status).toBe(404)
  expect((await site.update(goal.id, event('signup'))).status).toBe(404)
  expect((await site.create(event('signup'))).status).toBe(201)
})

test('goals: an invalid or unknown id, or one of another site, is 404 before the body is validated', async () => {
  const site = await newSite()
  const foreign = (await (await newSite()).create(event('theirs'))).body
  const bodies = []
  const malformed = ['nonsense', '1', 'null', '%00', '__proto__', `${foreign.id}x`, '%F0%9F%8D%95']
  for (const id of [foreign.id, randomUUID(), ...malformed]) {
    for (const body of [event('mine'), {}]) {
      const answer = await site.update(id, body)
      expect(answer.status).toBe(404)
      bodies.push({ ...answer.body, request_id: undefined })
    }
    const answer = await site.remove(id)
    expect(answer.status).toBe(404)
    bodies.push({ ...answer.body, request_id: undefined })
  }
  expect(new Set(bodies.map(body => JSON.stringify(body))).size).toBe(1)
  expect(bodies[0]).toMatchObject({ code: 'not_found', message: 'No such goal' })
})
