import type { z } from 'zod'
import type { Config } from '../../src/platform/config/config.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { inProcessPatterns } from './in-process-patterns.ts'
import { inProcessPool } from './in-process-pool.ts'
import { keptCounter } from './kept-counter.ts'
import type { TestSite } from './sites.ts'

/** Returns what reads of statistics need, without threads, for a caller who may see everything. */
export const readServices = (db: Db, now: Date) => ({
  reads: db,
  rollups: inProcessPool(db),
  patterns: inProcessPatterns(),
  counter: keptCounter(db),
  grant: null,
  now: () => now,
  config: { baseUrl: 'http://a.example' } as Config,
})

/** Returns a site as reads of statistics get it. */
export const readSite = <Site extends TestSite>(site: Site, timezone: string) => ({
  ...site,
  teamId: 'team',
  timezone,
  currency: 'USD',
  firstEventAt: null,
})

/** Returns what asks reports of a site, with parameters that all of them have and some of their own. */
export const readerOf =
  <Services, Site>(services: Services, site: Site, common: object) =>
  <Schema extends z.ZodType, Answer>(
    get: (services: Services, site: Site, query: z.output<Schema>) => Answer,
    schema: Schema,
    more: object = {},
  ): Answer =>
    get(services, site, schema.parse({ ...common, ...more }))
