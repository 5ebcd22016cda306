import { type Logger, pino } from 'pino'

export type Log = Logger

/** Buffer for lines that cannot be written at the moment; further lines are dropped. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024

/** Copies only error fields without personal data: drivers attach statements and commands, with values, to their errors. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, query } = error as { code?: unknown; query?: unknown }
  const [, statement] = /^\/\* ([\w-]+) \*\//.exec(String(query)) ?? []
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    ...(statement && { statement }),
    stack: error.stack,
  }
}

/**
 * Returns a logger that writes JSON lines to stdout, or to stderr for programs whose stdout is their result.
 * Code never logs bodies, tokens, keys or client addresses; the redacted paths below are only a second protection.
 */
export function createLog(options: { level: string; role: string; stderr?: boolean }): Log {
  const destination = pino.destination({
    dest: options.stderr ? 2 : 1,
    sync: true,
    maxLength: MAX_UNWRITTEN_BYTES,
  })
  // A closed terminal or a full disk must not end the process before it has stored its data.
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
