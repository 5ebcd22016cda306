import { definition, read } from './dom.ts'

const YEAR_S = 31_536_000

/**
 * Random UUID of this page load; a cookie keeps it when the site's mode turns out to be `cookie`. The URL of a blob ends with
 * a UUID, also where `crypto.randomUUID` is missing: in older browsers and on plain http.
 */
export const newId = URL.createObjectURL(new Blob()).slice(-36)

/** Returns the id from the cookie. */
export const keptId = (): string | undefined =>
  (read(document, 'cookie').match(/\banalytics_id=([\da-f-]{36})/) || [])[1]

/** Keeps the id for another year, or deletes an id from a time when the site's mode was `cookie`. */
export function keepId(isCookieMode: boolean): void {
  if (isCookieMode || keptId())
    definition(document, 'cookie').set!.call(
      document,
      `analytics_id=${keptId() || newId};Path=/;SameSite=Lax;Max-Age=${+isCookieMode * YEAR_S}${isSecureContext ? ';Secure' : ''}`,
    )
}
