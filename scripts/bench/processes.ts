import { readdirSync, readFileSync } from 'node:fs'

// Reads CPU time and memory from /proc, so it works on Linux only.

/** The value of `getconf CLK_TCK` on every current Linux. */
const TICKS_A_SECOND = 100

interface Process {
  pid: number
  parent: number
  role: string
  /** CPU seconds (user and system) since the start of the process. */
  cpuSeconds: number
}

/** Memory of a process. A page that several processes use counts in parts, so the sum over processes is what they take together. */
export interface Memory {
  mib: number
  /** Of it what no file holds: not the program of Node.js, which processes of other services share, too. */
  privateMib: number
}

/** CPU seconds by role. */
export type Usage = Map<string, number>

/** Process ids by role, of processes with other parents that work for a process, such as the backends of a database server. */
export type Others = Record<string, readonly number[]>

function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    // The name in parentheses may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      pid,
      parent: Number(fields[1]),
      role: ROLES.find(([part]) => command.includes(part))?.[1] ?? 'primary',
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND,
    }
  } catch {
    return undefined // the process has ended
  }
}

const ROLES = [
  ['ingest.js', 'ingest'],
  ['http.js', 'http'],
  ['columns.js', 'columns'],
  ['embedded-database.js', 'database'],
  ['redis-server', 'redis'],
] as const

const readProcesses = (pids: readonly number[]) => pids.flatMap(pid => readProcess(pid) ?? [])

/** Returns a process, all its descendants, and others, as far as they run on this machine. */
function familyOf(root: number, others: Others): Process[] {
  const all = readProcesses(readdirSync('/proc').map(Number).filter(Number.isInteger))
  const family = new Set([root])
  // After a wrap-around of pids a child may come before its parent, so repeat until no process is added.
  for (let before = 0; before !== family.size; ) {
    before = family.size
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid)
  }
  return [
    ...all.filter(({ pid }) => family.has(pid)),
    ...Object.entries(others).flatMap(([role, pids]) =>
      readProcesses(pids).map(process => ({ ...process, role })),
    ),
  ]
}

/** Returns the CPU seconds so far of a process, its descendants and others, by role. */
export function usageOf(root: number, others: Others = {}): Usage {
  const usage: Usage = new Map()
  for (const { role, cpuSeconds } of familyOf(root, others))
    usage.set(role, (usage.get(role) ?? 0) + cpuSeconds)
  return usage
}

/** Returns the memory of a process, its descendants and others, one entry per process, by role. */
export function memoryOf(root: number, others: Others): Map<string, Memory[]> {
  const memory = new Map<string, Memory[]>()
  for (const { role, pid } of familyOf(root, others)) {
    const sizes = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const mib = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(sizes)?.[1]) / 1_024
    memory.set(role, [...(memory.get(role) ?? []), { mib: mib('Pss'), privateMib: mib('Pss_Anon') }])
  }
  return memory
}

/** Returns the CPU seconds between two readings, by role. */
export function usedBetween(before: Usage, after: Usage): Usage {
  return new Map([...after].map(([role, seconds]) => [role, Math.max(0, seconds - (before.get(role) ?? 0))]))
}
