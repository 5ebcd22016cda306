const YEAR_S = 31_536_000

/**
 * A random UUID of this page load only; a cookie keeps it when the site's mode turns out to be `cookie`. The address of a
 * blob ends with one, also where `crypto.randomUUID` is missing: in older browsers and on plain http.
 */
export const newId = URL.createObjectURL(new Blob()).slice(-36)

/** The id that the cookie holds. */
export const keptId = (): string | undefined =>
  (document.cookie.match(/\banalytics_id=([\da-f-]{36})/) || [])[1]

/** Keeps the id for another year, or forgets one from a time when the site's mode was `cookie`. */
export function keepId(isCookieMode: boolean): void {
  if (isCookieMode || keptId())
    document.cookie = `analytics_id=${keptId() || newId};Path=/;SameSite=Lax;Max-Age=${+isCookieMode * YEAR_S}${isSecureContext ? ';Secure' : ''}`
}
