import { type Logger, pino } from 'pino'

export type Log = Logger

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
  return pino(
    {
      level: options.level,
      base: { pid: process.pid, role: options.role },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['*.authorization', '*.password', '*.secret', '*.token', '*.key', '*.ip'],
      serializers: { error: describeError },
    },
    pino.destination({ dest: options.stderr ? 2 : 1, sync: true }),
  )
}
