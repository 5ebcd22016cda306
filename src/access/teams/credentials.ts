import type { AppError } from '../../platform/errors.ts'
import type { RateLimitDecision } from '../../platform/limits/rate-limit.ts'
import type { Services } from '../../platform/services.ts'
import type { Caller } from './caller.ts'

/** What a request shows about its sender. */
export interface Credentials {
  authorization: string | undefined
  /** Secret in the cookie of a browser session. */
  sessionCookie: string | undefined
  setSessionCookie: (secret: string | null) => void
  /** Whether the request may use its cookie: it only reads, or a page of this service sent it. */
  mayUseCookie: boolean
  /** Value of `X-Team`: the team in which a signed-in person acts. */
  team: string | undefined
  network: string
  showRate: (rate: RateLimitDecision) => void
}

export type Parts = Pick<Services, 'db' | 'config' | 'invalidTokens' | 'knownTokens' | 'now'>

/** A person who is signed in with a browser. */
export interface Person {
  loginId: string
  email: string
  name: string | null
  sessionId: string
  /** When they last gave their credentials in this session. */
  authenticatedAt: Date
}

export interface Identity {
  /** null for a signed-in person who belongs to no team. */
  caller: Caller | null
  /** The signed-in person; null for a token. */
  person: Person | null
}

/** A look-up of credentials by their SHA-256. */
export interface Check<Row> {
  hash: Buffer
  /** Returns undefined for invalid ones. */
  find: () => Promise<Row | undefined>
  /** Error for invalid ones. */
  refusal: AppError
}

export type Guard = <Row>(check: Check<Row>) => Promise<Row>
