import { environmentFor, loadConfig, SETTINGS } from '../src/config.ts'
import { addressesOf } from '../src/embedded/attach.ts'

/** Prints as JSON the settings with which processes of different parents share one service; ecosystem.config.js reads it. */
try {
  const config = loadConfig()
  const environment: NodeJS.ProcessEnv = {
    ...environmentFor(config, addressesOf(config)),
    INGEST_PROCESSES: String(config.ingestProcesses),
    LOG_LEVEL: config.logLevel,
  }
  // PM2 keeps old values of settings that are absent, so a removed setting is printed as an empty string.
  const settings = SETTINGS.map(name => [name, environment[name] ?? ''])
  process.stdout.write(JSON.stringify(Object.fromEntries(settings)))
} catch (error) {
  process.stderr.write(`${(error as Error).message.replace(/^/gm, 'error: ')}\n`)
  process.exitCode = 1
}
