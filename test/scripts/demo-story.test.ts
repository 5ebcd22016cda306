// @module-tag full
import { expect, test } from 'vitest'
import { placeOf } from '../../scripts/demo/places.ts'
import { calendarOf, launchShare, startsOn } from '../../scripts/demo/rhythm.ts'
import { storyOf } from '../../scripts/demo/story.ts'
import { createRandom } from '../../scripts/random.ts'
import { openGeo } from '../../src/ingestion/edge/geo.ts'
import { readEnvelope } from '../../src/ingestion/import/envelope.ts'
import { readEvent } from '../../src/money/processor/event.ts'
import { bareConfig } from '../support/bare-config.ts'
import type { Json } from '../support/stripe.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2025, 5, 11, 15, 20)
const story = (seed = 1, days = 20) => storyOf({ seed, now: NOW, days, hostname: 'demo.example' })
const textOf = ({ lines }: ReturnType<typeof story>) => Buffer.concat([...lines.inOrder()]).toString()

test('demo: the same seed makes the same hits and the same money, another seed others', () => {
  const [one, same, other] = [story(), story(), story(2)]
  expect(textOf(same)).toBe(textOf(one))
  expect(same.events).toEqual(one.events)
  expect(same.orders).toEqual(one.orders)
  expect(textOf(other)).not.toBe(textOf(one))
  expect(other.events).not.toEqual(one.events)
})

test('demo: all lines can be imported: in time order, within the days, not later than now', () => {
  const made = story()
  const lines = textOf(made).trimEnd().split('\n')
  expect(lines).toHaveLength(made.lines.counts().lines)
  const times = lines.map(line => readEnvelope(Buffer.from(line), NOW).at)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(times[0]).toBeGreaterThanOrEqual(made.calendar.days[0]!)
  // The live report has visitors.
  expect(times.at(-1)).toBeGreaterThan(NOW - 60_000)
})

test('demo: every event of the payment processor can be read, in time order, each with an id of its own', () => {
  const { events } = story()
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  const times = events.map(({ created }) => created)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  for (const event of events) expect(readEvent(JSON.stringify(event), new Date(NOW))).toBeDefined()
  expect(events.at(-1)!.created * 1_000).toBeLessThanOrEqual(NOW)
})

test('demo: 90 days have every kind of hit and of movement that pages show', () => {
  const made = story(1, 90)
  const text = textOf(made)
  const endpoints = ['collect', 'event', 'engage', 'identify', 'web-vitals'].map(
    each => `"endpoint":"${each}"`,
  )
  const names = 'signup trial_start invite_sent export outbound download button form copy error'.split(' ')
  for (const part of [...endpoints, ...names.map(name => `"name":"${name}"`)]) expect(text).toContain(part)
  const types = new Set(
    made.events.map(({ type, data }) => `${type} ${(data.object as { status?: string }).status ?? ''}`),
  )
  expect([...types].sort()).toEqual([
    ...['charge.refunded ', 'customer.subscription.created active'],
    ...['customer.subscription.created trialing', 'customer.subscription.deleted canceled'],
    ...['customer.subscription.updated active', 'invoice.paid '],
  ])
  expect(made.orders.length).toBeGreaterThan(0)
  const { lines } = made.lines.counts()
  expect(lines).toBeGreaterThan(30_000)
  expect(lines).toBeLessThan(60_000)
})

const kindOf = (referrer: string | undefined, path: string): string => {
  if (/utm_/.test(path)) return 'campaign'
  if (!referrer) return 'direct'
  if (/chatgpt|perplexity|claude|gemini/.test(referrer)) return 'assistant'
  return /google|bing|duckduckgo|ecosia|brave/.test(referrer) ? 'search' : 'other'
}

test.each([1, 2, 3])('demo: with seed %i assistants bring the most MRR and few visitors', seed => {
  const made = story(seed, 90)
  const origins = new Map<string, string>()
  for (const line of textOf(made).trimEnd().split('\n')) {
    const { endpoint, body } = JSON.parse(line)
    if (endpoint !== 'collect' || origins.has(body.visitor_id)) continue
    origins.set(body.visitor_id, kindOf(body.referrer, body.url.path))
  }
  const states = made.events.filter(({ type }) => type.startsWith('customer.subscription.'))
  const latest = new Map(states.map(({ data }) => data.object as Json).map(each => [each.id, each]))
  const mrr = new Map<string, number>()
  for (const { status, metadata, items } of latest.values()) {
    const kind = origins.get(metadata?.visitor_id)
    if (kind === undefined || status !== 'active') continue
    const { quantity, price } = items.data[0]
    const cents = (quantity * price.unit_amount) / (price.recurring.interval === 'year' ? 12 : 1)
    mrr.set(kind, (mrr.get(kind) ?? 0) + cents)
  }
  const [first, second] = [...mrr].sort((a, b) => b[1] - a[1])
  expect(first![0]).toBe('assistant')
  expect(first![1]).toBeGreaterThan(1.3 * second![1])
  const from = (kind: string) => [...origins.values()].filter(each => each === kind).length
  expect(from('search')).toBeGreaterThan(2 * from('assistant'))
})

test('demo: traffic has weekdays, hours, growth and a launch', () => {
  const calendar = calendarOf(NOW, 90)
  const random = createRandom(1)
  const counts = calendar.days.map(day => startsOn(random, calendar, day))
  const countOf = (day: number) => counts[calendar.days.indexOf(day)]!.length
  expect(countOf(calendar.launch)).toBe(Math.max(...counts.map(({ length }) => length)))
  expect(launchShare(calendar, calendar.launch)).toBeGreaterThan(0.5)
  expect(launchShare(calendar, calendar.launch - DAY_MS)).toBe(0)
  const [saturday, tuesday] = [Date.UTC(2025, 5, 7), Date.UTC(2025, 5, 10)]
  expect(countOf(tuesday)).toBeGreaterThan(1.5 * countOf(saturday))
  expect(countOf(tuesday)).toBeGreaterThan(1.2 * countOf(tuesday - 84 * DAY_MS))
  const hours = counts.flat().map(at => new Date(at).getUTCHours())
  const at = (hour: number) => hours.filter(each => each === hour).length
  expect(at(15)).toBeGreaterThan(3 * at(3))
  expect(Math.max(...counts.flat())).toBeLessThanOrEqual(NOW)
})

test('demo: the packaged database finds the addresses of visitors in their countries', async () => {
  const geo = await openGeo(bareConfig().geoipDatabase)
  const random = createRandom(1)
  const places = Array.from({ length: 3_000 }, () => placeOf(random))
  expect(new Set(places.map(({ country }) => country)).size).toBe(30)
  expect(places.map(({ ip }) => geo.locate(ip).country)).toEqual(places.map(({ country }) => country))
})
