const LEVELS: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}

/**
 * Formats a JSON line of the log for a terminal: `10:04:05.120 http INFO message field=value`, with the stack of an error
 * below it. Any other line is returned unchanged.
 */
export function readableLine(line: string): string {
  const entry = parse(line)
  if (!entry) return line
  const { level, time, pid: _, role, msg, error, ...fields } = entry
  const stack = (error as { stack?: string } | undefined)?.stack
  const rest = { ...fields, ...(error !== undefined && !stack && { error }) }
  const words = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const head = [String(time).slice(11, 23), role, LEVELS[Number(level)] ?? level, msg, ...words].join(' ')
  return stack ? `${head}\n${stack}` : head
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const entry = JSON.parse(line)
    return typeof entry === 'object' && entry !== null && 'level' in entry ? entry : undefined
  } catch {
    return undefined
  }
}
