import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { expectError } from './requests.ts'
import { ADA, BEN, CAI, DAY, hit, type StatsSite, THAT_DAY, useStats } from './stats-site.ts'

let site: StatsSite
let goal: string
let foreignGoal: string
const read = (path: string) => stats.read(site, path)
const encode = encodeURIComponent

/** What the session of ADA is; BEN's has none of it, CAI's the other. */
const SESSION_OF_ADA = {
  ...{ referrer: 'google.com/search', channel: 'Organic Search', source: 'Google' },
  ...{ utm_source: 'news_letter', utm_medium: 'email', utm_campaign: '50% off', utm_content: 'top' },
  ...{ utm_term: 'shoes\\boots', browser: 'Chrome', os: 'macOS' },
  ...{ country: 'DE', region: 'DE-BE', city: 'Köln' },
}
const SESSION_OF_CAI = {
  ...{ referrer: 'bing.com/', channel: 'Email', source: 'Bing' },
  ...{ utm_source: 'newsXletter', utm_medium: 'cpc', utm_campaign: '500 off', utm_content: 'foot' },
  ...{ utm_term: 'shoes', browser: 'Firefox', os: 'Windows', country: 'AT', region: 'AT-9', city: 'Wien' },
}

const stored = (of: typeof SESSION_OF_ADA) => ({
  ...{ referrerPage: of.referrer, channel: of.channel, source: of.source, utmSource: of.utm_source },
  ...{ utmMedium: of.utm_medium, utmCampaign: of.utm_campaign, utmContent: of.utm_content },
  ...{ utmTerm: of.utm_term, browserName: of.browser, osName: of.os, country: of.country },
  ...{ region: of.region, city: of.city },
})

const stats = useStats(async () => {
  site = await stats.site()
  goal = await stats.goal(site, { match_type: 'page', match_value: '/ada%' })
  foreignGoal = await stats.goal(await stats.site(), { match_type: 'page', match_value: '/ada%' })
  const ada = { visitorId: ADA, hostname: 'a.example' }
  const ofAda = stored(SESSION_OF_ADA)
  const at = (time: string) => `${DAY}T${time}Z`
  await stats.store([
    hit(site, at('09:00:00'), { ...ada, url: '/ada%25'.replace('%25', '%'), title: 'Ada_1' }, ofAda),
    hit(site, at('09:01:00'), { ...ada, url: '/a\\b', title: 'Other', props: { plan: 'pro' } }, ofAda),
    hit(site, at('09:02:00'), { ...ada, type: 'event', name: 'sign_up', url: '/ada%' }, ofAda),
    hit(site, at('09:03:00'), { type: 'identify', visitorId: ADA, identity: { identifier: 'u-1' } }),
    hit(site, at('10:00:00'), { visitorId: BEN, hostname: 'b.example', url: '/ben', title: 'AdaX1' }),
    hit(
      site,
      at('11:00:00'),
      { visitorId: CAI, hostname: 'c.example', url: '/cai', props: { plan: 'free' } },
      { ...stored(SESSION_OF_CAI), size: 'mobile' },
    ),
  ])
})

const NAMES: Record<string, string> = { [ADA]: 'ada', [BEN]: 'ben', [CAI]: 'cai' }
/** Who made the hits that a filter leaves in the log, and how many there are. */
async function left(filter: string): Promise<string> {
  const { data } = await read(`/stats/events?${THAT_DAY}&${filter}`)
  const who = new Set<string>(data.map((item: { visitor_id: string }) => NAMES[item.visitor_id]!))
  return [...who].sort().concat(String(data.length)).join(' ')
}

test.each(
  Object.entries({
    ...{ ...SESSION_OF_ADA, campaign: SESSION_OF_ADA.utm_campaign },
    ...{ user_id: 'u-1', entry_path: '/ada%' },
  }),
)('filters: %s=%s keeps whole sessions', async (name, value) => {
  expect(await left(`${name}=${encode(value)}`)).toBe('ada 3')
  expect(await left(`${name}[is_not]=${encode(value)}`)).toBe('ben cai 2')
  expect(await left(`${name}=${encode(value.toUpperCase())}x`)).toBe('0')
  if (name === 'user_id' || name === 'entry_path') return
  expect(await left(`${name}=(none)`)).toBe('ben 1')
  expect(await left(`${name}[is_not]=(none)`)).toBe('ada cai 4')
})

