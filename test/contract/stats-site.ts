import { beforeAll, expect } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import type { EnrichedHit, Hit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { type Member, startApi } from '../support/api.ts'
import type { TestDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { ofFile } from '../support/of-file.ts'
import { type Answer, request } from './requests.ts'

/** The moment at which these services live: a Wednesday. */
const NOW = '2026-03-18T12:00:00Z'
/** The day of the hits of `dayOfHits`. */
export const DAY = '2026-03-10'
export const THAT_DAY = `from=${DAY}&to=${DAY}`

export interface StatsSite {
  siteNo: number
  id: string
  key: string
  path: string
}

/** The API with sites whose hits lie where a test wants them. */
export async function startStats(now = NOW, database?: TestDatabase) {
  const api = await startApi({ now: () => new Date(now), ...(database && { database }) })
  const owner = await api.member()
  const ask = (path: string, token = owner.token) => request(`${api.url}${path}`, { token })
  return {
    api,
    owner,
    client: createClient(api.url, owner.token),
    site: (timezone = 'UTC', member: Member = owner): Promise<StatsSite> => api.site(member, { timezone }),
    async goal(site: StatsSite, body: object): Promise<string> {
      const made = await api.call('POST', `${site.path}/goals`, { token: owner.token, body })
      expect(made.status).toBe(201)
      return made.body.id
    },
    store: (hits: EnrichedHit[]) => storeHits(api.services.db, 0, hits),
    ask,
    /** The body of an answer that has to be 200. */
    async read(site: StatsSite, path: string) {
      const answer = await ask(`${site.path}${path}`)
      expect(answer.status, `${path}: ${answer.text}`).toBe(200)
      return answer.json
    },
    close: () => api.close(),
  }
}

export type Stats = Awaited<ReturnType<typeof startStats>>

/** The API of the tests of a file, from before the first to after the last; with what they have in common. */
export function useStats(prepare: () => Promise<unknown> = async () => {}, now = NOW): Stats {
  const used = ofFile(() => startStats(now))
  beforeAll(prepare)
  return used
}

/** A hit with what enrichment would find out; nothing of it unless `dimensions` say so. */
export function hit(
  site: StatsSite,
  at: string,
  fields: Partial<Hit> = {},
  dimensions: Partial<EnrichedHit> = {},
): EnrichedHit {
  const none = { source: '', channel: '', browserName: '', osName: '', size: 'desktop' as const }
  return { ...enrichedHit(site, Date.parse(at), fields), ...none, ...dimensions }
}

export const ADA = '00000000-0000-4000-8000-00000000000a'
export const BEN = '00000000-0000-4000-8000-00000000000b'
export const CAI = '00000000-0000-4000-8000-00000000000c'
export const MESSAGE = 'x is not a function'

/** Three visitors and four sessions of one day, and one session of the day before. */
export function dayOfHits(site: StatsSite): EnrichedHit[] {
  const from = {
    ...{ source: 'Google', channel: 'Organic Search', browserName: 'Chrome', osName: 'macOS' },
    ...{ size: 'desktop' as const, country: 'DE' },
  }
  const at = (time: string) => `${DAY}T${time}Z`
  const home = { url: '/home?a=1', title: 'Home' }
  const pricing = { url: '/pricing', title: 'Pricing', visitorId: ADA }
  const boom = { type: 'error', name: 'error', url: '/home', title: 'Home' } as const
  const error = { name: 'TypeError', message: MESSAGE }
  const place = { stack: 'at f', fileName: 'a.js', lineNumber: '10', columnNumber: '5' }
  const identity = { identifier: 'user-1', name: 'Ada L.', avatar: 'https://example.com/ada.png' }
  const outbound = { type: 'outbound', name: 'outbound', url: '/out', props: { selector: '#buy' } } as const
  const revenue = { amountMinor: '4999', currency: 'USD' }
  const signup = { type: 'event', name: 'signup', props: { plan: 'pro', tier: 'a' }, revenue } as const
  return [
    hit(site, '2026-03-09T09:00:00Z', { ...home, visitorId: ADA }, from),
    hit(site, at('09:00:00'), { ...home, visitorId: ADA, props: { plan: 'pro' } }, from),
    hit(site, at('09:01:00'), pricing, from),
    hit(site, at('09:01:30'), { ...pricing, type: 'engagement', scroll: 80, engagedMs: 5000 }),
    hit(site, at('09:02:00.123'), { ...pricing, ...signup }),
    hit(site, at('09:03:00'), { type: 'identify', visitorId: ADA, identity }),
    hit(site, at('10:00:00'), { ...home, visitorId: BEN }),
    hit(site, at('11:00:00'), { ...outbound, visitorId: CAI }),
    hit(site, at('11:01:00'), { ...boom, visitorId: CAI, error: { ...error, ...place } }),
    hit(site, at('12:00:00'), { ...home, visitorId: BEN }),
    hit(site, at('12:01:00'), { ...boom, visitorId: BEN, error }),
    hit(site, at('12:02:00'), { ...boom, visitorId: BEN, error: { message: 'other' } }),
  ]
}

/** Checks that a request is answered or refused, in good time, and never with what is not ours to see. */
export function expectComposure(answer: Answer, what: string, statuses = [200, 422]) {
  expect(statuses, `${what}: ${answer.text.slice(0, 500)}`).toContain(answer.status)
  expect(answer.text, what).not.toContain('FOREIGN')
}
