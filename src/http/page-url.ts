import type { PageUrl } from '../infra/pagination.ts'

/** Scheme and host, which proxies put before the path. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i

/**
 * Returns a function that makes the URL of another page of the answer: the path and query of the request, including unknown
 * parameters, with another `page`.
 * @param baseUrl without a trailing slash
 * @param requestUrl URL from the request line
 */
export function pageUrlOf(baseUrl: string, requestUrl: string): PageUrl {
  return page => {
    const [, path, query] = /^([^?]*)\??(.*)$/s.exec(requestUrl.replace(ORIGIN, ''))!
    const parameters = new URLSearchParams(query)
    parameters.set('page', String(page))
    return new URL(`${baseUrl}${path}?${parameters}`).href
  }
}
