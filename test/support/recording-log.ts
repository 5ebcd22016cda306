import { pino } from 'pino'
import type { Log } from '../../src/platform/runtime/log.ts'

/** A log whose lines can be looked at. */
export function recordingLog(): { log: Log; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  const log = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { error: pino.stdSerializers.err } },
    { write: line => lines.push(JSON.parse(line)) },
  )
  return { log, lines }
}
