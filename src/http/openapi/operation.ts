import type { Refusals } from '../../errors.ts'

/** Texts about a procedure in the OpenAPI document. */
export interface Operation {
  summary: string
  description?: string
  /** Description of the successful answer. */
  answer?: string
  /** Refusals in addition to those of the checks that the procedure is built from. */
  refusals?: Refusals
}
