import type { Redis } from 'ioredis'
import type { Db } from '../../infra/db.ts'
import { SITE_CHANGES } from '../../sites/changes.ts'
import { findSiteByKey, type TrackedSite } from '../../sites/find-site.ts'

/** After this an entry is asked for again, in case an announcement was missed. */
const FRESH_MS = 5_000
/** Bounds what a flood of made-up keys can cost. */
const MAX_ENTRIES = 20_000

interface Entry {
  site: TrackedSite | undefined
  loadedAt: number
}

export interface SiteKeys {
  /**
   * The site of a tracking key; undefined when there is none.
   * While the database is away, what was known last holds.
   * @throws AppError or database error when nothing is known of the key and the database is away
   */
  find(key: string): TrackedSite | undefined | Promise<TrackedSite | undefined>
}

/** Cache of sites by tracking key, misses included. Changes are announced over Redis and take effect at once. */
export function createSiteKeys(db: Db, subscriber: Redis): SiteKeys {
  const entries = new Map<string, Entry>()
  const loading = new Map<string, Promise<TrackedSite | undefined>>()

  // Announcements may have been missed while the connection was away.
  subscriber.on('ready', () => entries.clear())
  subscriber.on('message', (channel, key) => {
    if (channel === SITE_CHANGES) entries.delete(key)
  })
  void subscriber.subscribe(SITE_CHANGES).catch(() => {})

  function load(key: string): Promise<TrackedSite | undefined> {
    const running = loading.get(key)
    if (running) return running
    const stale = entries.get(key)
    const request = findSiteByKey(db, key)
      .then(site => {
        if (entries.size >= MAX_ENTRIES) entries.clear()
        entries.set(key, { site, loadedAt: Date.now() })
        return site
      })
      .catch(error => {
        if (!stale) throw error
        return stale.site
      })
      .finally(() => loading.delete(key))
    loading.set(key, request)
    return request
  }

  return {
    find(key) {
      const entry = entries.get(key)
      return entry && Date.now() - entry.loadedAt < FRESH_MS ? entry.site : load(key)
    },
  }
}
