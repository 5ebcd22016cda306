import { AppError, invalidField, invalidValue } from '../../platform/errors.ts'
import { shortened } from '../conditions/conditions.ts'

/** What is compared with texts: the value of a field. `goal`: the goal that has it, by display name and id. */
export interface Compared {
  field: string
  value: string
  goal?: string | undefined
}

/**
 * Why nothing is counted. `costly`: a comparison takes too long on the texts of the range; `invalid`: a pattern cannot be compared. `preparing`:
 * columns are still made from rows; `share` of the time is done, from 0 to 1. `large`: they do not fit into the memory for columns.
 * `slow`: they fit, and take too long to count.
 * `unavailable`: the database cannot answer now.
 */
export type Refusal =
  | ({ why: 'costly' } & Compared)
  | ({ why: 'invalid'; reason: string } & Compared)
  | { why: 'preparing'; share: number }
  | { why: 'large' | 'slow' }
  | { why: 'unavailable'; message: string }

/** A question that is not answered. */
export class CountRefused extends Error {
  override name = 'CountRefused'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(`a count was refused: ${refusal.why}`)
    this.refusal = refusal
  }
}

/** Seconds after which more is prepared. */
const RETRY_AFTER = 2

/** Begins what is said of a field with its value, unless it is a step of a funnel, which has one value alone. */
const said = ({ field, value }: { field: string; value: string }, what: string) =>
  /^steps\.\d+\.value$/.test(field) ? what : `${shortened(value)} ${what}`

/** Returns the error of a refusal, with a message for the caller. */
export function refusalError(refusal: Refusal): AppError {
  switch (refusal.why) {
    case 'preparing':
      return new AppError(
        'preparing',
        `The answer is being prepared from the hits of this range: ${Math.floor(100 * refusal.share)} % is done; try again shortly`,
        { retryAfter: RETRY_AFTER, share: refusal.share },
      )
    case 'unavailable':
      return new AppError('unavailable', refusal.message, { retryAfter: RETRY_AFTER })
    case 'large':
      return invalidField(
        'range',
        'The range has more hits than fit into the memory for columns: ask for a shorter range, or set COLUMNS_MB higher',
      )
    case 'slow':
      return invalidField('range', 'The hits of the range take too long to count: ask for a shorter range')
    case 'costly':
      return refusal.goal
        ? invalidField(
            refusal.field,
            `The goal ${refusal.goal} takes too long to look for among the values of this range: ask for a shorter range, or give it a simpler match_value`,
          )
        : invalidValue(
            refusal.field,
            said(
              refusal,
              'takes too long on the values of this range: ask for a shorter range, or use a simpler pattern',
            ),
          )
    case 'invalid':
      return refusal.goal
        ? invalidField(
            refusal.field,
            `The goal ${refusal.goal} cannot be looked for: its match_value ${refusal.reason}; change or delete it`,
          )
        : invalidValue(refusal.field, said(refusal, refusal.reason))
  }
}
