import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { build } from 'esbuild'

export interface Run {
  code: number | null
  stdout: string
  stderr: string
}

interface RunOptions {
  /** What it reads from standard input. */
  input?: Iterable<string> | AsyncIterable<Buffer>
  /** Told of the process as soon as it runs. */
  onStart?: (child: ChildProcessWithoutNullStreams) => void
  nodeOptions?: string
}

export interface AdminCommand {
  run(args: string[], options?: RunOptions): Promise<Run>
  close(): void
}

/** The command line of administration as processes of their own, on the given services. */
export async function adminCommand(services: {
  databaseUrl: string
  redisUrl: string
}): Promise<AdminCommand> {
  // Inside the repository, so that the bundle finds its packages and statements.
  mkdirSync(join(process.cwd(), 'dist'), { recursive: true })
  const folder = mkdtempSync(join(process.cwd(), 'dist', '.admin-'))
  const outfile = join(folder, 'admin.mjs')
  await build({
    entryPoints: ['scripts/admin.ts'],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  return {
    run: (args, options = {}) => run(outfile, services, args, options),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function run(
  outfile: string,
  { databaseUrl, redisUrl }: { databaseUrl: string; redisUrl: string },
  args: string[],
  { input = [], onStart, nodeOptions }: RunOptions,
): Promise<Run> {
  const child = spawn(process.execPath, [outfile, ...args], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      SECRET_KEY: '0'.repeat(64),
      ...(nodeOptions && { NODE_OPTIONS: nodeOptions }),
    },
  })
  onStart?.(child)
  // A process that ends before it has read everything is no failure here.
  pipeline(Readable.from(input), child.stdin).catch(() => {})
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', chunk => {
      output[name] += chunk
    })
  }
  return new Promise(resolve => child.once('close', code => resolve({ code, ...output })))
}
