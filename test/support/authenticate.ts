import { authenticate as authenticateCall } from '../../src/access/teams/authentication.ts'
import type { Caller } from '../../src/access/teams/caller.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { createInvalidTokens } from '../../src/platform/limits/invalid-tokens.ts'
import type { KnownTokens } from '../../src/platform/limits/known-tokens.ts'
import { bareConfig } from './bare-config.ts'

const config = bareConfig()

/** Who an `Authorization` header speaks for, where nobody has tried an invalid token before. */
export function authenticate(db: Db, authorization: string | undefined, at: Date): Promise<Caller> {
  const now = () => at
  const invalidTokens = createInvalidTokens(now)
  const knownTokens: KnownTokens = { find: (_hash, load) => load(), forget: async () => {} }
  const credentials = { authorization, network: '192.0.2.1', showRate: () => {} }
  return authenticateCall({ db, config, invalidTokens, knownTokens, now, ...credentials }, true)
}
