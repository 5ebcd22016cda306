import { cut } from '../../../schema/validation.ts'
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
  const stack = plainText(properties.$exception_stack_trace_raw) ?? stackOf(frames)
  const fields = {
    name: bounded(first.type ?? properties.$exception_type, 255),
    message: bounded(first.value ?? properties.$exception_message, LONGEST_MESSAGE),
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
function stackOf(frames: JsonObject[]): string | undefined {
  const lines = frames.toReversed().map(frame => {
    const name = plainText(frame.function ?? frame.resolved_name ?? frame.mangled_name) ?? '?'
    const place = [frame.filename ?? frame.source, frame.lineno ?? frame.line, frame.colno ?? frame.column]
    return `    at ${name} (${place.map(part => plainText(part) ?? '?').join(':')})`
  })
  return lines.length > 0 ? lines.join('\n') : undefined
}
