/** Path of this service: browsers read `//host` and `/\host` as another host. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

/** Returns the path if it leads to a page of this service, else that of the first page. */
export const ownPath = (path: string | null): string => (path !== null && OWN_PATH.test(path) ? path : '/')
