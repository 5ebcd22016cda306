import { loadConfig } from '../src/config.ts'
import { addressesOf } from '../src/embedded/attach.ts'

/** Prints the settings by which processes of different parents share one service, as JSON: ecosystem.config.cjs reads it. */
try {
  const config = loadConfig()
  const { databaseUrl, redisUrl } = addressesOf(config)
  const settings = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SECRET_KEY: config.secretKey,
    DATA_DIR: config.dataDir,
    INGEST_PROCESSES: String(config.ingestProcesses),
    LOG_LEVEL: config.logLevel,
  }
  process.stdout.write(JSON.stringify(settings))
} catch (error) {
  process.stderr.write(`${(error as Error).message.replace(/^/gm, 'error: ')}\n`)
  process.exitCode = 1
}
