import { expect, test } from 'vitest'
import { createLifecycleGoals } from '../../../src/stats/goals/change-goal.ts'
import { SERVICE_EVENTS } from '../../contract/revenue-shop.ts'
import type { Answer } from '../../support/api.ts'
import { useGoals } from './site.ts'

const goals = useGoals('owner')
const { newSite } = goals

const event = (match_value: string, fields: object = {}) => ({ match_type: 'event', match_value, ...fields })
const values = (answer: Answer) => answer.body.map((goal: { match_value: string }) => goal.match_value)
const many = (count: number, name: string) => Array.from({ length: count }, (_, i) => `${name} ${i}`)

test('a batch of goals creates an event goal for each name and returns all goals, newest first', async () => {
  const site = await newSite()
  const page = (await site.create({ match_type: 'page', match_value: '/a' })).body
  const answer = await site.batch({ event_names: ['b', 'a', '🍕'.repeat(255)] })
  expect(answer.status).toBe(200)
  expect(values(answer)).toEqual(['🍕'.repeat(255), 'a', 'b', '/a'])
  expect(answer.body[3]).toEqual(page)
  expect(answer.body[1]).toEqual({
    ...{ id: expect.any(String), display_name: 'a', type: 'event', match_value: 'a', match_operator: 'is' },
    ...{ scroll_threshold: -1, currency: null, custom_props: {}, created_at: expect.any(String) },
  })
  const after = (await site.create(event('after'))).body
  const all = await site.batch({ event_names: ['a'] })
  expect(all.body).toEqual([after, ...answer.body])
  const listed = (await site.list()).body.data
  expect(listed.map((goal: { id: string }) => goal.id).sort()).toEqual(
    all.body.map((goal: { id: string }) => goal.id).sort(),
  )
})

test('goals batch: skips names that exist, are reserved, empty or repeated', async () => {
  const site = await newSite()
  await site.create(event('there'))
  await site.create(event('other name', { display_name: 'Called otherwise' }))
  await site.create({ match_type: 'copy', display_name: 'taken' })
  await site.create(event('with props', { custom_props: { a: 'b' }, display_name: 'With' }))
  const answer = await site.batch({
    event_names: [
      ...['there', 'other name', 'taken', 'payment', 'pageview', 'subscription_ended', '', '  ', '\0'],
      ...['new', 'new', 'with props', 'newer'],
    ],
  })
  expect(answer.status).toBe(200)
  expect(values(answer).slice(0, 3)).toEqual(['newer', 'with props', 'new'])
  expect(answer.body).toHaveLength(7)
  expect(values(await site.batch({ event_names: ['payment'] }))).toEqual(values(answer))
})

test('a batch of goals refuses an invalid body and creates nothing', async () => {
  const site = await newSite()
  for (const [event_names, problem, field = 'event_names'] of [
    [undefined, 'is required'],
    [null, 'must be an array'],
    ['a', 'must be an array'],
    [{ 0: 'a' }, 'must be an array'],
    [[], 'must have at least 1 entries'],
    [['a', 1], 'must be a string', 'event_names.1'],
    [['a', null], 'must be a string', 'event_names.1'],
    [['a', '🍕'.repeat(256)], 'must be at most 255 characters', 'event_names.1'],
    [many(10_001, 'n'), 'must have at most 10000 entries'],
  ] as const) {
    const answer = await site.batch({ event_names })
    expect([answer.status, answer.body.errors]).toEqual([422, { [field]: [problem] }])
  }
  expect((await site.list()).body.meta.total).toBe(0)
})

test('a batch of goals creates the first names up to 1,000 goals of the site and skips the rest', async () => {
  const site = await newSite()
  await site.create(event('first'))
  const answer = await site.batch({ event_names: ['first', ...many(1_100, 'n')] })
  expect(answer.body).toHaveLength(1000)
  expect(values(answer)[0]).toBe('n 998')
  expect(values(answer).at(-1)).toBe('first')
  expect((await site.batch({ event_names: ['more'] })).body).toEqual(answer.body)
})

test('goals batch: parallel batches never exceed the limit or create a goal twice', async () => {
  const site = await newSite()
  await site.batch({ event_names: many(900, 'n') })
  const batches = Array.from({ length: 6 }, (_, i) => ['shared', ...many(40, `batch ${i}`)])
  const answers = await Promise.all(batches.map(event_names => site.batch({ event_names })))
  expect(answers.map(answer => answer.status)).toEqual(Array(6).fill(200))
  const all = values(await site.batch({ event_names: ['more'] }))
  expect(all).toHaveLength(1000)
  expect(all.filter((name: string) => name === 'shared')).toHaveLength(1)
})

const connect = async (site: Awaited<ReturnType<typeof newSite>>) => {
  const { siteNo } = site
  await goals.api.services.db.begin(transaction => createLifecycleGoals(transaction, siteNo))
  return (await site.list('?per_page=100')).body.data as { id: string; match_value: string; type: string }[]
}

test('lifecycle goals are created once, one for each name that is not in use', async () => {
  const site = await newSite()
  await site.create({ match_type: 'page', match_value: '/x', display_name: 'payment' })
  const goals = await connect(site)
  const names = goals.filter(goal => goal.type === 'event').map(goal => goal.match_value)
  expect(names).toEqual(SERVICE_EVENTS.filter(name => name !== 'payment').sort())
  expect(await connect(site)).toEqual(goals)
})

test('lifecycle goals may exceed the limit of goals, which still holds for other goals', async () => {
  const site = await newSite()
  await site.batch({ event_names: many(1_000, 'n') })
  await connect(site)
  expect((await site.list('?per_page=1')).body.meta.total).toBe(1011)
  expect((await site.create(event('more'))).status).toBe(422)
  expect(await site.batch({ event_names: ['more'] }).then(answer => answer.body.length)).toBe(1011)
})

test('lifecycle goals can be changed and deleted like other goals, and keep their reserved name', async () => {
  const site = await newSite()
  const [trial, payment] = await connect(site)
  const renamed = await site.update(
    payment!.id,
    event('payment', { display_name: 'Sales', currency: 'USD', custom_props: { plan: 'pro' } }),
  )
  expect(renamed).toMatchObject({ status: 200, body: { display_name: 'Sales', match_value: 'payment' } })
  expect((await site.update(payment!.id, event('free_trial'))).status).toBe(422)
  expect((await site.update(payment!.id, event('pageview'))).status).toBe(422)
  expect((await site.update(trial!.id, event('free_trial'))).body).toEqual(trial)
  expect((await site.remove(trial!.id)).status).toBe(204)
  expect((await site.create(event('free_trial'))).status).toBe(422)
  // What is no longer one of them cannot become one again.
  expect((await site.update(payment!.id, { match_type: 'copy', match_value: 'payment' })).status).toBe(200)
  expect((await site.update(payment!.id, event('payment'))).status).toBe(422)
})
