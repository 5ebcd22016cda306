import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { figure } from './table.ts'

/** What the machine is and how busy it is: goes above every table, since no figure means anything without it. */
export function machineLine(at: Date): string {
  const model = cpus()[0]?.model.trim() || 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  const seen = at.toISOString().slice(0, 16).replace('T', ' ')
  return `${seen} UTC · ${availableParallelism()} cores (${model}) · ${memory} GiB · Node ${process.versions.node} · ${loadLine()}`
}

/** How many processes wanted a core in the last minute, those of the measurement included. */
export const loadLine = (): string => `load ${figure(loadavg()[0])}`
