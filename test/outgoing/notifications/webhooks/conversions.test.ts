import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Hit } from '../../../../src/ingestion/hit.ts'
import { storeHits } from '../../../../src/ingestion/store/store.ts'
import { deleteOldEvents } from '../../../../src/outgoing/notifications/webhooks/delivery-rows.ts'
import { erasePeople } from '../../../../src/outgoing/people/erase/erase-people.ts'
import { poll } from '../../../../src/platform/lib/retry.ts'
import type { EachBatch } from '../../../../src/storage/patterns/pattern-protocol.ts'
import { enrichedHit } from '../../../support/hits.ts'
import { inProcessPatterns } from '../../../support/in-process-patterns.ts'
import { silentLog } from '../../../support/log.ts'
import { mixedText } from '../../../support/mixed-text.ts'
import { ofFile } from '../../../support/of-file.ts'
import { startWorld, type World } from './world.ts'

const MINUTE = 60_000

const world = ofFile(startWorld)

async function watched(goals: object[] = [page('/buy')]) {
  const site = await world.site()
  const webhook = await world.webhook(site.id, { kinds: ['goal.converted'] })
  for (const goal of goals)
    expect(await world.call('POST', `${site.id}/goals`, goal)).toMatchObject({ status: 201 })
  const testSite = { ...site, key: '' }
  const hit = (fields: Partial<Hit> = { url: '/buy' }, at = world.clock.at) =>
    enrichedHit(testSite, at, fields)
  const store = (hits: ReturnType<typeof hit>[], partition = 0) => storeHits(world.db, partition, hits)
  const received = () => world.receiver.of(webhook.path).map(({ json }) => json.data)
  const told = () => received().map(({ goal, path, timestamp }) => [goal.display_name, path, timestamp])
  const rows = () => world.db`select key from outgoing_events where site_no = ${site.siteNo}`
  return { site, webhook, hit, store, received, told, rows }
}

const SIGNUP = { type: 'event', name: 'signup', url: '/join', props: { plan: 'team' } } as const
const DYING = { patterns: { run: () => Promise.reject(new Error('died')) } }

const page = (value: string, operator?: string, name = value) => ({
  match_type: 'page',
  match_value: value,
  match_operator: operator,
  display_name: name,
})

test('conversions: each kind of goal is told with what converted it', async () => {
  const { hit, store, received, told } = await watched([
    page('/thanks'),
    page('/blog/**', undefined, 'blog'),
    page('^/p/\\d+$', 'matches_regex', 'product'),
    { match_type: 'event', match_value: 'signup', custom_props: { plan: 'team' } },
    { match_type: 'outbound', display_name: 'any link' },
    { match_type: 'download', match_value: '.pdf', match_operator: 'contains', display_name: 'pdf' },
    { match_type: 'scroll', match_value: '/long', scroll_threshold: 80, display_name: 'read' },
    { match_type: 'scroll', match_value: '/start', scroll_threshold: 0, display_name: 'seen' },
  ])
  const visitorId = randomUUID()
  await store([
    hit({ url: '/thanks?utm_source=news', visitorId }),
    hit({ url: '/blog/a/b' }),
    hit({ url: '/p/42' }),
    hit({ url: '/p/x' }),
    hit({ ...SIGNUP, revenue: { amountMinor: '500', currency: 'EUR' } }),
    hit({ ...SIGNUP, props: { plan: 'solo' } }),
    hit({ type: 'outbound', name: 'outbound', url: '/out', props: { selector: 'a' } }),
    hit({ type: 'download', name: 'download', url: '/dl', props: { selector: 'x.pdf' } }),
    hit({ url: '/start' }),
    hit({ url: '/long', visitorId }, world.clock.at + 1),
    hit({ type: 'error', url: '/thanks', errorId: randomUUID(), error: { message: 'x' } }),
  ])
  await world.run()
  const names = () =>
    told()
      .map(([name]) => name)
      .sort()
  const expected = ['any link', 'blog', 'pdf', 'product', 'seen', 'signup', '/thanks'].sort()
  expect(names()).toEqual(expected)
  const data = received()
  const revenue = { amount: 500, currency: 'EUR' }
  const signup = { properties: { plan: 'team' }, revenue, path: '/join' }
  expect(data.find(({ event_name }) => event_name === 'signup')).toMatchObject(signup)
  const thanks = { visitor_id: visitorId, source: 'news', revenue: null, event_name: null }
  expect(data.find(({ path }) => path === '/thanks')).toMatchObject(thanks)
  // The threshold is reached with the second engagement, and again with the third.
  for (const [index, scroll] of [40, 80, 95].entries()) {
    const at = world.clock.at + 1_000 * (index + 1)
    await store([hit({ type: 'engagement', url: '/long', visitorId, scroll }, at)])
    await world.run()
  }
  expect(names()).toEqual([...expected, 'read'].sort())
})

