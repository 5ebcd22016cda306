import { track } from './api.ts'
import { cut, MAX_ERROR, MAX_ERRORS, MAX_NAME } from './limits.ts'

const seen = new Set<unknown>()
/** Errors from before the site's first answer, which says whether it wants them. */
const waiting: object[] = []
let take = (error: object): unknown => waiting.push(error)

/** Reports what nobody caught. */
export function report(event: ErrorEvent & PromiseRejectionEvent): void {
  const thrown: unknown = event.error || event.reason
  const known = Object(thrown)
  const text = known.message || event.message || thrown
  // An image that did not load, or a script of another site whose errors are hidden.
  if ((!thrown && !event.filename) || seen.has(text) || seen.size >= MAX_ERRORS) return
  seen.add(text)
  take({
    name: cut(known.name, MAX_NAME),
    message: cut(text, MAX_ERROR),
    stack: cut(known.stack, MAX_ERROR),
    file_name: event.filename,
    line_number: event.lineno,
    column_number: event.colno,
  })
}

/** The site wants errors, or not. */
export function wantErrors(wanted: boolean): void {
  take = error => wanted && track('error', {}, error)
  waiting.splice(0).forEach(take)
}
