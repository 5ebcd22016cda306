import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

/** Returns the quantile for `share` (0 to 1) by the nearest-rank method; NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** Returns the median; for an even count, the mean of the two middle values. NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const upper = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[upper]!
  return (sorted[upper - 1]! + sorted[upper]!) / 2
}

/** Formats a number with three significant digits and commas for thousands; `–` for a missing value. */
export function figure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–'
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-US', {
    minimumFractionDigits: Math.min(digits, 3),
    maximumFractionDigits: Math.min(digits, 3),
  })
}

/** Formats a Markdown table with padded columns, readable in a terminal. The first column is left-aligned, the others right. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(3, name.length, ...rows.map(row => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, column)).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

const pad = (cell: string, width: number, column: number) =>
  column === 0 ? cell.padEnd(width) : cell.padStart(width)

/** Returns a line with the machine and its load. It stands above every table, because the figures depend on it. */
export function machineLine(at: Date): string {
  const model = cpus()[0]?.model.trim() || 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  const seen = at.toISOString().slice(0, 16).replace('T', ' ')
  return `${seen} UTC · ${availableParallelism()} cores (${model}) · ${memory} GiB · Node ${process.versions.node} · ${loadLine()}`
}

/** Returns the load average of the last minute, which includes the processes of the measurement. */
export const loadLine = (): string => `load ${figure(loadavg()[0])}`
