import { type Logger, pino } from 'pino'

export type Log = Logger

/** What is kept while lines cannot be written; what is more is forgotten. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024

/** Of an error only what says nothing of anybody: drivers hang statements and commands, with their values, on theirs. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    stack: error.stack,
  }
}

/**
 * JSON lines on stdout (stderr for programs whose stdout is an answer).
 * Never logged: bodies, tokens, keys, client addresses. The paths below are a second fence, not the first.
 */
export function createLog(options: { level: string; role: string; stderr?: boolean }): Log {
  const destination = pino.destination({
    dest: options.stderr ? 2 : 1,
    sync: true,
    maxLength: MAX_UNWRITTEN_BYTES,
  })
  // A terminal that was closed, a disk that is full: no reason to end before what is to be kept is kept.
  destination.on('error', () => {})
  return pino(
    {
      level: options.level,
      base: { pid: process.pid, role: options.role },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['*.authorization', '*.password', '*.secret', '*.token', '*.key', '*.ip'],
      serializers: { error: describeError },
    },
    destination,
  )
}
