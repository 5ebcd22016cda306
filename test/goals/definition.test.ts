import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { type Api, type Member, startApi } from '../support/api.ts'
import { goalSite } from './site.ts'

let api: Api
let owner: Member
let site: Awaited<ReturnType<typeof goalSite>>

beforeAll(async () => {
  api = await startApi({ config: { sitesPerTeam: 1_000 } })
  owner = await api.member()
  site = await goalSite(api, owner)
})
afterAll(() => api.close())

const PIZZA = '🍕'
const event = (fields: object) => ({ match_type: 'event', match_value: 'signup', ...fields })
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const ACCEPTED: [Record<string, unknown>, Record<string, unknown>][] = [
  [
    { match_type: 'page', match_value: '/pricing' },
    {
      type: 'page',
      match_value: '/pricing',
      match_operator: 'matches_pattern',
      display_name: 'Visit /pricing',
    },
  ],
  [
    { match_type: 'page', match_value: 'thanks/*' },
    { match_value: '/thanks/*', display_name: 'Visit /thanks/*' },
  ],
  [
    { match_type: 'page', match_value: 'blog', match_operator: 'contains' },
    { match_value: '/blog', match_operator: 'contains', display_name: 'Visit /blog' },
  ],
  [{ match_type: 'page', match_value: 'x'.repeat(2048) }, { match_value: `/${'x'.repeat(2048)}` }],
  [
    { match_type: 'page', match_value: '^/docs/.*$', match_operator: 'matches_regex' },
    { match_value: '^/docs/.*$', match_operator: 'matches_regex', display_name: 'Visit ^/docs/.*$' },
  ],
  [
    { match_type: 'scroll', match_value: 'long-read', scroll_threshold: 75 },
    {
      type: 'scroll',
      match_value: '/long-read',
      scroll_threshold: 75,
      display_name: 'Scroll 75% on /long-read',
    },
  ],
  [
    { match_type: 'scroll', match_value: '/', scroll_threshold: 0 },
    { scroll_threshold: 0, match_operator: 'matches_pattern', display_name: 'Scroll 0% on /' },
  ],
  [{ match_type: 'scroll', match_value: '/', scroll_threshold: 100 }, { scroll_threshold: 100 }],
  [
    { match_type: 'event', match_value: 'signup' },
    { type: 'event', match_value: 'signup', match_operator: 'is', display_name: 'signup', currency: null },
  ],
  [event({ currency: 'USD' }), { currency: 'USD', custom_props: {} }],
  [
    event({ custom_props: { plan: 'pro', from: ' ', [PIZZA.repeat(300)]: PIZZA.repeat(2000) } }),
    { custom_props: { plan: 'pro', from: ' ', [PIZZA.repeat(300)]: PIZZA.repeat(2000) } },
  ],
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
  [
    { match_type: 'download', match_value: '*.pdf' },
    { display_name: 'Download: *.pdf', match_value: '*.pdf' },
  ],
  [{ match_type: 'button', match_value: '#buy' }, { display_name: 'Button: #buy' }],
  [
    { match_type: 'form', match_value: '' },
    { display_name: 'Form', match_value: null },
  ],
  [
    { match_type: 'copy', match_value: null, match_operator: 'is' },
    { display_name: 'Copy', match_operator: 'is' },
  ],
  // A client may send back what it was given, nulls included.
  [
    event({
      match_operator: null,
      scroll_threshold: null,
      display_name: null,
      currency: null,
      custom_props: null,
    }),
    { match_operator: 'is', scroll_threshold: -1, display_name: 'signup', currency: null, custom_props: {} },
  ],
  [event({ display_name: '  ' }), { display_name: 'signup' }],
  [{ match_type: 'page', match_value: '/x', custom_props: {} }, { custom_props: {} }],
  [event({ id: 'mine', created_at: 'never', site_no: 1, unknown: true }), { match_value: 'signup' }],
]