test('conversions: hits that are stored twice and at the same time in several transactions convert once', async () => {
  const { hit, store, told, rows } = await watched()
  const storing = [0, 1, 2, 3].flatMap(partition => {
    const own = Array.from({ length: 10 }, () => hit())
    return [store(own, partition), store(own.slice(5), partition), store(own.slice(0, 7), partition)]
  })
  const [a, b] = [world.startWork(), world.startWork()]
  await Promise.all([...storing, world.step(a), world.step(b)])
  await Promise.all([a.settle(), b.settle()])
  await Promise.all([world.run(a), world.run(b)])
  await world.run()
  expect([(await rows()).length, told().length]).toEqual([40, 40])
})

test('conversions: a hit that is stored late is told once, with its own time', async () => {
  const { hit, store, told } = await watched()
  const at = world.clock.at
  world.clock.at += 60 * MINUTE
  await store([hit()])
  await world.run()
  await store([hit({ url: '/buy' }, at + MINUTE)])
  await world.run()
  expect(told().map(([, , time]) => time)).toEqual([
    world.now().toISOString(),
    new Date(at + MINUTE).toISOString(),
  ])
})

test('conversions: imported hits, and those before the goal or the webhook was made, are no news', async () => {
  const { site, hit, store, told } = await watched([])
  const before = hit({ url: '/old' }, world.clock.at - MINUTE)
  await store([hit({ url: '/buy', line: 1 }), before])
  await world.call('POST', `${site.id}/goals`, page('/**'))
  await world.db`update goals set created_at = ${world.now()} where site_no = ${site.siteNo}`
  await store([hit({ url: '/a' }, world.clock.at - 1), hit({ url: '/b' }), hit({ url: '/c', line: 2 })])
  await world.run()
  expect(told().map(([, path]) => path)).toEqual(['/b'])
})

test('conversions: a site without such a webhook notes no hits', async () => {
  const { site, webhook, hit, store } = await watched()
  const noted = async () =>
    (await world.db`select from goal_candidates where site_no = ${site.siteNo}`).length
  await world.call('PATCH', `${site.id}/webhooks/${webhook.id}`, { kinds: ['payment.paid'] })
  await store([hit()])
  expect(await noted()).toBe(0)
  await world.call('PATCH', `${site.id}/webhooks/${webhook.id}`, { kinds: ['goal.converted'] })
  await store([hit()])
  expect(await noted()).toBe(1)
  await world.call('DELETE', `${site.id}/webhooks/${webhook.id}`)
  await store([hit()])
  expect(await noted()).toBe(1)
})

test('conversions: a process that dies while it compares hits loses none and doubles none', {
  tags: ['full'],
}, async () => {
  const { hit, store, told } = await watched()
  await store([hit(), hit()])
  const dying = world.startWork(DYING)
  await world.step(dying)
  await dying.settle()
  expect(told()).toEqual([])
  const loops = world.startLoops()
  await poll(10, () => told().length > 1 || undefined)
  await loops.stop()
  await world.run()
  expect(told()).toHaveLength(2)
})

/** Compares all hits that wait, without sending anything. */
async function compareAll(work: ReturnType<World['startWork']>) {
  while ((await work.compare()) > 0) await work.settle()
}

const droppedOf = async (id: string) =>
  (await world.db`select dropped from webhook_endpoints where id = ${id}`)[0]!.dropped

/** Patterns that run this before each turn, with the values of its goals. */
function patternsWith(before: (values: string[]) => unknown) {
  const real = inProcessPatterns()
  return {
    run: async (task: string, input: unknown) => {
      await before((input as EachBatch).tests.map(({ value }) => value))
      return real.run(task, input)
    },
  }
}

test('conversions: what is told of a hit is stored once, of at most 100 goals; further ones count as dropped', async () => {
  const { site, webhook, hit, store, told } = await watched([])
  await world.db`
    insert into goals (site_no, display_name, type, match_operator, match_value)
    select ${site.siteNo}, 'goal ' || number, 'event', 'is_not', 'x' || number from generate_series(1, 102) as number`
  await store([hit(SIGNUP)])
  const work = world.startWork()
  await compareAll(work)
  const [stored] = await world.db`
    select
      (select count(*)::int from outgoing_events where site_no = ${site.siteNo}) as events,
      (select count(*)::int from outgoing_hits where site_no = ${site.siteNo}) as hits,
      (select max(length(data)) from outgoing_events where site_no = ${site.siteNo}) as longest`
  expect(stored).toMatchObject({ events: 100, hits: 1 })
  expect(stored!.longest).toBeLessThan(120)
  expect(await droppedOf(webhook.id)).toBe(2)
  await work.deliver()
  await work.settle()
  expect(told()).toHaveLength(4)
  for (const { json } of world.receiver.of(webhook.path))
    expect(json.data).toMatchObject({ path: '/join', properties: { plan: 'team' }, goal: { type: 'event' } })
  const [delivery] = (await world.call('GET', `${site.id}/webhooks/${webhook.id}/deliveries`)).body.data
  const path = `${site.id}/webhooks/${webhook.id}/deliveries/${delivery.id}`
  const { body } = (await world.call('GET', path)).body
  expect(JSON.parse(body).data).toMatchObject({ path: '/join', properties: { plan: 'team' } })
  await world.call('DELETE', `${site.id}/webhooks/${webhook.id}`)
  // The log forgets the hit with the last of its events.
  const forget = async (limit: number) => {
    await deleteOldEvents(world.db, { before: new Date(world.clock.at + 1), limit })
    return (await world.db`select from outgoing_hits where site_no = ${site.siteNo}`).length
  }
  expect([await forget(99), await forget(10_000)]).toEqual([1, 0])
})

