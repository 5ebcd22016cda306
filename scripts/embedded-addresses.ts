import { environmentFor, loadConfig } from '../src/platform/config/config.ts'
import { SETTINGS } from '../src/platform/config/settings.ts'
import { addressesOf } from '../src/platform/embedded/addresses.ts'
import { ALLOCATOR, nodeArgsFor } from '../workers/node-options.ts'

/** Prints as JSON with what processes of different parents start as one service: settings, and options of Node.js; ecosystem.config.js reads it. */
try {
  const config = loadConfig()
  const environment: NodeJS.ProcessEnv = {
    ...environmentFor(config, addressesOf(config)),
    INGEST_PROCESSES: String(config.ingestProcesses),
    LOG_LEVEL: config.logLevel,
  }
  // PM2 keeps old values of settings that are absent, so a removed setting is printed as an empty string.
  const settings = Object.fromEntries(SETTINGS.map(name => [name, environment[name] ?? '']))
  process.stdout.write(JSON.stringify({ settings, allocator: ALLOCATOR, nodeArgs: nodeArgsFor(config) }))
} catch (error) {
  process.stderr.write(`${(error as Error).message.replace(/^/gm, 'error: ')}\n`)
  process.exitCode = 1
}
