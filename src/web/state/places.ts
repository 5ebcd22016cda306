/** Loads another page of this service anew. @param path begins with `/`; below the path of a proxy, too */
export function leadTo(path: string): void {
  location.assign(addressOf(path))
}

/** Returns the address of a page of this service, for links that no route shows. */
export const addressOf = (path: string): string => new URL(`.${path}`, document.baseURI).href
