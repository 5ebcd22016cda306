import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { figure } from './table.ts'

/** Returns a line with the machine and its load. It stands above every table, because the figures depend on it. */
export function machineLine(at: Date): string {
  const model = cpus()[0]?.model.trim() || 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  const seen = at.toISOString().slice(0, 16).replace('T', ' ')
  return `${seen} UTC · ${availableParallelism()} cores (${model}) · ${memory} GiB · Node ${process.versions.node} · ${loadLine()}`
}

/** Returns the load average of the last minute, which includes the processes of the measurement. */
export const loadLine = (): string => `load ${figure(loadavg()[0])}`
