import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { ofFile } from '../support/of-file.ts'
import { startService } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { type Answer, request } from './requests.ts'

const LIMIT = 40
const service = ofFile(() =>
  startService({
    RATE_LIMIT_COLLECT: String(LIMIT),
    RATE_LIMIT_ENGAGE: '0',
    RATE_LIMIT_API: String(LIMIT),
  }),
)
const site = ofFile(() => createTestSite(service.db))

const send = (endpoint: string, body: object) =>
  request(`${service.url}/api/${endpoint}`, { method: 'POST', body })

const hit = () => ({ key: site.key, hostname: 'example.com', url: { path: '/' }, visitor_id: randomUUID() })

/** Answers by the window they were counted in: a run may lie across the turn of a minute. */
function byWindow(answers: Answer[]): Answer[][] {
  const windows = new Map<string, Answer[]>()
  for (const answer of answers) {
    const reset = String(answer.headers['x-ratelimit-reset'])
    windows.set(reset, [...(windows.get(reset) ?? []), answer])
  }
  return [...windows.values()]
}

/** Of each window's requests the first 40 are allowed, and the headers count down. */
function expectExact(answers: Answer[]) {
  for (const window of byWindow(answers)) {
    const allowed = window.filter(answer => answer.status === 202)
    const refused = window.filter(answer => answer.status === 429)
    expect(allowed.length).toBe(Math.min(window.length, LIMIT))
    expect(refused.length).toBe(window.length - allowed.length)
    const remaining = allowed.map(answer => Number(answer.headers['x-ratelimit-remaining']))
    expect(remaining.sort((a, b) => b - a)).toEqual(allowed.map((_, index) => LIMIT - 1 - index))
    for (const answer of refused) {
      expect(answer.headers['x-ratelimit-remaining']).toBe('0')
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60)
    }
    for (const answer of window) expect(answer.headers['x-ratelimit-limit']).toBe(String(LIMIT))
  }
}

const many = <Result>(count: number, run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))

test('ingestion limits: of parallel requests to all workers, exactly the limit is accepted and stored', async () => {
  const answers = await many(LIMIT + 25, () => send('collect', hit()))
  expectExact(answers)
  const accepted = answers.filter(answer => answer.status === 202).length
  const stored = () => service.db`select id from events where site_no = ${site.siteNo}`
  await expect.poll(stored).toHaveLength(accepted)
})

test('ingestion limits: 0 turns the limit and its headers off', async () => {
  for (const answer of await many(LIMIT + 5, () => send('engage', { ...hit(), sd: 1, time: 1 }))) {
    expect(answer.status).toBe(202)
    expect(answer.headers['x-ratelimit-limit']).toBeUndefined()
  }
})
