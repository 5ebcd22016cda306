import { refusal } from '../../read/limits.ts'

const MOST_LISTED = 20

/**
 * Tells rows of the wanted website from others, and refuses a file of several if none is named.
 * @param unit what a row is, in the plural, for the message
 */
export function createWebsiteFilter(wanted: string | undefined, unit = 'events') {
  const found = new Map<string, number>()

  return {
    /** @param website id in the row; undefined where the file has no such column */
    isWanted(website: string | undefined): boolean {
      if (website === undefined) return true
      const id = website.toLowerCase()
      // Ids beyond the list are not counted: a file that is no export could have any number.
      if (found.has(id) || found.size < MOST_LISTED) found.set(id, (found.get(id) ?? 0) + 1)
      return wanted === undefined || id === wanted.toLowerCase()
    },
    /** @throws AppError `validation_failed` when the file holds several websites and none was named, or not the one that was */
    check(): void {
      const list = [...found].map(([id, rows]) => `${id} (${rows} ${unit})`).join(', ')
      if (wanted === undefined && found.size > 1) {
        throw refusal(`the file holds several websites; name one of them: ${list}`)
      }
      if (wanted !== undefined && found.size > 0 && !found.has(wanted.toLowerCase())) {
        throw refusal(`the file holds no ${unit} of the website ${wanted}; it has: ${list}`)
      }
    },
  }
}
