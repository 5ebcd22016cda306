import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { context } from 'esbuild'
import { environmentFor, loadConfig, projectRoot } from '../src/platform/config/config.ts'
import type { Addresses } from '../src/platform/embedded/addresses.ts'
import { withServices } from '../src/platform/embedded/attach.ts'
import { createLog } from '../src/platform/runtime/log.ts'
import { bundleOptions, servicePrograms } from './bundle.js'
import { serveKit } from './kit.js'
import { readableLine } from './readable-log.ts'

// Runs the service from its sources and restarts it after each change (`npm run dev`). The embedded servers, where no URL is
// configured, belong to this process and are not restarted. With tsx instead of a bundle, each of the three processes
// would need a second longer to load its sources.

const OUTPUT = join(projectRoot, 'dist', 'dev', 'workers')

/** An editor may write several files, or one file in several steps. */
const SETTLE_MS = 30

const config = loadConfig()
const log = createLog({ level: 'warn', role: 'dev' })

async function serve(addresses: Addresses, onStop: (stop: () => Promise<void>) => void): Promise<void> {
  const bundle = await context({
    ...bundleOptions,
    entryPoints: servicePrograms.map(program => join(projectRoot, program)),
    outdir: OUTPUT,
  })
  onStop(() => bundle.dispose())
  const kit = await serveKit()
  onStop(kit.stop)
  process.stdout.write(`recipes of the interface: ${kit.address}\n`)
  const service = createService(addresses, () => bundle.rebuild())
  onStop(service.stop)
  for (const folder of ['src', 'workers', 'sql']) {
    watch(join(projectRoot, folder), { recursive: true }, service.restart)
  }
  service.restart()
  await new Promise(() => {})
}

// Admin commands would wait for ever if they could not share the servers.
await withServices(config, log, serve, { sharesServers: true })

/**
 * The service as a child process.
 * @param build rejects when the sources have an error; the process of the latest correct sources keeps running then
 */
function createService(addresses: Addresses, build: () => Promise<unknown>) {
  let child: ChildProcess | undefined
  let isWanted = false
  let turn = Promise.resolve()

  function start(): void {
    child = spawn(process.execPath, ['--enable-source-maps', join(OUTPUT, 'primary.js')], {
      // A process group of its own: otherwise Ctrl-C would reach it, and the embedded servers would stop at the same time.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { HTTP_WORKERS: '1', ...environmentFor(config, addresses) },
    })
    createInterface({ input: child.stdout! }).on('line', line => {
      process.stdout.write(`${readableLine(line)}\n`)
    })
  }

  async function end(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }

  async function replace(): Promise<void> {
    await sleep(SETTLE_MS)
    isWanted = false
    await build()
    await end()
    start()
  }

  return {
    /** Builds the sources and replaces the running process, once for changes that follow each other closely. */
    restart(): void {
      if (isWanted) return
      isWanted = true
      // esbuild prints the errors of the sources.
      turn = turn.then(replace).catch(() => {})
    },
    async stop(): Promise<void> {
      isWanted = true
      await turn
      await end()
    },
  }
}
