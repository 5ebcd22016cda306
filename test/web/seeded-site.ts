import type { EnrichedHit, Hit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import type { Answer } from '../support/api.ts'
import { enrichedHit } from '../support/hits.ts'
import type { Member, Visit } from './visit.ts'

export interface SeededSite {
  id: string
  domain: string
  siteNo: number
  key: string
  /** Calls the API as the member, below the site. */
  call(method: string, path: string, body?: unknown): Promise<Pick<Answer, 'status' | 'body'>>
  /** Stores hits, as if they had just come. */
  store(hits: readonly SeededHit[]): Promise<void>
}

export interface SeededHit {
  /** Unix milliseconds. */
  at: number
  visitor: string
  fields?: Partial<Hit>
  dimensions?: Partial<EnrichedHit>
}

/** Makes a site in the team of a member. */
export async function seededSite(visit: Visit, member: Member, timezone = 'UTC'): Promise<SeededSite> {
  const { api } = visit
  const headers = member.login.headers
  const stored = await api.site({ headers }, { timezone })
  return {
    ...stored,
    call: (method, path, body) =>
      api.call(method, stored.path + path, { headers, ...(body !== undefined && { body }) }),
    store: hits =>
      storeHits(
        api.services.db,
        0,
        hits.map(({ at, visitor, fields, dimensions }) => ({
          ...enrichedHit(stored, at, { visitorId: visitor, ...fields }),
          ...dimensions,
        })),
      ).then(() => undefined),
  }
}

const message = 'The answer takes too long; try again shortly'
const data = { httpStatus: 503, code: 'unavailable', message, request_id: 'test' }

/** Answers a read of a page as the service does when it takes too long. */
export const TOO_SLOW = { status: 503, json: { error: { message, code: -32603, data } } }
