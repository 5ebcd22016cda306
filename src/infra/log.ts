import { type Logger, pino } from 'pino'

export type Log = Logger

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
      serializers: { error: pino.stdSerializers.err },
    },
    pino.destination({ dest: options.stderr ? 2 : 1, sync: true }),
  )
}
