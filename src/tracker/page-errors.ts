import { track } from './api.ts'
import { cut, MAX_ERROR, MAX_ERRORS, MAX_NAME, textOf } from './limits.ts'

/** Addresses of scripts that are not the site's. Safari hides those of extensions. */
const FOREIGN = /^([\w-]*extension|webkit-masked-url|user-?script):/i

const seen: unknown[] = []
/** Errors that occurred before the service's first answer, which says whether the site records errors. */
const waiting: object[] = []
/** Undefined before that answer. */
let isWanted: boolean | undefined

/** Reports an uncaught error or an unhandled rejection. */
export function report(event: ErrorEvent & PromiseRejectionEvent): void {
  const thrown: unknown = event.error || event.reason
  const known = Object(thrown)
  const { stack, message, name } = known
  const json = thrown === known && !stack && !(thrown instanceof Error) ? textOf(thrown) : ''
  const text = (json !== '{}' && json) || message || event.message || json || String(thrown)
  // Without a thrown value and a file name, an image did not load, or the browser hides an error of a cross-origin script.
  if ((!thrown && !event.filename) || seen.includes(text) || seen.length >= MAX_ERRORS) return
  // Before the frames of a stack, its message may have an address, too.
  const [script] = event.filename
    ? [event.filename]
    : /[\w-]+:\/\/\S*/.exec(`${stack}`.replace(`${text}\n`, '')) || ['']
  // The browser reports this one for every page whose layout takes two rounds.
  if (FOREIGN.test(script) || /ResizeObserver loop/.test(text)) return
  seen.push(text)
  waiting.push({
    name: stack || message ? cut(name, MAX_NAME) : undefined,
    message: cut(text, MAX_ERROR),
    stack: cut(stack, MAX_ERROR),
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
