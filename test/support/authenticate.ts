import { loadConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/connect.ts'
import { createInvalidTokens } from '../../src/limits/invalid-tokens.ts'
import type { KnownTokens } from '../../src/limits/known-tokens.ts'
import { authenticate as authenticateCall } from '../../src/teams/authentication.ts'
import type { Caller } from '../../src/teams/schema.ts'

const config = loadConfig({
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  SECRET_KEY: '0'.repeat(64),
})

/** Who an `Authorization` header speaks for, where nobody has tried an invalid token before. */
export function authenticate(db: Db, authorization: string | undefined, at: Date): Promise<Caller> {
  const now = () => at
  const invalidTokens = createInvalidTokens(now)
  const knownTokens: KnownTokens = { find: (_hash, load) => load(), forget: async () => {} }
  const credentials = { authorization, network: '192.0.2.1', showRate: () => {} }
  return authenticateCall({ db, config, invalidTokens, knownTokens, now, ...credentials }, true)
}
