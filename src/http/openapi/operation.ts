import type { Refusals } from '../../errors.ts'

/** What the API's description says of a procedure in words. */
export interface Operation {
  summary: string
  description?: string
  /** Of the answer of success. */
  answer?: string
  /** Errors beyond those of the checks that the procedure is built from. */
  refusals?: Refusals
}
