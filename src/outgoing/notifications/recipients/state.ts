import type { RecipientRow } from './recipient-rows.ts'
import type { RecipientState } from './recipient-schema.ts'

/** Returns whether mails may be sent to a recipient, and why not. */
export function stateOf({
  reachesSite,
  unsubscribedAt,
  confirmedAt,
}: Pick<RecipientRow, 'unsubscribedAt' | 'confirmedAt'> & { reachesSite: boolean }): RecipientState {
  if (unsubscribedAt) return 'unsubscribed'
  if (!reachesSite) return 'no_access'
  return confirmedAt ? 'confirmed' : 'waiting'
}
