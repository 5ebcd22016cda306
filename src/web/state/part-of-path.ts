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
