import { useSyncExternalStore } from 'react'

/** Loads another page of this service anew. @param path begins with `/`; below the path of a proxy, too */
export function leadTo(path: string): void {
  location.assign(addressOf(path))
}

/** Returns the address of a page of this service, for links that no route shows. */
export const addressOf = (path: string): string => new URL(`.${path}`, document.baseURI).href

/** Address of this service as pages of other sites have to name it, without a slash at its end. */
export const serviceAddress = (): string => document.baseURI.replace(/\/$/, '')

/** Path of this service: browsers read `//host` and `/\host` as another host. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

/** Returns the path if it leads to a page of this service, else that of the first page. */
export const ownPath = (path: string | null): string => (path !== null && OWN_PATH.test(path) ? path : '/')

/** What stands after `#` in the address; another link in the same tab changes it without a reload. Secrets stand there: no server gets it. */
export const useHash = (): string => useSyncExternalStore(subscribe, () => location.hash.slice(1))

function subscribe(listener: () => void) {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}

/**
 * Writes a text as one part of a path. The router decodes paths once before it takes them apart, so that a percent sign is written
 * twice; browsers resolve `.` and `..` in every other form.
 */
export function partOfPath(text: string): string {
  if (text === '.' || text === '..') return text.replaceAll('.', '%252E')
  return encodeURIComponent(text).replaceAll('%25', '%2525')
}

/** Reads a part of a path as the router gives it. */
export function readPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
