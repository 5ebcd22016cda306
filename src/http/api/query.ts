import type { PageUrl } from '../../platform/schema/pagination.ts'

/**
 * Parses the query string of a URL: `a=1` becomes `{a: '1'}`, `a=1&a=2` becomes `{a: ['1', '2']}`, `a[op]=1` becomes
 * `{a: {op: '1'}}`. Beside such an operator, `a=1` becomes the operator `is`.
 * @param known names of the parameters of the route
 * @returns the input of the procedure, and the parameter names that it does not have
 */
export function readQuery(url: string, known: ReadonlySet<string>) {
  const start = url.indexOf('?')
  const parameters = new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
  const input: Record<string, unknown> = {}
  const ignored: string[] = []
  for (const key of new Set(parameters.keys())) {
    const [, name = key, operator] = /^([^[\]]+)\[(.*)\]$/s.exec(key) ?? []
    if (!known.has(name)) {
      ignored.push(key)
      continue
    }
    const values = parameters.getAll(key)
    const value = values.length === 1 ? values[0] : values
    const before = input[name]
    if (operator === undefined && before === undefined) input[name] = value
    else input[name] = { ...operatorsOf(before), [operator ?? 'is']: value }
  }
  return { input, ignored }
}

function operatorsOf(value: unknown): object {
  if (value === undefined) return {}
  return typeof value === 'object' && !Array.isArray(value) ? value! : { is: value }
}

const MAX_NAMES = 20
const MAX_NAME_LENGTH = 64

/** Returns the first 20 names as a header value, percent-encoded and cut to 64 characters each. */
export function headerList(names: string[]): string {
  return names
    .slice(0, MAX_NAMES)
    .map(name => encodeURIComponent(name.toWellFormed()).slice(0, MAX_NAME_LENGTH))
    .join(', ')
}

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
