import { expect, test } from 'vitest'
import { expectError } from './requests.ts'
import { hit, type StatsSite, THAT_DAY, useStats } from './stats-site.ts'

let site: StatsSite

/** 4,203 instructions, at up to 100 ns a character each: minutes for the paths below. */
const SLOW = '(?:a[ab]?|b[ab]?){600}c'
const PATHS = 300

const stats = useStats(async () => {
  site = await stats.site()
  const pathOf = (index: number) =>
    Array.from({ length: 1_000 }, (_, place) => ((index >> (place % 9)) & 1 ? 'a' : 'b')).join('')
  const start = Date.parse('2026-03-10T20:00:00Z')
  await stats.store(
    Array.from({ length: PATHS }, (_, index) =>
      hit(site, new Date(start + index * 100).toISOString(), { url: `/${pathOf(index)}` }),
    ),
  )
})

const enc = encodeURIComponent
const ENDPOINTS = ['/overview?', '/stats/breakdown?dimension=os&', '/stats/goals?', '/stats/events?']

test.each(ENDPOINTS)(
  'filters: an expression that is too costly for the values gives 422 at once, also when repeated: %s',
  async path => {
    if (path.startsWith('/stats/goals')) await stats.goal(site, { match_type: 'event', match_value: 'x' })
    for (let turn = 0; turn < 2; turn++) {
      const answer = await stats.ask(`${site.path}${path}${THAT_DAY}&path[matches_regex]=${enc(SLOW)}`)
      expectError(answer, 422, 'validation_failed')
      const problem = expect.stringMatching(/shorter range.*simpler/)
      expect(answer.json.errors).toEqual({ 'path.matches_regex': [problem] })
    }
  },
)

test('filters: values of another day do not count towards the cost, and cheap expressions match all', async () => {
  const days = 'from=2026-03-08&to=2026-03-08'
  const before = await stats.read(site, `/overview?${days}&path[matches_regex]=${enc(SLOW)}`)
  const cheap = await stats.read(site, `/overview?${THAT_DAY}&path[matches_regex]=${enc('^/[ab]+$')}`)
  expect([before.visitors, cheap.pageviews]).toEqual([0, PATHS])
})

test('filters: the error names the parameter of the request', async () => {
  const answer = await stats.ask(`${site.path}/overview?${THAT_DAY}&campaign[matches_regex]=(`)
  expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ['campaign.matches_regex']])
})

test('filter values: an expression on the dimension itself is checked, although it is not applied', async () => {
  const ask = (pattern: string) =>
    stats.ask(
      `${site.path}/stats/filter-values?dimension=path&${THAT_DAY}&path[matches_regex]=${enc(pattern)}`,
    )
  expectError(await ask('('), 422, 'validation_failed')
  expect((await ask('x')).status).toBe(200)
})

test('goals: the report and the goal filter name a goal that is too costly', async () => {
  const own = await stats.site()
  await stats.store([hit(own, '2026-03-10T20:00:00Z', { url: `/${'ab'.repeat(1_000)}` })])
  await stats.goal(own, { match_type: 'page', match_value: '/', display_name: 'Home' })
  const expression = { match_type: 'page', match_value: SLOW, match_operator: 'matches_regex' }
  const slow = await stats.goal(own, { ...expression, display_name: 'Slow one' })
  for (const path of [`/stats/goals?${THAT_DAY}`, `/overview?${THAT_DAY}&goal=${slow}`]) {
    const answer = await stats.ask(`${own.path}${path}`)
    expectError(answer, 422, 'validation_failed')
    const [message] = answer.json.errors.goal
    expect(message).toContain('Slow one')
    expect(message).toContain(slow)
    expect(message).toContain('shorter range')
  }
  expect((await stats.ask(`${own.path}/stats/goals?from=2026-03-08&to=2026-03-08`)).status).toBe(200)
})

test('goal preview: a definition that is too costly names its value', async () => {
  const preview = (match_value: string) => {
    const definition = enc(
      JSON.stringify({ match_type: 'page', match_operator: 'matches_regex', match_value }),
    )
    return stats.ask(`${site.path}/stats/goal-preview?${THAT_DAY}&definition=${definition}`)
  }
  const slow = await preview(SLOW)
  expectError(slow, 422, 'validation_failed')
  expect(slow.json.errors).toEqual({
    'definition.match_value': [expect.stringMatching(/too long.*shorter range.*simpler/)],
  })
  const lookahead = await preview('(?=a)')
  expect([lookahead.status, Object.keys(lookahead.json.errors)]).toEqual([422, ['definition.match_value']])
  expect((await preview('^/[ab]+$')).json).toMatchObject({ conversions: PATHS })
})