describe('valid goal definition', () => {
  test.each(ACCEPTED)(
    '%j is stored and returned with defaults for omitted fields',
    async (body, expected) => {
      const own = await goalSite(api, owner)
      const before = Date.now()
      const made = await own.create(body)
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      expect(Object.keys(made.body)).toEqual([
        'id',
        'display_name',
        'type',
        'match_value',
        'match_operator',
        'scroll_threshold',
        'currency',
        'custom_props',
        'created_at',
      ])
      expect(made.body).toMatchObject({ id: expect.stringMatching(UUID), ...expected })
      if (body.match_type !== 'scroll') expect(made.body.scroll_threshold).toBe(-1)
      const createdAt = new Date(made.body.created_at)
      expect(createdAt.toISOString()).toBe(made.body.created_at)
      expect(createdAt.getTime()).toBeGreaterThan(before - 5_000)
      expect((await own.list()).body.data).toEqual([made.body])
      await api.call('DELETE', `/api/sites/${own.id}`, { token: owner.token })
    },
  )
})

const REFUSED: [unknown, string, string][] = [
  [{}, 'match_type', 'must be one of page, event, scroll, outbound, download, button, form, copy'],
  [
    { match_type: 'Page' },
    'match_type',
    'must be one of page, event, scroll, outbound, download, button, form, copy',
  ],
  [
    { match_type: null },
    'match_type',
    'must be one of page, event, scroll, outbound, download, button, form, copy',
  ],
  [{ match_type: 'page' }, 'match_value', 'is required'],
  [{ match_type: 'page', match_value: '' }, 'match_value', 'is required'],
  [{ match_type: 'page', match_value: null }, 'match_value', 'is required'],
  [{ match_type: 'scroll', scroll_threshold: 5 }, 'match_value', 'is required'],
  [{ match_type: 'event' }, 'match_value', 'is required'],
  [event({ match_value: ' \n' }), 'match_value', 'is required'],
  [event({ match_value: '\0' }), 'match_value', 'is required'],
  [event({ match_value: 1 }), 'match_value', 'must be a string'],
  [event({ match_value: ['a'] }), 'match_value', 'must be a string'],
  [event({ match_value: PIZZA.repeat(2049) }), 'match_value', 'must be at most 2048 characters'],
  [{ match_type: 'copy', match_value: 'x'.repeat(2049) }, 'match_value', 'must be at most 2048 characters'],
  [{ match_type: 'page', match_value: 'x'.repeat(2049) }, 'match_value', 'must be at most 2048 characters'],
  [
    event({ match_operator: 'equals' }),
    'match_operator',
    'must be one of is, is_not, contains, does_not_contain, starts_with, ends_with, matches_pattern, matches_regex',
  ],
  [
    event({ match_operator: 'matches_regex', match_value: '(a{1000}){1000}' }),
    'match_value',
    'is too large a regular expression: it repeats too much',
  ],
  [
    { match_type: 'copy', match_operator: 'matches_regex', match_value: '\\pL'.repeat(101) },
    'match_value',
    'is too large a regular expression: at most 100 classes by a property of Unicode, and at most 10 wide ranges where case does not matter',
  ],
  [{ match_type: 'scroll', match_value: '/' }, 'scroll_threshold', 'is required'],
  [{ match_type: 'scroll', match_value: '/', scroll_threshold: null }, 'scroll_threshold', 'is required'],
  [
    { match_type: 'scroll', match_value: '/', scroll_threshold: -1 },
    'scroll_threshold',
    'must be at least 0',
  ],
  [
    { match_type: 'scroll', match_value: '/', scroll_threshold: 101 },
    'scroll_threshold',
    'must be at most 100',
  ],
  [
    { match_type: 'scroll', match_value: '/', scroll_threshold: 50.5 },
    'scroll_threshold',
    'must be an integer',
  ],
  [
    { match_type: 'scroll', match_value: '/', scroll_threshold: '50' },
    'scroll_threshold',
    'must be an integer',
  ],
  [
    { match_type: 'page', match_value: '/', scroll_threshold: 50 },
    'scroll_threshold',
    'is only for scroll goals',
  ],
  [event({ scroll_threshold: 0 }), 'scroll_threshold', 'is only for scroll goals'],
  [{ match_type: 'copy', scroll_threshold: 0 }, 'scroll_threshold', 'is only for scroll goals'],
  [event({ display_name: PIZZA.repeat(256) }), 'display_name', 'must be at most 255 characters'],
  [event({ display_name: 5 }), 'display_name', 'must be a string'],
  [event({ currency: 'EUR' }), 'currency', 'currency must be that of the site, USD'],
  [event({ currency: 'usd' }), 'currency', 'currency must be that of the site, USD'],
  [event({ currency: '' }), 'currency', 'currency must be that of the site, USD'],
  [event({ currency: 840 }), 'currency', 'must be a string'],
  [{ match_type: 'page', match_value: '/', currency: 'USD' }, 'currency', 'is only for event goals'],
  [{ match_type: 'outbound', currency: 'USD' }, 'currency', 'is only for event goals'],
  [
    { match_type: 'page', match_value: '/', custom_props: { a: 'b' } },
    'custom_props',
    'are only for event goals',
  ],
  [{ match_type: 'form', custom_props: { a: 'b' } }, 'custom_props', 'are only for event goals'],
  [
    event({ custom_props: { a: '1', b: '2', c: '3', d: '4' } }),
    'custom_props',
    'must have at most 3 properties',
  ],
  [event({ custom_props: [] }), 'custom_props', 'must be an object'],
  [event({ custom_props: 'a' }), 'custom_props', 'must be an object'],
  [event({ custom_props: { '': 'x' } }), 'custom_props', 'must have keys of 1 to 300 characters'],
  [event({ custom_props: { '\0': 'x' } }), 'custom_props', 'must have keys of 1 to 300 characters'],
  [
    event({ custom_props: { [PIZZA.repeat(301)]: 'x' } }),
    'custom_props',
    'must have keys of 1 to 300 characters',
  ],
  [event({ custom_props: { a: '' } }), 'custom_props.a', 'must not be empty'],
  [event({ custom_props: { a: PIZZA.repeat(2001) } }), 'custom_props.a', 'must be at most 2000 characters'],
  [event({ custom_props: { a: 1 } }), 'custom_props.a', 'must be a string'],
  [event({ custom_props: { a: null } }), 'custom_props.a', 'must be a string'],
  [event({ custom_props: { a: { b: 'c' } } }), 'custom_props.a', 'must be a string'],
  [
    event({ custom_props: JSON.parse('{"__proto__": "x"}') }),
    'custom_props',
    'must not have the key __proto__',
  ],
  ...[
    'pageview',
    'engagement',
    'performance',
    'web-vitals',
    'payment',
    'free_trial',
    'trial_started',
    'trial_converted',
    'subscription_started',
    'subscription_renewed',
    'subscription_upgraded',
    'subscription_downgraded',
    'subscription_cancel_scheduled',
    'subscription_reactivated',
    'subscription_ended',
  ].map(name => [event({ match_value: name }), 'match_value', 'reserved'] as [unknown, string, string]),
  [event({ match_value: 'payment', match_operator: 'contains' }), 'match_value', 'reserved'],
]

describe('invalid goal definition', () => {
  let kept: Record<string, unknown>
  beforeAll(async () => {
    kept = (await site.create({ match_type: 'event', match_value: 'kept' })).body
  })

  test.each(REFUSED)('%j is refused by create and replace: %s %s', async (body, field, problem) => {
    for (const answer of [await site.create(body), await site.update(kept.id as string, body)]) {
      expect(answer.status).toBe(422)
      expect(answer.body.code).toBe('validation_failed')
      expect(Object.keys(answer.body.errors)).toEqual([field])
      expect(answer.body.errors[field]).toEqual([expect.stringContaining(problem)])
    }
    expect((await site.list()).body.data).toEqual([kept])
  })

  test('an invalid goal definition is refused through tRPC with the same message', async () => {
    const client = createClient(api.url, owner.token)
    const refused = await client.goals.create
      .mutate({ siteKey: site.id, match_type: 'scroll', match_value: '/' })
      .catch(error => error)
    expect(refused.data).toMatchObject({ httpStatus: 422, errors: { scroll_threshold: ['is required'] } })
  })
})
