import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface RunningProcess {
  pid: number
  parent: number
  command: string
}

/** Everything that runs; zombies, which nobody has waited for yet, do not. */
export async function runningProcesses(): Promise<RunningProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args='], {
    maxBuffer: 16 * 1024 * 1024,
  })
  return stdout.split('\n').flatMap(line => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (command === undefined || state!.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), command }]
  })
}

/** Pids of a process's children whose command line contains `part`. */
export async function childrenOf(pid: number, part = ''): Promise<number[]> {
  const all = await runningProcesses()
  return all
    .filter(child => child.parent === pid && child.command.includes(part))
    .map(child => child.pid)
    .sort((a, b) => a - b)
}

/** Those of `pids` that still run. */
export async function stillRunning(pids: number[]): Promise<number[]> {
  const running = new Set((await runningProcesses()).map(child => child.pid))
  return pids.filter(pid => running.has(pid))
}
