// @module-tag full
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Hit } from '../../../src/ingestion/hit.ts'
import { RANGE_PRESETS } from '../../../src/platform/time/presets.ts'
import { revenueOfFile } from '../../contract/revenue-shop.ts'
import { hit, type StatsSite } from '../../contract/stats-site.ts'
import { event, item, type Json, price, subscription } from '../../support/stripe.ts'

// On a site where everything is long and there is much of it, answers of tools stay short.

const MOST = 6_000
const revenue = revenueOfFile()

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
/** As many characters, two bytes each but for the number. */
const long = (length: number, number: number) => `${number} `.padEnd(length, 'ü')
const pathOf = (number: number) => `/${number}/${'long-path/'.repeat(180)}`
const VISITORS = numbers(60)
const visitorIdOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Sixty people of as many countries, who are on the site now, and have been since two years ago. */
async function fill(site: StatsSite): Promise<void> {
  const hitsOf = (number: number) => {
    const page = { visitorId: visitorIdOf(number), url: pathOf(number), title: long(500, number) }
    const country = String.fromCharCode(65 + (number % 26), 65 + (number % 3))
    const origin = {
      ...{ source: long(200, number), channel: 'Referral', referrer: `${number}.${'x'.repeat(200)}.example` },
      ...{ country, utmCampaign: long(200, number), browserName: long(60, number), osName: long(60, number) },
    }
    const of = (at: string, fields: Partial<Hit>) => hit(site, at, { ...page, ...fields }, origin)
    const now = (second: number, fields: Partial<Hit>) =>
      of(new Date(Date.parse('2026-03-18T11:57:00Z') + second * 1_000).toISOString(), fields)
    const props = Object.fromEntries(numbers(50).map(key => [long(64, key), long(500, key)]))
    return [
      of(`2024-03-${String(1 + (number % 28)).padStart(2, '0')}T12:00:00Z`, {}),
      now(0, {}),
      now(1, { url: pathOf(number + 1) }),
      now(2, { type: 'event', name: 'signup', props }),
      now(3, {
        ...{ type: 'error', name: 'error' },
        error: { name: long(200, number), message: long(5_000, number % 7), stack: long(20_000, number) },
      }),
      now(4, { type: 'web_vitals', vitals: { id: randomUUID(), lcp: 900, inp: 600, cls: 9 } }),
      now(5, {
        type: 'identify',
        identity: { identifier: long(200, number), name: long(200, number), custom: props },
      }),
    ]
  }
  await revenue.store(VISITORS.flatMap(hitsOf))
  const started = (number: number) =>
    event(
      'customer.subscription.created',
      subscription({
        ...{ id: `sub_${'x'.repeat(200)}${number}`, customer: `cus_${'x'.repeat(200)}${number}` },
        items: [item(price(1_000 + number))],
        metadata: { visitor_id: visitorIdOf(number) },
      }),
      Date.UTC(2026, 2, 18, 11, 58) / 1_000,
    )
  await revenue.deliverAll(site, numbers(12).map(started))
  const make = async (what: string, body: Json) => {
    const made = await revenue.call('POST', `${site.path}/${what}`, body)
    expect([what, made.status, made.body]).toEqual([what, 201, expect.anything()])
    return made.body
  }
  const steps = numbers(8).map(number => ({
    ...{ name: long(100, number), type: 'pageview', value: pathOf(number), operator: 'starts_with' },
  }))
  for (const number of numbers(20)) {
    await make('goals', { match_type: 'page', match_value: pathOf(number), display_name: long(255, number) })
    await make('segments', { name: long(60, number), filters: { path: { starts_with: pathOf(number) } } })
    await make('annotations', { text: long(200, number), starts_at: '2026-03-18' })
    await make('funnels', { name: long(60, number), steps })
  }
}

async function rpc(method: string, params: Json = {}): Promise<{ result: Json; bytes: number }> {
  const answer = await fetch(`${revenue.api.url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${revenue.owner.token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await answer.text()
  return { result: JSON.parse(text).result, bytes: Buffer.byteLength(text) }
}

async function call(name: string, given: Json) {
  const { result, bytes } = await rpc('tools/call', { name, arguments: given })
  expect([name, result.isError ? result.content : undefined]).toEqual([name, undefined])
  const [answer, beside] = result.content.map(({ text }: { text: string }) => JSON.parse(text))
  return { answer, about: (beside ?? answer).about as Json, bytes }
}

test('mcp: no answer has more than 6 kB, unless more is asked for', async () => {
  revenue.api.services.config.limits.api = 10_000
  const site = await revenue.shop()
  await fill(site)
  const siteKey = site.id
  const { answer: errors } = await call('list_errors', { siteKey, range: 'all' })
  const { answer: sessions } = await call('list_sessions', { siteKey, range: 'all' })
  const { answer: funnels } = await call('list_funnels', { siteKey })
  const steps = numbers(3).map(number => ({ type: 'pageview', value: pathOf(number) }))
  /** What tools require. */
  const given: Json = {
    ...{ siteKey, metric: 'visitors', dimension: 'path', person: visitorIdOf(1) },
    ...{ event_name: 'signup', event_type: 'event', error: errors.data[0].id },
    ...{ session: sessions.data[0].session_id, funnel: funnels.data[0].id, steps },
  }
  const special: Json = {
    read_journeys: { starting_at: pathOf(1) },
    break_down_web_vitals: { metric: 'lcp' },
    read_retention: { period: 'month' },
    read_lifetime_value: { dimension: 'entry_path' },
  }
  const { result } = await rpc('tools/list')
  const shortened: string[] = []
  for (const { name, inputSchema } of result.tools) {
    const required = Object.fromEntries(inputSchema.required.map((field: string) => [field, given[field]]))
    const usual = { ...required, ...special[name] }
    const ranges = inputSchema.properties.range ? RANGE_PRESETS.map(range => ({ range })) : []
    for (const range of [{}, ...ranges]) {
      const what = `${name} ${JSON.stringify(range)}`
      const { about, bytes } = await call(name, { ...usual, ...range })
      expect(bytes, what).toBeLessThanOrEqual(MOST)
      expect(about, what).toMatchObject({ now: expect.any(String) })
      if (name !== 'list_sites')
        expect(about, what).toMatchObject({ time_zone: 'UTC', units: expect.any(String) })
      if ('range' in range)
        expect(about, what).toMatchObject({ from: expect.any(String), to: expect.any(String) })
      if (!about.left_out) continue
      shortened.push(name)
      expect(about.left_out, what).toMatch(/^Here are only the .*\. whole: true gives all/)
    }
    if (!shortened.includes(name)) continue
    const whole = await call(name, { ...usual, range: undefined, whole: true })
    expect(whole.about, name).not.toHaveProperty('left_out')
  }

  expect(shortened).toEqual(
    expect.arrayContaining(['read_live', 'list_events', 'read_mrr_movements', 'read_person']),
  )
})

test('mcp: a page of more rows than usual is whole, one of fewer is shortened', async () => {
  const site = await revenue.shop()
  await fill(site)
  const ask = (per_page: number) => call('list_events', { siteKey: site.id, per_page })
  const [few, many] = [await ask(4), await ask(6)]
  expect(few.about.left_out).toMatch(/long texts/)
  expect(few.bytes).toBeLessThanOrEqual(MOST)
  expect(many.about).not.toHaveProperty('left_out')
  expect(many.answer.data).toHaveLength(6)
})
