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
