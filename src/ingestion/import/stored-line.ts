import { z } from 'zod'
import { fieldOf, SESSION_ATTRIBUTES, type SessionAttribute } from '../../platform/dimensions/dimensions.ts'
import { text } from '../../platform/schema/validation.ts'
import { uuid } from '../edge/hit-fields.ts'
import type { RestoredHit, RestoredSession } from '../hit.ts'
import { SESSION_SPAN_MS } from '../store/batch-context.ts'
import { readTime, refused } from './read-time.ts'

/** Longest value of a session: a path of 2,048 characters that got its slash. */
const MAX_VALUE = 2_049

const value = text(MAX_VALUE).nullish()
const attributes = Object.fromEntries(SESSION_ATTRIBUTES.map(name => [name, value])) as Record<
  (typeof SESSION_ATTRIBUTES)[number],
  typeof value
>

const whole = (max: number) => z.int(`must be a whole number from 1 to ${max}`).min(1).max(max)

const StoredSession = z.object(
  {
    started_at: z.string(),
    visit_count: whole(2 ** 31 - 1).nullish(),
    user_id: text(255).nullish(),
    user_since: z.string().nullish(),
    ...attributes,
  },
  'must be an object with started_at',
)

const Pending = z.object(
  { identifier: text(255).min(1, 'must not be empty'), splits: z.boolean().default(false) },
  'must be an object with identifier and splits',
)

/** The part `stored` of a line, as an export writes it (docs/import.md). What it does not name is not read. */
export const StoredPart = z.object(
  {
    id: uuid,
    first_seen_at: z.string().nullish(),
    page_at: z.string().nullish(),
    pending: Pending.nullish(),
    error_group: text(255).nullish(),
    error_id: uuid.nullish(),
    session: StoredSession.nullish(),
  },
  'must be an object with id and session',
)
type StoredPart = z.infer<typeof StoredPart>

/** What a line says of its stored hit. */
export interface StoredLine extends RestoredHit {
  id: string
  /** Of an error: its group at the place that the line comes from. */
  errorId: string | undefined
}

/**
 * Checks the part `stored` of a line against the rest of the line.
 * @param at time of the line, Unix milliseconds
 * @throws AppError `validation_failed` with the reason
 */
export function readStored(stored: StoredPart, endpoint: string, at: number, now: number): StoredLine {
  const { id, session, pending } = stored
  if (endpoint === 'identity') throw refused('stored does not belong on a line of an identity')
  const needsPage = endpoint === 'engage' || endpoint === 'web-vitals'
  const pageAt = optionalTime(stored.page_at, 'stored.page_at', now)
  if (needsPage && pageAt === undefined) throw refused('stored.page_at is required')
  if (pageAt !== undefined && pageAt > at) throw refused('stored.page_at lies after timestamp')
  if (!session && endpoint !== 'identify') throw refused('stored.session is required')
  return {
    id,
    errorId: stored.error_id ?? undefined,
    session: session ? readSession(session, at, now) : undefined,
    pageAt: needsPage ? pageAt : undefined,
    firstSeenAt: optionalTime(stored.first_seen_at, 'stored.first_seen_at', now),
    pending: endpoint === 'identify' && pending ? pending : undefined,
    errorGroup: stored.error_group || undefined,
  }
}

function readSession(session: NonNullable<StoredPart['session']>, at: number, now: number): RestoredSession {
  const startedAt = readTime(session.started_at, 'stored.session.started_at', now)
  if (Math.abs(at - startedAt) > SESSION_SPAN_MS) {
    throw refused('stored.session.started_at lies more than 24 hours from timestamp')
  }
  const userId = session.user_id ?? ''
  const dimensions = {} as Record<SessionAttribute, string>
  for (const name of SESSION_ATTRIBUTES) dimensions[fieldOf(name)] = session[name] ?? ''
  return {
    startedAt,
    visitCount: session.visit_count ?? undefined,
    userId,
    userSince: userId ? optionalTime(session.user_since, 'stored.session.user_since', now) : undefined,
    dimensions,
  }
}

const optionalTime = (value: string | null | undefined, name: string, now: number): number | undefined =>
  value === null || value === undefined ? undefined : readTime(value, name, now)
