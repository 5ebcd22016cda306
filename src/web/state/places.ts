/** Path of this service: browsers read `//host` and `/\host` as another host. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

/** Returns the path if it leads to a page of this service, else that of the first page. */
export const ownPath = (path: string | null): string => (path !== null && OWN_PATH.test(path) ? path : '/')

/** Loads another page of this service anew. @param path begins with `/`; below the path of a proxy, too */
export function leadTo(path: string): void {
  location.assign(addressOf(path))
}

/** Returns the address of a page of this service, for links that no route shows. */
export const addressOf = (path: string): string => new URL(`.${path}`, document.baseURI).href
