/** Returns the name of a country in the reader's language; the code where there is none. */
export function countryName(locale: string, code: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: 'region' }).of(code) ?? code
  } catch {
    return code
  }
}

/** Returns the name of a language tag such as `de-AT`. */
export function languageName(locale: string, tag: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}

/** Letters that would change how an address reads: white space, what is not seen, and what turns the direction of text. */
const MISLEADING = /[\s\p{C}]/u

/** Returns a path as people write it, `/ü` for `/%C3%BC`; a part that is no UTF-8, or that would mislead, stays as it is. */
export const decodedPath = (path: string): string =>
  path.replaceAll(/(?:%[89A-F][\dA-F])+/gi, part => {
    try {
      const text = decodeURIComponent(part)
      return MISLEADING.test(text) ? part : text
    } catch {
      return part
    }
  })
