import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'

const MIB = 2 ** 20
/** With less, a second HTTP worker and large caches would leave too little for columns and the embedded database under load. */
const LITTLE_BYTES = 1.5 * 2 ** 30

/**
 * Returns how many cores a process may use at a time.
 * @param cpuMax text of `cpu.max` of its control group, quota and period: `150000 100000` are one and a half cores. Node.js 20 ignores it
 */
export function coresWithin(cores: number, cpuMax: string): number {
  const [quota, period] = cpuMax.split(' ').map(Number)
  return quota! > 0 && period! > 0 ? Math.min(cores, Math.max(1, Math.floor(quota! / period!))) : cores
}

/**
 * Returns the defaults of settings that depend on the machine. A small one, with one core or less than 1.5 GiB of memory, gets one HTTP
 * worker, and its processes keep less in memory. Columns get an eighth of the memory, from 16 to 512 MiB.
 */
export function defaultsOf({ cores, bytes }: { cores: number; bytes: number }) {
  const isSmall = cores === 1 || bytes < LITTLE_BYTES
  return {
    isSmall,
    httpWorkers: isSmall ? 1 : cores,
    columnsMib: Math.max(16, Math.min(512, Math.floor(bytes / 8 / MIB))),
  }
}

function cpuMax(): string {
  try {
    return readFileSync('/sys/fs/cgroup/cpu.max', 'utf8')
  } catch {
    return '' // no control group of version 2
  }
}

/** Cores and memory that this process may use: those of its container, if it is in one. */
export const MACHINE = {
  cores: coresWithin(availableParallelism(), cpuMax()),
  bytes: Math.min(totalmem(), process.constrainedMemory() || totalmem()),
}

/** The defaults that fit it. */
export const FITTING = defaultsOf(MACHINE)
