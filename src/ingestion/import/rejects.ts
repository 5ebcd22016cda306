import { AppError } from '../../platform/errors.ts'

const MAX_SHOWN = 1_000

export interface Rejected {
  /** Line number from 1. */
  line: number
  error: string
}

/** Creates a list of the rejected lines. */
export function createRejects() {
  let shown: Rejected[] = []
  let total = 0

  function add(line: number, error: string) {
    total += 1
    shown.push({ line, error })
    // Not in line order: storing rejects a line later than parsing does. Keep twice the limit, then sort and cut.
    if (shown.length >= 2 * MAX_SHOWN) shown = first()
  }

  /** Returns the first 1,000 rejected lines, by line number. */
  const first = () => shown.sort((a, b) => a.line - b.line).slice(0, MAX_SHOWN)

  return {
    add,
    /** Returns the result of `read`; if `read` throws, rejects the line and returns undefined. */
    unlessRejected<Value>(line: number, read: () => Value, prefix = ''): { value: Value } | undefined {
      try {
        return { value: read() }
      } catch (error) {
        add(line, describe(error as Error, prefix))
        return undefined
      }
    },
    first,
    get total() {
      return total
    },
  }
}

function describe(error: Error, prefix: string): string {
  const fields = error instanceof AppError ? Object.entries(error.fields ?? {}) : []
  if (fields.length === 0) return error.message
  // A schema names its whole input `body`; that is already the right name here, so add no prefix.
  const nameOf = (path: string) => (path === 'body' ? path : prefix + path)
  return fields.flatMap(([path, messages]) => messages.map(what => `${nameOf(path)} ${what}`)).join('; ')
}
