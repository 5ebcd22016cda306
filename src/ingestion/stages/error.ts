import { v5 } from 'uuid'
import { cut } from '../../infra/validation.ts'
import type { Hit } from '../hit.ts'
import { isReservedName } from '../reserved-names.ts'

/** Code points that are kept of each text (contract §7). */
const LONGEST = {
  name: 255,
  message: 5_000,
  stack: 20_000,
  fileName: 2_048,
  lineNumber: 20,
  columnNumber: 20,
} as const

/**
 * On errors: gives the error a name and a message, its name to the event, and the fingerprint. A reserved name becomes
 * `Error`. Cuts the texts after the fingerprint was taken; one that is there stays, since the message it was made of may have
 * been cut. Leaves other hits as they are.
 */
export function readError(hit: Pick<Hit, 'type' | 'siteId' | 'name' | 'error' | 'errorId'>): void {
  if (hit.type !== 'error') return
  const error = hit.error ?? {}
  const fullName = isBlank(error.name) ? 'Error' : error.name
  const message = isBlank(error.message) ? fullName : error.message
  // Under a reserved name it would pass for what the service itself has written: in filters, breakdowns and lists of names.
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
 * The id of an error group: UUIDv5 in the namespace of the site.
 * @param siteId a UUID
 * @param message exact, before it is cut for storing
 */
export function errorFingerprint(siteId: string, message: string): string {
  // As bytes, because the library's own conversion throws on lone surrogates.
  return v5(Buffer.from(message, 'utf8'), siteId)
}

function isBlank(text: string | undefined): text is undefined {
  return !text?.trim()
}
