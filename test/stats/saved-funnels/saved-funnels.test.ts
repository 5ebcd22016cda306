import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { startRevenue } from '../../contract/revenue-shop.ts'
import { ADA, BEN, CAI, hit } from '../../contract/stats-site.ts'
import { ofFile } from '../../support/of-file.ts'
import { shareInBrowser } from '../../support/shares.ts'
import type { Json } from '../../support/stripe.ts'

const DAY = 'from=2026-03-18&to=2026-03-18'
const FIRST = { type: 'pageview', value: '/a' }
const SECOND = { type: 'pageview', value: '/b' }
const INVALID = { type: 'pageview', operator: 'matches_regex', value: '(' }
const STEPS = { steps: [FIRST, SECOND] }

const revenue = ofFile(startRevenue)

/** ADA comes from Germany and reads /a, then /b and signs up; BEN reads /a and /b, CAI only /a. */
const site = ofFile(() => revenue.shop())
const other = ofFile(() => revenue.shop())
beforeAll(async () => {
  const at = (minute: number) => `2026-03-18T11:${String(minute).padStart(2, '0')}:00Z`
  const inGermany = { country: 'DE' }
  await revenue.store([
    hit(site, at(50), { visitorId: ADA, url: '/a' }, inGermany),
    hit(site, at(51), { visitorId: ADA, url: '/b' }, inGermany),
    hit(site, at(52), { visitorId: ADA, type: 'event', name: 'signup' }, inGermany),
    hit(site, at(50), { visitorId: BEN, url: '/a' }),
    hit(site, at(51), { visitorId: BEN, url: '/b' }),
    hit(site, at(50), { visitorId: CAI, url: '/a' }),
  ])
})

