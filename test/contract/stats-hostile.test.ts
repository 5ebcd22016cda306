// @module-tag full
import { describe, test } from 'vitest'
import { dayOfHits, expectComposure, hit, type StatsSite, THAT_DAY, useStats } from './stats-site.ts'

let site: StatsSite
let foreign: StatsSite
let fingerprint: string

const stats = useStats(async () => {
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
      ...'path[]=/home path[0]=/home path[is][]=/home path[is][contains]=/home path[is path]=x'.split(' '),
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
