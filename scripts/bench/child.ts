import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { bareEnvironment } from '../../src/platform/config/config.ts'
import { MINUTE_MS } from '../../src/platform/lib/time.ts'
import { onEnd } from './command.ts'

/** Longest time for a process to stop in order; after that it is killed. */
const STOP_WITHIN_MS = 15_000
const READY_WITHIN_MS = MINUTE_MS

export interface StartedProcess {
  pid: number
  /** Sends SIGTERM, then SIGKILL after 15 s, and waits until the process has ended. */
  stop(): Promise<void>
}

/**
 * Starts a program of this project with only these settings, and waits until it answers. It is stopped at the end.
 * @throws Error with the program's output when it ends, or does not answer within 60 s
 */
export async function startProgram(options: {
  script: string
  args?: string[]
  settings?: Record<string, string>
  isReady: () => Promise<boolean>
}): Promise<StartedProcess> {
  const child = spawn(process.execPath, [options.script, ...(options.args ?? [])], {
    env: { ...bareEnvironment(), ...options.settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group: Ctrl-C reaches only this process, which stops the children in order.
    detached: true,
  })
  let output = ''
  const keep = (chunk: Buffer) => {
    output = (output + chunk).slice(-4_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const stop = () => stopProcess(child)
  onEnd(stop)
  const giveUpAt = performance.now() + READY_WITHIN_MS
  while (!(await options.isReady())) {
    if (hasEnded(child) || performance.now() > giveUpAt) {
      await stop()
      throw new Error(`${options.script} does not answer:\n${output}`)
    }
    await sleep(50)
  }
  return { pid: child.pid!, stop }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

async function stopProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
  await gone
  clearTimeout(overdue)
}

export async function answersAt(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(3_000) })).ok
  } catch {
    return false
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
