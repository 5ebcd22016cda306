import { readdirSync, readFileSync } from 'node:fs'

// Reads CPU time and memory from /proc, so it works on Linux only.

/** The value of `getconf CLK_TCK` on every current Linux. */
const TICKS_A_SECOND = 100

interface Process {
  pid: number
  parent: number
  command: string
  /** CPU seconds (user and system) since the start of the process. */
  cpuSeconds: number
}

/** CPU seconds by role. */
export type Usage = Map<string, number>

function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    // The name in parentheses may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      pid,
      parent: Number(fields[1]),
      command,
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND,
    }
  } catch {
    return undefined // the process has ended
  }
}

function allProcesses(): Process[] {
  return readdirSync('/proc').flatMap(name => {
    const found = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined
    return found ? [found] : []
  })
}

/** Returns the CPU seconds of one process so far; undefined when the process has ended. */
export const cpuSecondsOf = (pid: number): number | undefined => readProcess(pid)?.cpuSeconds

/**
 * Returns the CPU seconds so far of a process and its descendants, by role.
 * @param others processes with other parents that work for it, such as the backends of a database server
 */
export function usageOf(root: number, others: { role: string; pids: readonly number[] }[] = []): Usage {
  const usage: Usage = new Map()
  const add = (role: string, seconds: number) => usage.set(role, (usage.get(role) ?? 0) + seconds)
  for (const { command, cpuSeconds } of familyOf(root)) add(roleOf(command), cpuSeconds)
  for (const { role, pids } of others) for (const pid of pids) add(role, cpuSecondsOf(pid) ?? 0)
  return usage
}

/** Returns a process and all its descendants. */
function familyOf(root: number): Process[] {
  const all = allProcesses()
  const family = new Set([root])
  // After a wrap-around of pids a child may come before its parent, so repeat until no process is added.
  for (let before = 0; before !== family.size; ) {
    before = family.size
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid)
  }
  return all.filter(({ pid }) => family.has(pid))
}

/**
 * Returns the resident memory of a process and its descendants in MiB, one number per process, by role.
 * @param others processes with other parents
 */
export function memoryOf(
  root: number,
  others: { role: string; pids: readonly number[] }[],
): Map<string, number[]> {
  const memory = new Map<string, number[]>()
  const add = (role: string, pid: number) => {
    const mib = residentMib(pid)
    if (mib !== undefined) memory.set(role, [...(memory.get(role) ?? []), mib])
  }
  for (const { pid, command } of familyOf(root)) add(roleOf(command), pid)
  for (const { role, pids } of others) for (const pid of pids) add(role, pid)
  return memory
}

function residentMib(pid: number): number | undefined {
  try {
    const kib = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kib === undefined ? undefined : Number(kib) / 1_024
  } catch {
    return undefined // the process has ended
  }
}

const ROLES = [
  ['ingest.js', 'ingest'],
  ['http.js', 'http'],
  ['embedded-database.js', 'database'],
  ['redis-server', 'redis'],
] as const

function roleOf(command: string): string {
  return ROLES.find(([part]) => command.includes(part))?.[1] ?? 'primary'
}

/** Returns the CPU seconds between two readings, by role. */
export function usedBetween(before: Usage, after: Usage): Usage {
  return new Map([...after].map(([role, seconds]) => [role, Math.max(0, seconds - (before.get(role) ?? 0))]))
}
