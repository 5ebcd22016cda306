import type { Redis } from 'ioredis'
import { AppError } from '../../errors.ts'
import type { Db } from '../../infra/db.ts'
import { withDeadline } from '../../infra/deadline.ts'
import { SITE_CHANGES } from '../../sites/changes.ts'
import { findSiteByKey, listTrackedSites, type TrackedSite } from '../../sites/find-site.ts'

/** After this an entry is asked for again, in case an announcement was missed. */
const FRESH_MS = 5_000
/** After this nobody goes by it before the database was asked. */
const STALE_MS = 60_000
/** How long a hit waits for the database. */
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
   * The site of a tracking key; undefined when there is none. What was looked up within a minute is answered at once, and
   * looked up again beside; while the database is away or late, what was known last holds.
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
  let announcements = 0
  /** Of each key that was announced the number of the announcement: what was read before it is not kept. */
  const announced = new Map<string, number>()

  /** @param before how many announcements there were when the reading began */
  function note(key: string, site: TrackedSite | undefined, before: number): void {
    if ((announced.get(key) ?? 0) <= before) entries.set(key, { site, askedAt: Date.now() })
  }

  // Announcements may have been missed while the connection was away.
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
        note(key, site, before)
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
      const now = Date.now()
      const age = now - entry.askedAt
      if (age < FRESH_MS) return entry.site
      entry.askedAt = now // the next hits need not ask, too
      const asked = withDeadline(PATIENCE_MS, load(key), tooLate).catch(() => entry.site)
      return age < STALE_MS ? entry.site : asked
    },
    async learn() {
      await subscribed
      const before = announcements
      for (const [key, site] of await listTrackedSites(db, MAX_LEARNED)) note(key, site, before)
    },
  }
}

const tooLate = () => new AppError('unavailable', 'The site cannot be looked up now', { retryAfter: 1 })
