import { v5 } from 'uuid'
import { z } from 'zod'
import { isWithin, validationError } from '../../platform/schema/validation.ts'
import { sender } from '../edge/hit-fields.ts'
import { SCHEMAS } from '../edge/hit-schema.ts'
import { type Content, type Endpoint, readBody } from '../edge/read-body.ts'
import type { EnrichedHit } from '../hit.ts'
import { MAX_MESSAGE } from '../stages/error.ts'
import { refused } from './read-time.ts'
import type { StoredLine } from './stored-line.ts'

const Sender = z.object(sender)
/** Engagement may be stored without a depth or a time. */
const Engagement = SCHEMAS.engage.partial({ sd: true, time: true })
const Identity = z.object(SCHEMAS.identify.shape).omit({ hostname: true })

/**
 * Reads the body of a line with `stored`. That of an identify has no identifier: identities are lines of their own.
 * @throws AppError `validation_failed`, fields named
 */
export function readStoredBody(endpoint: Endpoint, body: unknown): Content {
  if (endpoint === 'identify') {
    const content = readBody(endpoint, { ...parse(Sender, body), identifier: '-' })
    content.hit.identity = undefined
    return content
  }
  if (endpoint === 'engage') {
    const { sd, time } = parse(Engagement, body)
    const content = readBody(endpoint, { ...(body as object), sd: sd ?? 0, time: time ?? 0 })
    Object.assign(content.hit, { scroll: sd, engagedMs: time })
    return content
  }
  return readBody(endpoint, body)
}

/** @throws AppError `validation_failed` without the visitor's id: nothing of a stored hit is derived */
export function requireVisitor({ visitorId }: Content): void {
  if (visitorId === undefined) throw refused('body.visitor_id is required on a line with stored')
}

/** Makes an enriched hit what its line says that is stored. */
export function restore(
  hit: EnrichedHit,
  { errorId, ...restored }: StoredLine,
  keepsErrorId: boolean,
): EnrichedHit {
  // The message of the line is cut, so another one may have the same beginning: the group that it comes from tells them apart.
  const isWhole = isWithin(hit.error?.message ?? '', MAX_MESSAGE - 1)
  if (errorId && !isWhole) hit.errorId = keepsErrorId ? errorId : v5(errorId, hit.siteId)
  hit.restored = restored
  return hit
}

/**
 * Reads the body of a line `identity`.
 * @throws AppError `validation_failed`, fields named
 */
export function readIdentity(body: unknown): NonNullable<EnrichedHit['identity']> {
  const { identifier, name, avatar, custom } = parse(Identity, body)
  return {
    identifier,
    ...(name !== undefined && { name }),
    ...(avatar !== undefined && { avatar }),
    ...(custom !== undefined && { custom }),
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw validationError(parsed.error)
  return parsed.data
}
