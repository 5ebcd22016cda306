import { track } from './api.ts'
import { cut, MAX_ERROR, MAX_ERRORS, MAX_NAME } from './limits.ts'

const seen: unknown[] = []
/** Errors that occurred before the service's first answer, which says whether the site records errors. */
const waiting: object[] = []
/** Undefined before that answer. */
let isWanted: boolean | undefined

/** Reports an uncaught error or an unhandled rejection. */
export function report(event: ErrorEvent & PromiseRejectionEvent): void {
  const thrown: unknown = event.error || event.reason
  const known = Object(thrown)
  const text = known.message || event.message || thrown
  // Without a thrown value and a file name, an image did not load, or the browser hides an error of a cross-origin script.
  if ((!thrown && !event.filename) || seen.includes(text) || seen.length >= MAX_ERRORS) return
  seen.push(text)
  waiting.push({
    name: cut(known.name, MAX_NAME),
    message: cut(text, MAX_ERROR),
    stack: cut(known.stack, MAX_ERROR),
    file_name: event.filename,
    line_number: event.lineno,
    column_number: event.colno,
  })
  wantErrors(isWanted)
}

/** Applies the site's setting: reports waiting errors if it wants them. */
export function wantErrors(wanted: boolean | undefined): void {
  isWanted = wanted
  if (wanted) waiting.splice(0).map(error => track('error', {}, error))
}
