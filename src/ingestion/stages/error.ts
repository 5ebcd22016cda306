import { v5 } from 'uuid'
import type { EnrichedHit } from '../hit.ts'

const LONGEST_NAME = 255
const LONGEST_MESSAGE = 5_000
const LONGEST_STACK = 20_000

/**
 * On errors: gives the error a name and a message, its name to the event, and the fingerprint. Cuts name, message
 * and stack (255, 5,000 and 20,000 code points) after the fingerprint was taken. Leaves other hits as they are.
 */
export function readError(hit: EnrichedHit): void {
  if (hit.type !== 'error') return
  const error = hit.error ?? {}
  const fullName = isBlank(error.name) ? 'Error' : error.name
  const message = isBlank(error.message) ? fullName : error.message
  const name = cut(fullName, LONGEST_NAME)
  hit.name = name
  hit.error = {
    ...error,
    name,
    message: cut(message, LONGEST_MESSAGE),
    ...(error.stack !== undefined && { stack: cut(error.stack, LONGEST_STACK) }),
  }
  hit.errorId = errorFingerprint(hit.siteId, message)
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

/** The first `limit` code points of a text; never half of a surrogate pair. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  let end = 0
  for (let count = 0; count < limit && end < text.length; count++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}
