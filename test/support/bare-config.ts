import { loadConfig } from '../../src/platform/config/config.ts'

/** Settings of a service with what it needs, and no more unless given; its servers are never there. */
export const bareConfig = (settings: NodeJS.ProcessEnv = {}) =>
  loadConfig({
    ...{ DATABASE_URL: 'postgres://127.0.0.1:1/none', REDIS_URL: 'redis://127.0.0.1:1' },
    SECRET_KEY: '0'.repeat(64),
    ...settings,
  })