const make = (body: object, of = site) => revenue.call('POST', `${of.path}/funnels`, body)
async function saved(body: object = {}) {
  const made = await make({ name: randomUUID(), ...STEPS, ...body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body
}
const get = (path: string) => revenue.call('GET', `${site.path}${path}`)
const read = async (id: string, query = '') =>
  (await revenue.read(site, `/stats/funnels/${id}?${DAY}${query}`)).steps.map(
    (step: { count: number }) => step.count,
  )

test('saved funnels: are created, listed by name, read, replaced and deleted', async () => {
  const own = await revenue.shop()
  const path = `${own.path}/funnels`
  const b = (await make({ name: 'b', ...STEPS }, own)).body
  expect(b).toMatchObject({ name: 'b', order: 'loose', window: 'session', by: 'visitor' })
  expect(b.steps[0]).toEqual({
    ...{ name: 'Visit /a', goal: null, type: 'pageview', operator: 'matches_pattern', value: '/a' },
    ...{ scroll_threshold: null, props: null },
  })
  const strict = { order: 'strict', window: 3600, by: 'session' }
  const a = (await make({ name: 'A', ...STEPS, ...strict }, own)).body
  const { body } = await revenue.call('GET', path)
  expect([body.data, body.meta.total]).toEqual([[a, b], 2])
  const replaced = await revenue.call('PATCH', `${path}/${a.id}`, { name: 'c', steps: [SECOND, FIRST] })
  const reset = { order: 'loose', window: 'session', by: 'visitor' }
  expect(replaced.body).toMatchObject({ id: a.id, name: 'c', ...reset })
  expect((await revenue.call('GET', `${path}/${a.id}`)).body).toEqual(replaced.body)
  expect((await revenue.call('DELETE', `${path}/${a.id}`)).status).toBe(204)
  expect((await revenue.call('DELETE', `${path}/${a.id}`)).status).toBe(404)
  expect((await revenue.call('GET', `${path}/${a.id}`)).status).toBe(404)
  expect((await get(`/funnels/${b.id}`)).status).toBe(404)
  expect((await get(`/stats/funnels/${b.id}?${DAY}`)).status).toBe(404)
})

test('saved funnels: give the numbers of their definition', async () => {
  const { id } = await saved()
  const steps = encodeURIComponent(JSON.stringify([FIRST, SECOND]))
  expect(await read(id)).toEqual([3, 2])
  expect(await revenue.read(site, `/stats/funnels/${id}?${DAY}&country=DE`)).toEqual(
    await revenue.read(site, `/stats/funnel?${DAY}&steps=${steps}&country=DE`),
  )
})

test('saved funnels: have names that are unique on their site', async () => {
  const { id, name } = await saved()
  const taken = await make({ name, ...STEPS })
  const message = `The site already has a funnel with the name ${name}`
  expect([taken.status, taken.body.errors]).toEqual([422, { name: [message] }])
  const { id: second } = await saved()
  const rename = (of: string) => revenue.call('PATCH', `${site.path}/funnels/${of}`, { name, ...STEPS })
  const renamed = await rename(second)
  expect([renamed.status, Object.keys(renamed.body.errors)]).toEqual([422, ['name']])
  expect((await rename(id)).status).toBe(200)
  expect((await make({ name, ...STEPS }, other)).status).toBe(201)
})

test('saved funnels: are at most 100 of a site', async () => {
  const full = await revenue.shop()
  await revenue.api.services.db`
    insert into funnels (site_no, name, steps, step_order, window_seconds, counted)
    select ${full.siteNo}, 'funnel ' || number, ${JSON.stringify([FIRST, SECOND])}::text::jsonb, 'loose', null, 'visitor'
    from generate_series(1, 99) as number`
  const hundredth = await make({ name: 'last', ...STEPS }, full)
  expect(hundredth.status).toBe(201)
  const refused = await make({ name: 'one more', ...STEPS }, full)
  expect([refused.status, refused.body.message]).toEqual([422, 'The site already has 100 funnels'])
  const path = `${full.path}/funnels/${hundredth.body.id}`
  expect((await revenue.call('PATCH', path, { name: 'changed', ...STEPS })).status).toBe(200)
})

test.each<[string, object, string]>([
  ['one step', { steps: [FIRST] }, 'steps'],
  ['nine steps', { steps: Array.from({ length: 9 }, () => FIRST) }, 'steps'],
  ['a step that is nothing', { steps: [FIRST, {}] }, 'steps.1.type'],
  ['an unknown goal', { steps: [FIRST, { goal: randomUUID() }] }, 'steps.1.goal'],
  ['a goal with a definition', { steps: [FIRST, { goal: randomUUID(), type: 'event' }] }, 'steps.1.type'],
  ['an invalid expression', { steps: [FIRST, INVALID] }, 'steps.1.value'],
  ['a window of a minute', { ...STEPS, window: 60 }, 'window'],
  ['an empty name', { ...STEPS, name: '' }, 'name'],
])('saved funnels: are refused with %s', async (_, body, field) => {
  const refused = await make({ name: randomUUID(), ...body })
  expect([refused.status, Object.keys(refused.body.errors ?? {})]).toEqual([422, [field]])
})

test('saved funnels: do not have goals of another site', async () => {
  const goal = await revenue.goal(other, { match_type: 'page', match_value: '/b' })
  const refused = await make({ name: randomUUID(), steps: [FIRST, { goal }] })
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['steps.1.goal']])
})

test('saved funnels: follow their goals when these change, and keep the definition of a goal that is deleted', async () => {
  const signup = { match_type: 'event', match_operator: 'starts_with', match_value: 'signu' }
  const goal = await revenue.goal(site, { ...signup, display_name: 'Signed up' })
  const { id, steps } = await saved({ steps: [FIRST, { goal }] })
  expect(steps[1]).toMatchObject({ name: 'Signed up', goal, type: null, value: null })
  expect(await read(id)).toEqual([3, 1])
  const path = `${site.path}/goals/${goal}`
  const changed = { match_type: 'page', match_value: '/b', display_name: 'Read b' }
  expect((await revenue.call('PATCH', path, changed)).status).toBe(200)
  expect(await read(id)).toEqual([3, 2])
  expect((await revenue.call('DELETE', path)).status).toBe(204)
  expect((await get(`/funnels/${id}`)).body.steps[1]).toMatchObject({
    ...{ name: 'Read b', goal: null, type: 'pageview', operator: 'matches_pattern', value: '/b' },
  })
  expect(await read(id)).toEqual([3, 2])
})

const MONEY = [FIRST, { type: 'event', value: 'payment' }]
const share = async (...sections: string[]) =>
  (await shareInBrowser(revenue.api, revenue.owner, site.path, { name: 'a', sections })).body.secret as string
const as = async (secret: string | undefined, path: string) => {
  const headers = secret ? { Authorization: `Bearer ${secret}` } : undefined
  const response = await fetch(`${revenue.api.url}${site.path}${path}`, { ...(headers && { headers }) })
  return { status: response.status, body: (await response.json()) as Json }
}
const names = ({ body }: { body: Json }): string[] => body.data.map(({ id }: Json) => id)

