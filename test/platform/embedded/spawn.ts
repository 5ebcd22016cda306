import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { compiledEnvironment } from '../../support/compiled-environment.ts'

/** Folder of the repository. */
const root = process.cwd()

/**
 * Starts a TypeScript entry as a process of its own. The bundle lies inside the repository for the
 * moment, so that it finds the packages.
 * @param entry from the root of the repository
 */
export async function spawnEntry(
  entry: string,
  args: string[],
  options: { ipc?: boolean; env?: Record<string, string> } = {},
): Promise<ChildProcess & { output(): string }> {
  const folder = mkdtempSync(path.join(root, 'node_modules/.entry-'))
  const outfile = path.join(folder, 'entry.mjs')
  await build({
    entryPoints: [path.join(root, entry)],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  const child = spawn(process.execPath, [outfile, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc === false ? [] : (['ipc'] as const))],
    env: { ...process.env, ...compiledEnvironment(), ...options.env },
  })
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      output += chunk
    })
  return Object.assign(child, { output: () => output })
}

/** Resolves with the exit code, or the signal that ended the process. */
export function exited(child: ChildProcess): Promise<number | string | null> {
  if (child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve(child.exitCode ?? child.signalCode)
  return new Promise(resolve => child.once('exit', (code, signal) => resolve(code ?? signal)))
}

/** Resolves once the process has sent `ready`; rejects with its output when it ends instead. */
export function ready(child: ChildProcess & { output(): string }): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('message', message => message === 'ready' && resolve())
    child.once('exit', code => reject(new Error(`ended with ${code}: ${child.output()}`)))
  })
}
