import { beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import { SERVICE_EVENTS } from '../../contract/revenue-shop.ts'
import { useGoals } from './site.ts'

const goals = useGoals('owner')
const { newSite } = goals

const PIZZA = '🍕'
const event = (fields: object) => ({ match_type: 'event', match_value: 'signup', ...fields })
const page = (match_value: unknown, fields: object = {}) => ({ match_type: 'page', match_value, ...fields })
const scroll = (match_value: unknown, scroll_threshold: unknown) => ({
  ...{ match_type: 'scroll', match_value, scroll_threshold },
})
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NULLS = {
  ...{ match_operator: null, scroll_threshold: null, display_name: null, currency: null },
  custom_props: null,
}
const PROPS = { plan: 'pro', from: ' ', [PIZZA.repeat(300)]: PIZZA.repeat(2000) }

const ACCEPTED: [Record<string, unknown>, Record<string, unknown>][] = [
  [page('/pricing'), { type: 'page', match_operator: 'matches_pattern', display_name: 'Visit /pricing' }],
  [page('thanks/*'), { match_value: '/thanks/*', display_name: 'Visit /thanks/*' }],
  [page('blog', { match_operator: 'contains' }), { match_value: '/blog', display_name: 'Visit /blog' }],
  [page('x'.repeat(2048)), { match_value: `/${'x'.repeat(2048)}` }],
  [
    page('^/docs/.*$', { match_operator: 'matches_regex' }),
    { match_value: '^/docs/.*$', match_operator: 'matches_regex', display_name: 'Visit ^/docs/.*$' },
  ],
  [
    scroll('long-read', 75),
    { type: 'scroll', match_value: '/long-read', display_name: 'Scroll 75% on /long-read' },
  ],
  [page('/x?a=1', { match_operator: 'is_not' }), { match_value: '/x?a=1' }],
  [page('\\?', { match_operator: 'matches_regex' }), { match_value: '\\?' }],
  [event({ match_value: 'what? #1' }), { match_value: 'what? #1' }],
  [scroll('/', 0), { match_operator: 'matches_pattern', display_name: 'Scroll 0% on /' }],
  [scroll('/', 100), { scroll_threshold: 100 }],
  [event({}), { type: 'event', match_operator: 'is', display_name: 'signup', currency: null }],
  [event({ currency: 'USD' }), { currency: 'USD', custom_props: {} }],
  [event({ custom_props: PROPS }), { custom_props: PROPS }],
  [event({ display_name: 'Signed up' }), { display_name: 'Signed up', match_value: 'signup' }],
  [event({ display_name: PIZZA.repeat(255) }), { display_name: PIZZA.repeat(255) }],
  [event({ match_value: PIZZA.repeat(2048) }), { display_name: `${PIZZA.repeat(254)}…` }],
  [event({ match_value: 'a\0b\ud800' }), { match_value: 'ab\ufffd', display_name: 'ab\ufffd' }],
  [event({ match_value: 'Payment' }), { match_value: 'Payment' }],
  [event({ match_value: 'x'.repeat(255) }), { display_name: 'x'.repeat(255) }],
  [
    { match_type: 'outbound' },
    { type: 'outbound', match_value: null, match_operator: 'matches_pattern', display_name: 'Outbound' },
  ],
  [{ match_type: 'download', match_value: '*.pdf' }, { display_name: 'Download: *.pdf' }],
  [{ match_type: 'button', match_value: '#buy' }, { display_name: 'Button: #buy' }],
  [
    { match_type: 'form', match_value: '' },
    { display_name: 'Form', match_value: null },
  ],
  [{ match_type: 'copy', match_value: null, match_operator: 'is' }, { display_name: 'Copy' }],
  // A client may send back what it was given, nulls included.
  [event(NULLS), { match_operator: 'is', display_name: 'signup', currency: null, custom_props: {} }],
  [event({ display_name: '  ' }), { display_name: 'signup' }],
  [page('/x', { custom_props: {} }), { custom_props: {} }],
  [event({ id: 'mine', created_at: 'never', site_no: 1, unknown: true }), { match_value: 'signup' }],
]

test.each(ACCEPTED)(
  'valid goal definition: %j is stored and returned with defaults for omitted fields',
  async (body, expected) => {
    const own = await newSite()
    const before = Date.now()
    const made = await own.create(body)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(Object.keys(made.body)).toEqual([
      ...['id', 'display_name', 'type', 'match_value', 'match_operator', 'scroll_threshold', 'currency'],
      ...['custom_props', 'created_at'],
    ])
    const given = ['match_value', 'match_operator', 'scroll_threshold'].filter(name => body[name])
    const kept = Object.fromEntries(given.map(name => [name, body[name]]))
    const scroll_threshold = body.match_type === 'scroll' ? body.scroll_threshold : -1
    const id = expect.stringMatching(UUID)
    expect(made.body).toMatchObject({ id, ...kept, scroll_threshold, ...expected })
    const createdAt = new Date(made.body.created_at)
    expect(createdAt.toISOString()).toBe(made.body.created_at)
    expect(createdAt.getTime()).toBeGreaterThan(before - 5_000)
    expect((await own.list()).body.data).toEqual([made.body])
    await goals.api.call('DELETE', `/api/sites/${own.id}`, { token: goals.owner.token })
  },
)

test.each([
  ['https://DOMAIN/pricing', '/pricing'],
  ['http://www.DOMAIN:80/pricing/*', '/pricing/*'],
  ['DOMAIN/a', '/a'],
  ['www.DOMAIN', '/'],
  ['//DOMAIN', '/'],
  ['//a/b', '//a/b'],
])('goals: the own address of the site is taken off %s', async (match_value, path) => {
  const own = await newSite()
  const made = await own.create(page(match_value.replace('DOMAIN', own.domain)))
  expect([made.status, made.body.match_value]).toEqual([201, path])
})

const TYPES = 'must be one of page, event, scroll, outbound, download, button, form, copy'
const OPERATORS =
  'must be one of is, is_not, contains, does_not_contain, starts_with, ends_with, matches_pattern, matches_regex'
const TOO_LARGE = 'is too large a regular expression: '
const KEYS = 'must have keys of 1 to 300 characters'
const regex = (match_value: string) => ({ match_type: 'copy', match_operator: 'matches_regex', match_value })
const ZERO = { scroll_threshold: 0 }
const props = (custom_props: unknown) => event({ custom_props })

/** Bodies by field and problem. */
const REFUSED: Record<string, Record<string, unknown[]>> = {
  match_type: { [TYPES]: [{}, { match_type: 'Page' }, { match_type: null }] },
  match_value: {
    'is required': [
      ...[page(undefined), page(''), page(null), scroll(undefined, 5)],
      ...[undefined, ' \n', '\0'].map(match_value => event({ match_value })),
    ],
    'must be a string': [event({ match_value: 1 }), event({ match_value: ['a'] })],
    'must be at most 2048 characters': ['event', 'copy', 'page'].map(match_type => ({
      ...{ match_type, match_value: PIZZA.repeat(2049) },
    })),
    'must be a path without ? and #': [
      ...[
        page('/x?a=1'),
        page('/x#top', { match_operator: 'is' }),
        page('?', { match_operator: 'contains' }),
      ],
      ...[scroll('/x?', 50), page('https://other.example/x?a=1')],
    ],
    'such as /pricing: pages of other addresses are not counted here': [
      ...[page('https://other.example/x'), page('http://other.example', { match_operator: 'is_not' })],
      scroll('https://*/x', 5),
    ],
    [`${TOO_LARGE}it repeats too much`]: [regex('(a{1000}){1000}')],
    [`${TOO_LARGE}at most 100 classes by a property of Unicode`]: [regex('\\pL'.repeat(101))],
    'and at most 10 wide ranges': [regex(`(?i)[${'a-\u{10ffff}'.repeat(100)}]`)],
    '': [regex('('), regex('(?=a)')],
    reserved: [
      ...['pageview', 'engagement', 'performance', 'web-vitals', ...SERVICE_EVENTS].map(match_value =>
        event({ match_value }),
      ),
      event({ match_value: 'payment', match_operator: 'contains' }),
    ],
  },
  match_operator: { [OPERATORS]: [event({ match_operator: 'equals' })] },
  scroll_threshold: {
    'is required': [scroll('/', undefined), scroll('/', null)],
    'must be at least 0': [scroll('/', -1)],
    'must be at most 100': [scroll('/', 101)],
    'must be an integer': [scroll('/', 50.5), scroll('/', '50')],
    'is only for scroll goals': [page('/', ZERO), event(ZERO), { match_type: 'copy', ...ZERO }],
  },
  display_name: {
    'must be at most 255 characters': [event({ display_name: PIZZA.repeat(256) })],
    'must be a string': [event({ display_name: 5 })],
  },
  currency: {
    'currency must be that of the site, USD': ['EUR', 'usd', ''].map(currency => event({ currency })),
    'must be a string': [event({ currency: 840 })],
    'is only for event goals': [page('/', { currency: 'USD' }), { match_type: 'outbound', currency: 'USD' }],
  },
  custom_props: {
    'are only for event goals': [
      ...[page('/', { custom_props: { a: 'b' } }), { match_type: 'form', custom_props: { a: 'b' } }],
    ],
    'must have at most 3 properties': [props({ a: '1', b: '2', c: '3', d: '4' })],
    'must be an object': [props([]), props('a')],
    [KEYS]: [props({ '': 'x' }), props({ '\0': 'x' }), props({ [PIZZA.repeat(301)]: 'x' })],
    'must not have the key __proto__': [props(JSON.parse('{"__proto__": "x"}'))],
  },
  'custom_props.a': {
    'must not be empty': [props({ a: '' })],
    'must be at most 2000 characters': [props({ a: PIZZA.repeat(2001) })],
    'must be a string': [props({ a: 1 }), props({ a: null }), props({ a: { b: 'c' } })],
  },
}
const CASES = Object.entries(REFUSED).flatMap(([field, problems]) =>
  Object.entries(problems).map(([problem, bodies]) => [field, problem, bodies] as const),
)

describe('invalid goal definition', () => {
  let site: Awaited<ReturnType<typeof newSite>>
  let kept: Record<string, unknown>
  beforeAll(async () => {
    site = await newSite()
    kept = (await site.create({ match_type: 'event', match_value: 'kept' })).body
  })

  test.each(CASES)('is refused by create and replace: %s %s', async (field, problem, bodies) => {
    for (const body of bodies) {
      for (const answer of [await site.create(body), await site.update(kept.id as string, body)]) {
        expect([answer.status, answer.body.code], JSON.stringify(body)).toEqual([422, 'validation_failed'])
        expect(answer.body.errors).toEqual({ [field]: [expect.stringContaining(problem)] })
      }
    }
    expect((await site.list()).body.data).toEqual([kept])
  })

  test('an invalid goal definition is refused through tRPC with the same message', async () => {
    const client = createClient(goals.api.url, goals.owner.token)
    const refused = await client.goals.create
      .mutate({ siteKey: site.id, match_type: 'scroll', match_value: '/' })
      .catch(error => error)
    expect(refused.data).toMatchObject({ httpStatus: 422, errors: { scroll_threshold: ['is required'] } })
  })
})
