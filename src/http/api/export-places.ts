import { AppError } from '../../platform/errors.ts'
import type { RedisClient } from '../../platform/redis/client.ts'
import { createLease, whileHolding } from '../../platform/redis/lease.ts'

/** Downloads of a process at the same time: each takes as much of the database as a busy reader. */
const MOST_AT_ONCE = 4

let running = 0

export interface Exporter {
  siteId: string
  /** The login, which may be a user of several teams; the user when no person has set one up. */
  personId: string
}

/** @public names of the leases that an export holds on all hosts; tests hold them */
export const leasesOf = ({ siteId, personId }: Exporter) => ({
  site: `export:site:${siteId}`,
  person: `export:person:${personId}`,
})

/**
 * Runs an export in one of the places of this process, while no other of the same site or person runs on any host: so one person cannot take
 * all places.
 * @throws AppError `unavailable` when another one runs
 */
export async function whileExporting(
  redis: RedisClient,
  exporter: Exporter,
  run: () => Promise<void>,
): Promise<void> {
  if (running >= MOST_AT_ONCE) throw busy('Other exports are running')
  running += 1
  try {
    const names = leasesOf(exporter)
    const ofSite = await whileHolding(createLease(redis, names.site), async () => {
      const ofPerson = await whileHolding(createLease(redis, names.person), run)
      if (!ofPerson) throw busy('You have another export running')
    })
    if (!ofSite) throw busy('Another export of the site is running')
  } finally {
    running -= 1
  }
}

const busy = (message: string) =>
  new AppError('unavailable', `${message}; try again when it is finished`, { retryAfter: 30 })
