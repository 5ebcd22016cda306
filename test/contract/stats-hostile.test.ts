// @module-tag full
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cpuOf } from '../support/within.ts'
import {
  dayOfHits,
  expectComposure,
  hit,
  type Stats,
  type StatsSite,
  startStats,
  THAT_DAY,
} from './stats-site.ts'

let stats: Stats
let site: StatsSite
let foreign: StatsSite
let fingerprint: string

beforeAll(async () => {
  stats = await startStats()
  site = await stats.site()
  foreign = await stats.site('UTC', await stats.api.member())
  await stats.store(dayOfHits(site))
  const at = '2026-03-10T09:00:00Z'
  const secret = { url: '/FOREIGN', title: 'FOREIGN', props: { FOREIGN: 'FOREIGN' }, hostname: 'FOREIGN' }
  await stats.store([
    hit(foreign, at, secret),
    hit(foreign, at, { ...secret, type: 'event', name: 'FOREIGN' }),
    hit(foreign, at, { ...secret, type: 'error', name: 'error', error: { message: 'FOREIGN' } }),
  ])
  fingerprint = (await stats.read(site, `/stats/errors?${THAT_DAY}`)).data[0].id
})
afterAll(() => stats.close())

/** Every endpoint, with what it cannot do without, and the parameters that are its own. */
const ENDPOINTS: [string, string, string[]][] = [
  ['/overview', '', []],
  ['/stats/events', '', ['types', 'per_page', 'page']],
  ['/stats/events/timeseries', '', ['types']],
  ['/stats/events/property-breakdown', 'event_type=event&event_name=signup', ['event_type', 'event_name']],
  ['/stats/page-titles', '', ['per_page', 'page']],
  ['/stats/page-titles/timeseries', 'title=Home', ['title']],
  ['/stats/filter-values', 'dimension=path', ['dimension', 'limit']],
  ['/stats/errors', '', ['per_page', 'page']],
  ['/stats/errors/{error}', '', []],
  ['/stats/errors/{error}/timeseries', '', []],
  ['/stats/errors/{error}/events', '', ['per_page', 'page']],
  ['/stats/goals', '', []],
  ['/stats/breakdown', 'dimension=path', ['dimension', 'search', 'sort', 'order', 'conversion_goal', 'page']],
  ['/stats/timeseries', 'metric=visitors', ['metric']],
  ['/stats/money', '', ['compare']],
  ['/stats/money/breakdown', 'dimension=path', ['dimension', 'sort', 'page']],
  ['/stats/money/changes', '', ['per_page', 'page']],
  ['/stats/money/customers', '', ['search', 'status', 'sort', 'order', 'page']],
  ['/stats/money/subscriptions', '', ['search', 'status', 'sort', 'order']],
  ['/stats/money/lifetime-value', 'dimension=source', ['dimension', 'per_page']],
]
const COMMON = ['range', 'from', 'to']
const DIMENSIONS = [
  ...['path', 'entry_path', 'exit_path', 'title', 'hostname', 'user_id', 'event_name', 'visit_count'],
  ...['referrer', 'channel', 'source', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'],
  ...['campaign', 'browser', 'browser_version', 'os', 'os_version', 'size', 'screen', 'language', 'country'],
  ...['region', 'city', 'goal', 'prop_key', 'prop_value'],
]
const INJECTIONS = [
  ...["'", `"' or 1=1 --`, "'; drop table events; --", "') union select title from events --", '$1', '\\'],
  ...[`\\'`, '{}', '[]', '[object Object]', '__proto__', 'constructor', 'toString', '\u202e🙂'],
  '../../etc/passwd',
].map(encodeURIComponent)
const BYTES = ['%00', 'a%00b', '%ED%A0%80', '%ff%fe', '%', '%zz', '+', '%0d%0aX-Injected:1', '%E2%80%A8', '']

const url = (path: string, query: string) =>
  `${site.path}${path.replace('{error}', fingerprint)}?${THAT_DAY}&${query}`

describe.each(ENDPOINTS)('%s', (path, needed, own) => {
  const number = ENDPOINTS.findIndex(([each]) => each === path)

  // Each endpoint with all texts in its own parameters, and with some in those that all have: with all of them over the endpoints.
  test('hostile values of its own parameters cause no internal error', async () => {
    const texts = [...INJECTIONS, ...BYTES, 'x'.repeat(4_000)]
    const some = texts.filter((_, index) => index % 4 === number % 4)
    for (const name of [...own, ...COMMON]) {
      const rest = needed
        .split('&')
        .filter(given => given && !given.startsWith(`${name}=`))
        .join('&')
      for (const text of COMMON.includes(name) ? some : texts) {
        const days = name === 'from' || name === 'to' ? 'range=today' : THAT_DAY
        const query = `${days}&${rest}&${name}=${text}`
        const answer = await stats.ask(`${site.path}${path.replace('{error}', fingerprint)}?${query}`)
        expectComposure(answer, `${path}?${query}`, [200, 400, 422])
      }
    }
  })

  // Two dimensions for each endpoint: over the endpoints, each text in each dimension.
  test('hostile values of filters cause no internal error', async () => {
    const texts = [...INJECTIONS, ...BYTES]
    for (const [index, text] of texts.entries()) {
      for (let turn = 0; turn < 2; turn++) {
        const name = DIMENSIONS[(index + number * 2 + turn) % DIMENSIONS.length]
        const query = `${needed}&${name}=${text}`
        expectComposure(await stats.ask(url(path, query)), `${path}?${query}`, [200, 400, 422])
      }
    }
  })

  test('parameters of a strange form are accepted or refused', async () => {
    for (const given of [
      ...[
        'path[]=/home',
        'path[0]=/home',
        'path[is][]=/home',
        'path[is][contains]=/home',
        'path[is',
        'path]=x',
      ],
      ...['[is]=x', '[]=x', '=x', '__proto__=x', '__proto__[path]=x', 'constructor[prototype][path]=x'],
      ...['hasOwnProperty=x', 'siteKey=FOREIGN-KEY', 'site=1&site_no=1&site_id=1', 'range[is]=today'],
      ...['from[is]=2026-03-10', 'range=today&range=all', 'from=2026-03-10&from=2026-03-11'],
      ...['error=x&error=y', 'path=/a&path[contains]=/b&path[is]=/c'],
    ]) {
      const answer = await stats.ask(url(path, `${needed}&${given}`))
      // What names a key of ours is no data of the other site.
      answer.text = answer.text.replaceAll('FOREIGN-KEY', '')
      expectComposure(answer, given)
    }
  })

  test('hostile site keys give access to no other site', async () => {
    for (const key of [
      foreign.id,
      `${site.id}/../${foreign.id}`,
      `${site.id}%00`,
      "'%20or%201=1",
      '%2e%2e',
    ]) {
      const answer = await stats.ask(`/api/sites/${key}${path.replace('{error}', fingerprint)}?${needed}`)
      expectComposure(answer, key, [404, 400])
    }
    const unknown = await stats.ask(url(path, `${needed}&site=${foreign.id}&siteKey=${foreign.id}`))
    expectComposure(unknown, 'siteKey in the query')
  })
})

describe('patterns that are exponential in other engines', () => {
  const expressions = [
    ...['(a+)+$', '(.*)*x', '((((a*)*)*)*)*b', '(a|aa)+$', '(a|a)*$', '^(([a-z])+.)+[A-Z]([a-z])+$'],
    ...['(a{1000}){1000}', '((a{10}){10}){10}', '(x+x+)+y', '.*.*.*.*.*.*.*.*.*.*.*=', '\\pL{500}'],
    ...[`${'('.repeat(900)}a${')'.repeat(900)}`, '(a?){100}'.repeat(20), `[${'a-z'.repeat(500)}]`],
  ]
  beforeAll(() =>
    stats.store(
      ['a', 'x', 'aA'].map((letter, index) =>
        hit(site, `2026-03-10T20:0${index}:00Z`, {
          url: `/${letter.repeat(1_000)}!`,
          title: letter.repeat(200),
        }),
      ),
    ),
  )

  test.each([
    ...expressions.map(value => ['matches_regex', value] as const),
    ...['*a', '**a', '*', '**', '*a*', '?'].map(
      part => ['matches_pattern', part.repeat(Math.min(1_000, Math.floor(2_048 / part.length)))] as const,
    ),
  ])('%s %s is answered or refused within a second', async (operator, value) => {
    for (const [path, dimension] of [
      ['overview', 'path'],
      ['stats/events', 'title'],
      ['stats/page-titles', 'entry_path'],
    ]) {
      const query = `${THAT_DAY}&${dimension}[${operator}]=${encodeURIComponent(value)}`
      const ask = async () => expectComposure(await stats.ask(`${site.path}/${path}?${query}`), value)
      expect(await cpuOf(ask)).toBeLessThan(1_000)
    }
  })

  test('a goal with a pattern that is exponential elsewhere is refused, or the report answers within a second', async () => {
    for (const value of expressions) {
      const made = await stats.api.call('POST', `${site.path}/goals`, {
        token: stats.owner.token,
        body: { match_type: 'page', match_operator: 'matches_regex', match_value: value },
      })
      expect([201, 422], value).toContain(made.status)
      expect(await cpuOf(() => stats.read(site, `/stats/goals?${THAT_DAY}`)), value).toBeLessThan(1_000)
      if (made.status === 201) {
        const path = `${site.path}/goals/${made.body.id}`
        await stats.api.call('DELETE', path, { token: stats.owner.token })
      }
    }
  })
})
