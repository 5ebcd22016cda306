import { environmentFor, loadConfig, SETTINGS } from '../src/config.ts'
import { addressesOf } from '../src/embedded/attach.ts'

/** Prints the settings by which processes of different parents share one service, as JSON: ecosystem.config.cjs reads it. */
try {
  const config = loadConfig()
  const environment: NodeJS.ProcessEnv = {
    ...environmentFor(config, addressesOf(config)),
    INGEST_PROCESSES: String(config.ingestProcesses),
    LOG_LEVEL: config.logLevel,
  }
  // PM2 keeps what it is not told anew: a setting that was taken back is there too, as an empty one.
  const settings = SETTINGS.map(name => [name, environment[name] ?? ''])
  process.stdout.write(JSON.stringify(Object.fromEntries(settings)))
} catch (error) {
  process.stderr.write(`${(error as Error).message.replace(/^/gm, 'error: ')}\n`)
  process.exitCode = 1
}
