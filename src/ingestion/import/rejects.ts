import { AppError } from '../../errors.ts'

const MAX_SHOWN = 1_000

export interface Rejected {
  /** From 1. */
  line: number
  error: string
}

export interface Rejects {
  add(line: number, error: string): void
  /** What `read` gives for a line; undefined when it throws, which rejects the line. */
  unlessRejected<Value>(line: number, read: () => Value, prefix?: string): { value: Value } | undefined
  /** The first 1,000, by line. */
  first(): Rejected[]
  readonly total: number
}

/** The lines that could not be taken. */
export function createRejects(): Rejects {
  let shown: Rejected[] = []
  let total = 0

  function add(line: number, error: string) {
    total += 1
    shown.push({ line, error })
    // What storing refuses comes later than what reading does.
    if (shown.length >= 2 * MAX_SHOWN) shown = first()
  }

  const first = () => shown.sort((a, b) => a.line - b.line).slice(0, MAX_SHOWN)

  return {
    add,
    unlessRejected(line, read, prefix = '') {
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

/** Everything that is wrong with a line, in one line. */
function describe(error: Error, prefix: string): string {
  const fields = error instanceof AppError ? Object.entries(error.fields ?? {}) : []
  if (fields.length === 0) return error.message
  // A schema calls all that it was given `body`, which is what it is here.
  const nameOf = (path: string) => (path === 'body' ? path : prefix + path)
  return fields.flatMap(([path, messages]) => messages.map(what => `${nameOf(path)} ${what}`)).join('; ')
}
