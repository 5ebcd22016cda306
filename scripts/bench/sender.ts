import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { bareEnvironment, projectRoot } from '../../src/config.ts'
import type { Sent } from './send.ts'

const SEND = join(projectRoot, 'dist/scripts/bench/send.js')

export interface Sender {
  /** Ends the process. @returns the results of the load */
  stop(): Promise<Sent>
}

/**
 * Starts a process that sends pageviews at a steady rate.
 * @param options.settleMs first part of the load, whose response times are not counted; default 0
 */
export function startSender(options: { url: string; key: string; rate: number; settleMs?: number }): Sender {
  const { url, key, rate, settleMs = 0 } = options
  const args = [SEND, '--url', url, '--key', key, '--rate', String(rate), '--settle', String(settleMs)]
  const child = spawn(process.execPath, args, {
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  let stopping: Promise<Sent> | undefined
  return {
    stop() {
      stopping ??= end(child).then(() => {
        if (output === '') throw new Error('the process that sends hits ended without a word')
        return JSON.parse(output)
      })
      return stopping
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}
