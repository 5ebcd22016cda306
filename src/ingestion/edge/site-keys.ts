import type { Db } from '../../db/connect.ts'
import { AppError } from '../../errors.ts'
import { withDeadline } from '../../lib/deadline.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { RedisClient } from '../../redis/client.ts'
import { SITE_CHANGES } from '../../sites/change-site.ts'
import { findSiteByKey, listTrackedSites, type TrackedSite } from '../../sites/find-site.ts'

/** After this time an entry is refreshed in the background, in case an announcement was missed. */
const FRESH_MS = 5_000
/** After this time an entry is not used until the database has answered. */
const STALE_MS = MINUTE_MS
const LOOKUP_MS = 3_000
/** Limits the memory that a flood of invented keys can take. */
const MAX_ENTRIES = 20_000
const MAX_PRELOADED = 10_000

interface Entry {
  site: TrackedSite | undefined
  askedAt: number
}

/** Creates a cache of sites by tracking key, misses included. Redis announces changes, which take effect at once. */
export function createSiteKeys(db: Db, subscriber: RedisClient) {
  const entries = new Map<string, Entry>()
  const loading = new Map<string, Promise<TrackedSite | undefined>>()
  let announcements = 0
  /** Number of the latest announcement by key. */
  const announced = new Map<string, number>()

  /** @param before number of announcements when the read began: a result that is older than the latest one is not cached */
  function store(key: string, site: TrackedSite | undefined, before: number): void {
    if ((announced.get(key) ?? 0) <= before) entries.set(key, { site, askedAt: Date.now() })
  }

  // Expire all entries: announcements may have been missed while the connection was down.
  subscriber.on('ready', () => {
    for (const entry of entries.values()) entry.askedAt = 0
  })
  subscriber.on('message', (channel, key) => {
    if (channel !== SITE_CHANGES) return
    entries.delete(key)
    announced.set(key, ++announcements)
  })
  const subscribed = subscriber.subscribe(SITE_CHANGES).catch(() => {})

  function load(key: string): Promise<TrackedSite | undefined> {
    const running = loading.get(key)
    if (running) return running
    const before = announcements
    const request = findSiteByKey(db, key)
      .then(site => {
        if (entries.size >= MAX_ENTRIES) entries.clear()
        store(key, site, before)
        return site
      })
      .finally(() => loading.delete(key))
    loading.set(key, request)
    return request
  }

  return {
    /**
     * Returns the site of a tracking key; undefined when no site has it. An entry of the last minute is returned at once and
     * refreshed in the background if it is older than 5 s. If the database is unavailable or slow, the last known entry is used.
     * @throws AppError `unavailable` when the key is not cached and the database does not answer within 3 s
     */
    find(key: string): TrackedSite | undefined | Promise<TrackedSite | undefined> {
      const entry = entries.get(key)
      if (!entry) return withDeadline(LOOKUP_MS, load(key), tooLate)
      const now = Date.now()
      const age = now - entry.askedAt
      if (age < FRESH_MS) return entry.site
      entry.askedAt = now // prevents a lookup for each of the next hits
      const fresh = withDeadline(LOOKUP_MS, load(key), tooLate).catch(() => entry.site)
      return age < STALE_MS ? entry.site : fresh
    },
    /**
     * Loads the existing sites, so that their hits do not wait for the database.
     * @throws the database error when the database is unavailable
     */
    async preload() {
      await subscribed
      const before = announcements
      for (const [key, site] of await listTrackedSites(db, MAX_PRELOADED)) store(key, site, before)
    },
  }
}

export type SiteKeys = ReturnType<typeof createSiteKeys>

const tooLate = () => new AppError('unavailable', 'The site cannot be looked up now', { retryAfter: 1 })
