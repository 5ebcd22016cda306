import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
let fingerprint: string
let foreignFingerprint: string

beforeAll(async () => {
  stats = await startStats()
  site = await stats.site()
  const foreign = await stats.site('UTC', await stats.api.member())
  await stats.store(dayOfHits(site))
  const at = '2026-03-10T09:00:00Z'
  const secret = { url: '/FOREIGN', title: 'FOREIGN', props: { FOREIGN: 'FOREIGN' }, hostname: 'FOREIGN' }
  const boom = hit(foreign, at, { ...secret, type: 'error', name: 'error', error: { message: 'FOREIGN' } })
  await stats.store([
    hit(foreign, at, secret),
    hit(foreign, at, { ...secret, type: 'event', name: 'FOREIGN' }),
    boom,
  ])
  foreignFingerprint = boom.errorId!
  fingerprint = (await stats.read(site, `/stats/errors?${THAT_DAY}`)).data[0].id
})
afterAll(() => stats.close())

describe('fingerprints of errors', () => {
  test('a malformed, foreign or unknown fingerprint gives 404', async () => {
    const never = 'f1d2d2f9-24e9-5a4c-8a4e-3c0b9d6e7f80'
    const malformed = ['x', 'nil', `${fingerprint}x`, `${fingerprint}%00`, "'", '%', '0', '__proto__']
    for (const error of [...malformed, foreignFingerprint, never, site.id, '0'.repeat(3_000)]) {
      for (const rest of ['', '/timeseries', '/events', '?per_page=0']) {
        const answer = await stats.ask(`${site.path}/stats/errors/${error}${rest}`)
        expectComposure(
          answer,
          `${error}${rest}`,
          error === '%' ? [400, 404] : [404, ...(rest.startsWith('?') ? [422] : [])],
        )
      }
    }
  })

  test('a fingerprint is accepted in either case', async () => {
    const { id, occurrences } = await stats.read(
      site,
      `/stats/errors/${fingerprint.toUpperCase()}?${THAT_DAY}`,
    )
    expect(id.toLowerCase()).toBe(fingerprint)
    expect(occurrences).toBe(2)
  })

  test('the counts are zero outside of the range and of the filters', async () => {
    for (const query of [
      'range=today',
      'from=2020-01-01&to=2020-01-02',
      `${THAT_DAY}&path=/nowhere`,
      `${THAT_DAY}&city=x`,
    ]) {
      const group = await stats.read(site, `/stats/errors/${fingerprint}?${query}`)
      expect(group).toMatchObject({ id: fingerprint, occurrences: 0, sessions: 0 })
      expect(group.message).toBe('x is not a function')
      const { types, series, labels } = await stats.read(
        site,
        `/stats/errors/${fingerprint}/timeseries?${query}`,
      )
      expect(types).toEqual(['error'])
      expect(series).toEqual({ error: labels.map(() => 0) })
      const page = await stats.read(site, `/stats/errors/${fingerprint}/events?${query}`)
      expect(page.meta).toEqual({ current_page: 1, per_page: 20, total: 0, last_page: 1 })
      expect((await stats.read(site, `/stats/errors?${query}`)).data).toEqual([])
    }
  })
})
