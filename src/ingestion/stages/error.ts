import { v5 } from 'uuid'
import { cut } from '../../platform/schema/validation.ts'
import { isReservedName } from '../../storage/events/reserved-names.ts'
import type { Hit } from '../hit.ts'

/** Maximum code points stored of each text (docs/api.md "Sending hits"). */
export const MAX_MESSAGE = 5_000

const LONGEST = {
  name: 255,
  message: MAX_MESSAGE,
  stack: 20_000,
  fileName: 2_048,
  lineNumber: 20,
  columnNumber: 20,
} as const

/**
 * Completes an error hit: sets the name and message of the error, the event name, and the fingerprint. A reserved name
 * becomes `Error`. Cuts the texts after the fingerprint is computed. Keeps an existing fingerprint, because the message may
 * already be cut. Does not change hits of other types.
 */
export function completeError(hit: Pick<Hit, 'type' | 'siteId' | 'name' | 'error' | 'errorId'>): void {
  if (hit.type !== 'error') return
  const error = hit.error ?? {}
  const fullName = isBlank(error.name) ? 'Error' : error.name
  const message = isBlank(error.message) ? fullName : error.message
  // Filters, breakdowns and lists of names could not tell an error with a reserved name from the service's own events.
  const name = isReservedName(fullName) ? 'Error' : fullName
  hit.errorId ??= errorFingerprint(hit.siteId, message)
  const kept = { ...error, name, message }
  for (const [field, most] of Object.entries(LONGEST) as [keyof typeof LONGEST, number][]) {
    const text = kept[field]
    if (text !== undefined) kept[field] = cut(text, most)
  }
  hit.name = kept.name
  hit.error = kept
}

/**
 * Returns the id of an error group: a UUIDv5 in the namespace of the site.
 * @param siteId a UUID
 * @param message the exact message, before it is cut for storing
 */
export function errorFingerprint(siteId: string, message: string): string {
  // Pass bytes: the library's own conversion throws on lone surrogates.
  return v5(Buffer.from(message, 'utf8'), siteId)
}

function isBlank(text: string | undefined): text is undefined {
  return !text?.trim()
}
