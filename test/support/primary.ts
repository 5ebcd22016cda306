import { spawn } from 'node:child_process'
import { compiledEnvironment } from './compiled-environment.ts'
import { eventually, PRIMARY } from './service.ts'

export interface Primary {
  pid: number
  url: string
  /** Everything the processes wrote so far, on stdout and stderr. */
  output(): string
  errors(): string
  /** Resolves when all its processes serve; rejects with its output when it ends instead. */
  ready(): Promise<void>
  /** Resolves with its exit code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals | null>
  kill(signal: NodeJS.Signals): void
  /** As a terminal does with Ctrl-C: to every process of the group. */
  killGroup(signal: NodeJS.Signals): void
}

/** The built service as a process group of its own, as `npm start` starts it; with nothing set but `settings`. */
export function startPrimary(settings: NodeJS.ProcessEnv & { PORT: string }): Primary {
  const child = spawn(process.execPath, [PRIMARY], {
    env: { PATH: process.env.PATH, HTTP_WORKERS: '1', ...compiledEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  child.stderr.on('data', chunk => {
    output += chunk
    errors += chunk
  })
  const exited: Primary['exited'] = new Promise(resolve => {
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  const url = `http://127.0.0.1:${settings.PORT}`
  return {
    pid: child.pid!,
    url,
    output: () => output,
    errors: () => errors,
    exited,
    async ready() {
      const ended = exited.then(code => {
        throw new Error(`ended with ${code}:\n${output}`)
      })
      // Not by asking: a predecessor that was killed may still answer.
      const answers = eventually(async () => output.includes('"msg":"ready"'), 90_000)
      await Promise.race([answers, ended])
    },
    kill: signal => child.kill(signal),
    killGroup: signal => process.kill(-child.pid!, signal),
  }
}
