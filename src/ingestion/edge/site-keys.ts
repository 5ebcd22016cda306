import type { Redis } from 'ioredis'
import { AppError } from '../../errors.ts'
import type { Db } from '../../infra/db.ts'
import { withDeadline } from '../../infra/deadline.ts'
import { SITE_CHANGES } from '../../sites/changes.ts'
import { findSiteByKey, listTrackedSites, type TrackedSite } from '../../sites/find-site.ts'

/** After this an entry is asked for again, in case an announcement was missed. */
const FRESH_MS = 5_000
/** How long a hit of a key that nobody knows here yet waits for the database. */
const PATIENCE_MS = 3_000
/** Bounds what a flood of made-up keys can cost. */
const MAX_ENTRIES = 20_000
/** Sites that are learned beforehand. */
const MAX_LEARNED = 10_000

interface Entry {
  site: TrackedSite | undefined
  askedAt: number
}

export interface SiteKeys {
  /**
   * The site of a tracking key; undefined when there is none. What is known is answered at once, and looked up again
   * beside; while the database is away, what was known last holds.
   * @throws AppError `unavailable` when nothing is known of the key and the database does not say within 3 s
   */
  find(key: string): TrackedSite | undefined | Promise<TrackedSite | undefined>
  /**
   * Learns the sites there are, so that no hit of theirs waits for the database.
   * @throws what the database throws that is away
   */
  learn(): Promise<void>
}

/** Cache of sites by tracking key, misses included. Changes are announced over Redis and take effect at once. */
export function createSiteKeys(db: Db, subscriber: Redis): SiteKeys {
  const entries = new Map<string, Entry>()
  const loading = new Map<string, Promise<TrackedSite | undefined>>()
  /** Grows with every announcement: what was read before one is not kept after it. */
  let announcements = 0

  const forget = (key?: string) => {
    announcements += 1
    if (key === undefined) entries.clear()
    else entries.delete(key)
  }
  // Announcements may have been missed while the connection was away.
  subscriber.on('ready', () => forget())
  subscriber.on('message', (channel, key) => {
    if (channel === SITE_CHANGES) forget(key)
  })
  const subscribed = subscriber.subscribe(SITE_CHANGES).catch(() => {})

  function load(key: string): Promise<TrackedSite | undefined> {
    const running = loading.get(key)
    if (running) return running
    const before = announcements
    const request = findSiteByKey(db, key)
      .then(site => {
        if (entries.size >= MAX_ENTRIES) entries.clear()
        if (before === announcements) entries.set(key, { site, askedAt: Date.now() })
        return site
      })
      .finally(() => loading.delete(key))
    loading.set(key, request)
    return request
  }

  return {
    find(key) {
      const entry = entries.get(key)
      if (!entry) return withDeadline(PATIENCE_MS, load(key), tooLate)
      if (Date.now() - entry.askedAt >= FRESH_MS) {
        entry.askedAt = Date.now()
        load(key).catch(() => {}) // the database is away: the entry holds
      }
      return entry.site
    },
    async learn() {
      await subscribed
      const before = announcements
      const sites = await listTrackedSites(db, MAX_LEARNED)
      if (before !== announcements) return
      const askedAt = Date.now()
      for (const [key, site] of sites) entries.set(key, { site, askedAt })
    },
  }
}

const tooLate = () => new AppError('unavailable', 'The site cannot be looked up now', { retryAfter: 1 })