test.each([
  ['size=mobile', 'cai 1'],
  ['size=desktop', 'ada ben 4'],
  ['visit_count=1', 'ada ben cai 5'],
  ['visit_count=2', '0'],
  ['visit_count=x', '0'],
  // Filters on hits keep the hits.
  ['path=/ben', 'ben 1'],
  ['path=/ada%25', 'ada 2'],
  ['title=Ada_1', 'ada 1'],
  ['hostname=a.example', 'ada 3'],
  ['event_name=sign_up', 'ada 1'],
  ['event_name=(none)', 'ada ben cai 4'],
  ['title=(none)', 'ada cai 2'],
  ['prop_key=plan', 'ada cai 2'],
  ['prop_key=plan&prop_value=pro', 'ada 1'],
  ['prop_key=plan&prop_value=pro&prop_value=free', 'ada cai 2'],
  ['prop_key=(none)', 'ada ben 3'],
  ['prop_key=tier', '0'],
  // The same again means OR, different ones AND, of one hit at once.
  ['path=/ben&path=/cai', 'ben cai 2'],
  ['path=/ben&path=(none)&country=AT', '0'],
  ['country=DE&country=AT', 'ada cai 4'],
  ['country=DE&path=/ada%25', 'ada 2'],
  ['path=/ada%25&title=Other', '0'],
  ['path=/a%5Cb&prop_key=plan', 'ada 1'],
  ['path[does_not_contain]=ben&path[does_not_contain]=cai', 'ada 3'],
  ['path[contains]=ben&path[contains]=cai', 'ben cai 2'],
  ['path[contains]=a&path[starts_with]=/c', 'cai 1'],
  // Literal: what LIKE and patterns treat specially is nothing special.
  ['title[contains]=_', 'ada 1'],
  ['utm_campaign[contains]=50%25', 'ada 3'],
  ['utm_term[ends_with]=%5Cboots', 'ada 3'],
  // Patterns and expressions; what each operator matches is in test/storage/patterns/value-match.test.ts.
  ['path[matches_pattern]=/b*', 'ben 1'],
  ['path[matches_pattern]=/a%25', '0'],
  ['path[matches_regex]=(?i)^/BEN$', 'ben 1'],
  ['city[matches_regex]=^K.ln$', 'ada 3'],
  ['city=k%C3%B6ln', '0'],
])('filters: %s leaves %s', async (filter, expected) => {
  expect(await left(filter)).toBe(expected)
})

test('the goal filter keeps the sessions that converted and gives their conversion rate', async () => {
  expect(await left(`goal=${goal}`)).toBe('ada 3')
  const overview = await read(`/overview?${THAT_DAY}&goal=${goal}`)
  expect(overview).toMatchObject({ pageviews: 2, visitors: 1, sessions: 1, conversion_rate: 33.3 })
  expect(overview.previous).toMatchObject({ visitors: 0, conversion_rate: 0 })
  for (const name of ['revenue', 'mrr', 'new_customers']) expect(overview).not.toHaveProperty(name)
  for (const [country, conversion_rate] of [
    ['DE', 100],
    ['AT', 0],
  ]) {
    const query = `${THAT_DAY}&goal=${goal}&country=${country}`
    expect(await read(`/overview?${query}`)).toMatchObject({ conversion_rate })
  }
  expect(await read(`/overview?${THAT_DAY}&country=DE`)).not.toHaveProperty('conversion_rate')
})

test('the goal filter refuses an unknown, foreign or malformed goal', async () => {
  for (const path of ['overview', 'stats/events', 'stats/goals', 'stats/errors']) {
    for (const id of [randomUUID(), foreignGoal, 'x', '', `${goal}x`, `${goal}'`, '%00', '(none)']) {
      const answer = await stats.ask(`${site.path}/${path}?${THAT_DAY}&goal=${id}`)
      expectError(answer, 422, 'validation_failed')
      expect(Object.keys(answer.json.errors)[0]).toMatch(/^goal/)
    }
  }
})

const times = (count: number, parameter: string) => Array(count).fill(parameter).join('&')

test.each([
  ...['prop_value=pro', 'path[nonsense]=x', 'path[__proto__]=x', 'path[constructor]=x', 'path[IS]=x'],
  ...['path[0]=x', 'path[is-not]=x', 'path[]=x', 'country[matches_regex]=(', 'path[matches_regex]=a**'],
  ...['path[matches_regex]=(?=a)', 'path[matches_regex]=(a)%5C1', `path=${'x'.repeat(2049)}`],
  // Too many, and too costly ones.
  times(501, 'path=x'),
  times(21, 'path[contains]=a'),
  times(21, 'path[matches_regex]=a'),
  times(15, `path[matches_regex]=${'(a|bb){99}'.repeat(8)}`),
])('filters: %s gives 422', async filter => {
  for (const path of ['overview?', 'stats/events?', 'stats/breakdown?dimension=os&'])
    expectError(await stats.ask(`${site.path}/${path}${THAT_DAY}&${filter}`), 422, 'validation_failed')
})