test('conversions: what a full queue has no room for, and the oldest of too many hits, is dropped and counted', async () => {
  const full = await watched()
  await full.store(Array.from({ length: 5 }, () => full.hit()))
  await compareAll(world.startWork({ mostWaiting: 3 }))
  expect([(await full.rows()).length, await droppedOf(full.webhook.id)]).toEqual([3, 2])
  const { site, webhook, hit, store, told } = await watched()
  for (const hits of [500, 7])
    await world.db`
      insert into goal_candidates (site_no, times, ids)
      select ${site.siteNo}, array_agg(${world.now()}::timestamptz), array_agg(gen_random_uuid())
      from generate_series(1, ${hits}::int)`
  await store([hit()])
  await world.run(world.startWork({ mostNotes: 1 }))
  expect([told().length, await droppedOf(webhook.id)]).toEqual([1, 7])
})

test.each([
  ['are many and small', {}],
  ['cannot be compared', DYING],
])('conversions: the oldest hits are dropped, too, when those that wait %s', async (_, options) => {
  const { site, webhook, hit, store } = await watched()
  await store([hit()])
  await world.db`
    insert into goal_candidates (site_no, times, ids)
    select ${site.siteNo}, array[${world.now()}::timestamptz], array[gen_random_uuid()]
    from generate_series(1, 103)`
  const work = world.startWork({ mostNotes: 2, ...options })
  await work.compare()
  await work.settle()
  expect(await droppedOf(webhook.id)).toBeGreaterThan(1)
  const left = await world.db`select from goal_candidates where site_no = ${site.siteNo}`
  expect(left).toHaveLength(2)
})

test('conversions: a goal that was too slow is not tried again with the next hits', {
  tags: ['full'],
}, async () => {
  // A quarter of a second for each path.
  const slow = '(?:a[ab]?|b[ab]?){600}c'
  const { hit, store, told } = await watched([page(slow, 'matches_regex', 'slow'), page('/buy')])
  const tried: string[] = []
  const work = world.startWork({ patterns: patternsWith(values => tried.push(...values)) })
  const long = (index: number) => hit({ url: `/${mixedText(index, 600)}` })
  for (let round = 0; round < 2; round++) {
    await store([hit(), ...[1, 2, 3].map(long)])
    await world.run(work)
  }
  expect(told().map(([name]) => name)).toEqual(['/buy', '/buy'])
  expect(tried.filter(value => value === slow)).toHaveLength(1)
})

test('conversions: a site whose goals take long does not hold up another', async () => {
  // One comparison must find both: other tests leave hits that wait.
  await world.run()
  const [held, free] = [await watched([page('/held')]), await watched()]
  await held.store([held.hit({ url: '/held' })])
  await free.store([free.hit()])
  let release = () => {}
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  const work = world.startWork({
    patterns: patternsWith(values => (values.includes('/held') ? gate : undefined)),
  })
  await work.compare()
  await poll(10, async () => ((await free.rows()).length > 0 ? true : undefined))
  expect(await held.rows()).toEqual([])
  release()
  await world.run(work)
  expect([held.told().length, free.told().length]).toEqual([1, 1])
})

test('conversions: a person who is erased before or after the comparison is not told of', async () => {
  const { site, hit, store, told, rows } = await watched()
  const erase = async (visitorId: string) => {
    world.clock.at += 1_000
    const path = `/api/sites/${site.id}/visitors/${visitorId}`
    expect((await world.api.call('DELETE', path, { token: world.owner.token })).status).toBeLessThan(300)
    while (await erasePeople({ db: world.db, log: silentLog }, world.now())) {}
  }
  const [before, after] = [randomUUID(), randomUUID()]
  await store([hit({ url: '/buy', visitorId: before })])
  // The hit is read by then, and its event not yet written.
  await compareAll(world.startWork({ patterns: patternsWith(() => erase(before)) }))
  expect(await rows()).toEqual([])
  await store([hit({ url: '/buy', visitorId: after })])
  await compareAll(world.startWork())
  expect(await rows()).toHaveLength(1)
  await erase(after)
  await world.run()
  expect(told()).toEqual([])
  expect(await world.db`select from outgoing_hits where site_no = ${site.siteNo}`).toHaveLength(0)
})
