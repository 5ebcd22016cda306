import type { PageUrl } from '../infra/pagination.ts'

/** What proxies put before the path. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i

/**
 * Addresses of other pages of what was asked for: the request's own path and query, unknown parameters included, with
 * another `page`.
 * @param baseUrl without a slash at its end
 * @param requestUrl as the request line has it
 */
export function pageUrlOf(baseUrl: string, requestUrl: string): PageUrl {
  return page => {
    const [, path, query] = /^([^?]*)\??(.*)$/s.exec(requestUrl.replace(ORIGIN, ''))!
    const parameters = new URLSearchParams(query)
    parameters.set('page', String(page))
    return new URL(`${baseUrl}${path}?${parameters}`).href
  }
}
