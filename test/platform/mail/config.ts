import { loadConfig } from '../../../src/platform/config/config.ts'

/** Without a mail server. */
export const config = loadConfig({
  DATABASE_URL: 'postgres://127.0.0.1/none',
  REDIS_URL: 'redis://127.0.0.1',
  SECRET_KEY: '0'.repeat(64),
})