test('saved funnels of readers: a share with goals reads them; with other sections it does not', async () => {
  const { id } = await saved()
  const secret = await share('goals')
  expect(names(await as(secret, '/funnels?per_page=100'))).toContain(id)
  expect((await as(secret, `/funnels/${id}`)).status).toBe(200)
  expect((await as(secret, `/stats/funnels/${id}?${DAY}`)).body.steps).toHaveLength(2)
  expect((await as(secret, `/stats/funnels/${id}?${DAY}&dimension=country`)).status).toBe(403)
  const without = await share('pages', 'events', 'revenue')
  for (const path of ['/funnels', `/funnels/${id}`, `/stats/funnels/${id}?${DAY}`]) {
    expect((await as(without, path)).status, path).toBe(403)
  }
  const steps = encodeURIComponent(JSON.stringify([FIRST, SECOND]))
  expect((await as(secret, `/stats/funnel?${DAY}&steps=${steps}`)).status).toBe(403)
  expect((await as(await share('goals', 'pages'), `/stats/funnel?${DAY}&steps=${steps}`)).status).toBe(200)
})

test('saved funnels of readers: funnels with a step that money can meet are unknown without revenue', async () => {
  const { id } = await saved({ steps: MONEY })
  const [blind, seeing] = [await share('goals', 'events', 'pages'), await share('goals', 'revenue')]
  for (const path of [`/funnels/${id}`, `/stats/funnels/${id}?${DAY}`]) {
    expect((await as(blind, path)).status, path).toBe(404)
    expect((await as(seeing, path)).status, path).toBe(200)
  }
  expect(names(await as(blind, '/funnels?per_page=100'))).not.toContain(id)
  expect(names(await as(seeing, '/funnels?per_page=100'))).toContain(id)
  const steps = encodeURIComponent(JSON.stringify(MONEY))
  expect((await as(blind, `/stats/funnel?${DAY}&steps=${steps}`)).status).toBe(403)
})

test('saved funnels of readers: a public site shows those without money to readers without credentials', async () => {
  const [plain, money] = [await saved(), await saved({ steps: MONEY })]
  const setPublic = (is_public: boolean) => revenue.call('PATCH', `${site.path}/sharing`, { is_public })
  await setPublic(true)
  const listed = names(await as(undefined, '/funnels?per_page=100'))
  expect([listed.includes(plain.id), listed.includes(money.id)]).toEqual([true, false])
  expect((await as(undefined, `/stats/funnels/${plain.id}?${DAY}`)).status).toBe(200)
  expect((await as(undefined, `/stats/funnels/${money.id}?${DAY}`)).status).toBe(404)
  await setPublic(false)
})

test('segments: live and funnels are narrowed as by the filters of the segment', async () => {
  const segment = async (filters: object) =>
    (await revenue.call('POST', `${site.path}/segments`, { name: 'a', filters })).body.id as string
  const { id } = await saved()
  const goal = await revenue.goal(site, { match_type: 'event', match_value: 'signup' })
  const given: [object, string][] = [
    [{ country: 'DE' }, 'country=DE'],
    [{ country: { is_not: '(none)' } }, 'country[is_not]=(none)'],
    [{ path: '/b' }, 'path=/b'],
    [{ goal }, `goal=${goal}`],
    [{ country: 'FR' }, 'country=FR'],
  ]
  const live = async (query: string) => ({ ...(await revenue.read(site, `/stats/live?${query}`)), now: '' })
  for (const [filters, query] of given) {
    const name = await segment(filters)
    expect(await live(`segment=${name}`), query).toEqual(await live(query))
    expect(await read(id, `&segment=${name}`), query).toEqual(await read(id, `&${query}`))
  }
  expect(await read(id, `&segment=${await segment({ country: 'DE' })}`)).toEqual([1, 1])
  const [german, readers] = [await segment({ country: 'DE' }), await segment({ path: '/a' })]
  expect((await live(`segment=${german}&segment=${readers}`)).events).toHaveLength(1)
  for (const path of ['/stats/live?', `/stats/funnels/${id}?${DAY}&`]) {
    expect((await get(`${path}segment=${randomUUID()}`)).status, path).toBe(422)
  }
})
