import type { Stripe } from 'stripe'
import { ZodError } from 'zod'
import { AppError } from '../../platform/errors.ts'
import { mend, validationError } from '../../platform/schema/validation.ts'
import { failureOf, remedyOf } from '../processor/stripe.ts'
import { countUnreadable, type ImportCounts } from './counts.ts'
import { withWholeObjects } from './long-lists.ts'
import { PHASE, type PhaseName } from './phases.ts'
import type { ReadFact } from './store-facts.ts'

const PAGE = 100

/** A page of objects as they were given. */
export interface GivenPage {
  objects: { id: string }[]
  /** When the processor answered, Unix milliseconds. */
  at: number
  /** Id of the last object; null when no more follow. */
  next: string | null
}

/** The processor cannot answer now. */
export class NotNow extends Error {
  /** How long it asks to wait. */
  readonly seconds: number | undefined

  constructor(message: string, seconds: number | undefined, cause: unknown) {
    super(message, { cause })
    this.seconds = seconds
  }
}

/** The object after which a list should continue is gone. */
export class ListChanged extends Error {}

/**
 * Asks for a page.
 * @throws NotNow, ListChanged; AppError `bad_request` for a key that is not accepted, or may not read this
 */
export async function askForPage(
  stripe: Stripe,
  phase: PhaseName,
  after: string | null,
  from: Date | null,
): Promise<GivenPage> {
  const { list, permission } = PHASE[phase]
  const askedAt = Date.now()
  try {
    const page = { limit: PAGE, ...(after !== null && { starting_after: after }) }
    const answer = await list(stripe, page, from === null ? undefined : Math.floor(from.getTime() / 1000))
    const data = await withWholeObjects(stripe, phase, answer.data)
    const last = answer.data.at(-1)
    return {
      objects: JSON.parse(JSON.stringify(data), (_key, value) =>
        typeof value === 'string' ? mend(value) : value,
      ),
      at: Math.min(askedAt, Date.parse(answer.lastResponse?.headers?.date ?? '') || askedAt),
      next: answer.has_more && last ? last.id : null,
    }
  } catch (error) {
    throw explained(error, permission)
  }
}

function explained(error: unknown, permission: string): unknown {
  const remedy = remedyOf(error)
  const cause = { cause: error }
  switch (remedy.kind) {
    case 'wait':
      return new NotNow(`The processor cannot be asked: ${failureOf(error)}`, remedy.seconds, error)
    case 'begin again':
      return new ListChanged()
    case 'other key':
      return new AppError(
        'bad_request',
        'Stripe does not accept the API key: connect the processor again with a key that works',
        cause,
      )
    case 'permission':
      return new AppError(
        'bad_request',
        `The API key may not read ${permission}: allow it in Stripe under Developers, API keys, then start the import again`,
        cause,
      )
    case 'none':
      return new AppError('bad_request', `The processor cannot be read: ${failureOf(error)}`, cause)
  }
}

/** Reads the objects of a page, and counts them. What is beyond the accepted bounds is left out, and named. */
export function readPage(
  phase: PhaseName,
  { objects, at }: GivenPage,
  counts: ImportCounts,
  from: Date | null,
): ReadFact[] {
  return objects.flatMap(object => {
    try {
      return PHASE[phase].read(object, at, counts, from)
    } catch (error) {
      countUnreadable(counts, { id: String(object.id), reason: reasonOf(error) })
      return []
    }
  })
}

function reasonOf(error: unknown): string {
  if (error instanceof ZodError) return validationError(error).message
  if (error instanceof RangeError || error instanceof AppError) return error.message
  throw error
}
