import { cut } from '../../../../platform/schema/validation.ts'
import type { JsonObject } from '../../read/json-lines.ts'
import { arrayIn, objectIn } from '../fields/objects.ts'
import { plainText } from '../fields/texts.ts'

/** The service keeps as much of them. */
const LONGEST_MESSAGE = 5_000
const LONGEST_STACK = 20_000

/** Returns the error of an event; former versions have it in single properties. */
export function errorOf(properties: JsonObject): Record<string, unknown> {
  const first = objectIn(arrayIn(properties.$exception_list)[0])
  const frames = arrayIn(objectIn(first.stacktrace).frames).map(objectIn)
  // The innermost frame is the last one.
  const thrown = frames.at(-1) ?? {}
  const name = first.type ?? properties.$exception_type
  const message = first.value ?? properties.$exception_message
  const stack = plainText(properties.$exception_stack_trace_raw) ?? stackOf(name, message, frames)
  const fields = {
    name: bounded(name, 255),
    message: bounded(message, LONGEST_MESSAGE),
    stack: bounded(stack, LONGEST_STACK),
    file_name: bounded(thrown.filename ?? thrown.source ?? properties.$exception_source, 2_048),
    line_number: bounded(thrown.lineno ?? thrown.line ?? properties.$exception_lineno, 20),
    column_number: bounded(thrown.colno ?? thrown.column ?? properties.$exception_colno, 20),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function bounded(value: unknown, max: number): string | undefined {
  const text = plainText(value)
  return text && cut(text, max)
}

/** Writes frames as browsers do, the innermost first. */
function stackOf(type: unknown, message: unknown, frames: JsonObject[]): string | undefined {
  if (frames.length === 0) return undefined
  const lines = frames.toReversed().map(frame => {
    const name = plainText(frame.function ?? frame.resolved_name ?? frame.mangled_name) ?? '?'
    const place = [frame.filename ?? frame.source, frame.lineno ?? frame.line, frame.colno ?? frame.column]
    return `    at ${name} (${place.map(part => plainText(part) ?? '?').join(':')})`
  })
  return [`${plainText(type) ?? 'Error'}: ${plainText(message) ?? ''}`, ...lines].join('\n')
}
