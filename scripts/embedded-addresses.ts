import { loadConfig } from '../src/config.ts'
import { addressesOf } from '../src/embedded/attach.ts'

/** Prints the settings by which processes of different parents share one service, as JSON: ecosystem.config.cjs reads it. */
const config = loadConfig()
const { databaseUrl, redisUrl } = addressesOf(config)
process.stdout.write(
  JSON.stringify({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SECRET_KEY: config.secretKey,
    DATA_DIR: config.dataDir,
  }),
)
