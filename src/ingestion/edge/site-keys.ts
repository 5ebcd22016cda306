import { SITE_CHANGES } from '../../access/sites/change-site.ts'
import {
  findSiteByKey,
  findSitesByKeys,
  listTrackedSites,
  type TrackedSite,
} from '../../access/sites/find-site.ts'
import type { Db } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import { withDeadline } from '../../platform/lib/deadline.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import type { RedisClient } from '../../platform/redis/client.ts'

/** After this time an entry is refreshed in the background, in case an announcement was missed. */
const FRESH_MS = 5_000
/** After this time an entry is not used until the database has answered. */
const STALE_MS = MINUTE_MS
const LOOKUP_MS = 3_000
/** Sites that are due within this time are refreshed by one statement. */
const GATHER_MS = 500
/** Sites, and keys of no site apart: a flood of invented keys takes a bounded memory, and displaces no site. */
const MAX_SITES = 20_000
const MAX_UNKNOWN = 20_000
const MAX_PRELOADED = 10_000

interface Entry {
  site: TrackedSite | undefined
  askedAt: number
}

/** Creates a cache of sites by tracking key, misses included. Redis announces changes, which take effect at once. */
export function createSiteKeys(db: Db, subscriber: RedisClient) {
  const sites = new Map<string, Entry>()
  const unknown = new Map<string, Entry>()
  const loading = new Map<string, Promise<TrackedSite | undefined>>()
  const due = new Set<string>()
  let isGathering = false
  let announcements = 0
  /** Number of the latest announcement by key, of those since the oldest running read began. */
  const announced = new Map<string, number>()
  let reads = 0

  /** @param read gets the number of announcements when it begins, and stores what it has read */
  async function reading<Result>(read: (before: number) => Promise<Result>): Promise<Result> {
    reads += 1
    try {
      return await read(announcements)
    } finally {
      reads -= 1
      if (reads === 0) announced.clear()
    }
  }

  function forget(key: string): void {
    sites.delete(key)
    unknown.delete(key)
  }

  /** @param before number of announcements when the read began: a result that is older than the latest one is not cached */
  function store(key: string, site: TrackedSite | undefined, before: number): void {
    if ((announced.get(key) ?? 0) > before) return
    forget(key)
    const entry = { site, askedAt: Date.now() }
    if (site) keep(sites, key, entry, MAX_SITES)
    else keep(unknown, key, entry, MAX_UNKNOWN)
  }

  // Expire all entries: announcements may have been missed while the connection was down.
  subscriber.on('ready', () => {
    for (const entries of [sites, unknown]) for (const entry of entries.values()) entry.askedAt = 0
  })
  subscriber.on('message', (channel, key) => {
    if (channel !== SITE_CHANGES) return
    forget(key)
    announcements += 1
    if (reads > 0) announced.set(key, announcements)
  })
  const subscribed = subscriber.subscribe(SITE_CHANGES).catch(() => {})

  function load(key: string): Promise<TrackedSite | undefined> {
    const running = loading.get(key)
    if (running) return running
    const request = reading(async before => {
      const site = await findSiteByKey(db, key)
      store(key, site, before)
      return site
    }).finally(() => loading.delete(key))
    loading.set(key, request)
    return request
  }

  function refreshSoon(key: string): void {
    due.add(key)
    if (!isGathering) gather()
  }

  function gather(): void {
    isGathering = true
    setTimeout(refreshDue, GATHER_MS).unref()
  }

  async function refreshDue(): Promise<void> {
    const keys = [...due]
    due.clear()
    try {
      await reading(async before => {
        const found = await findSitesByKeys(db, keys)
        for (const key of keys) store(key, found.get(key), before)
      })
    } catch {
      // The known entries stay valid; their next hits try again.
    }
    isGathering = false
    if (due.size > 0) gather()
  }

  return {
    /**
     * Returns the site of a tracking key; undefined when no site has it. An entry of the last minute is returned at once and
     * refreshed in the background if it is older than 5 s. If the database is unavailable or slow, the last known entry is used.
     * @throws AppError `unavailable` when the key is not cached and the database does not answer within 3 s
     */
    find(key: string): TrackedSite | undefined | Promise<TrackedSite | undefined> {
      const entry = sites.get(key) ?? unknown.get(key)
      if (!entry) return withDeadline(LOOKUP_MS, load(key), tooLate)
      const now = Date.now()
      const age = now - entry.askedAt
      if (age < FRESH_MS) return entry.site
      entry.askedAt = now // prevents a lookup for each of the next hits
      if (age >= STALE_MS) return withDeadline(LOOKUP_MS, load(key), tooLate).catch(() => entry.site)
      refreshSoon(key)
      return entry.site
    },
    /**
     * Loads the existing sites, so that their hits do not wait for the database.
     * @returns how many
     * @throws the database error when the database is unavailable
     */
    async preload(): Promise<number> {
      await subscribed
      return reading(async before => {
        const found = await listTrackedSites(db, MAX_PRELOADED)
        for (const [key, site] of found) store(key, site, before)
        return found.size
      })
    },
  }
}

/** Adds the newest entry. Above `max`, the one that was not refreshed for the longest time goes. */
function keep(entries: Map<string, Entry>, key: string, entry: Entry, max: number): void {
  entries.set(key, entry)
  if (entries.size > max) entries.delete(entries.keys().next().value!)
}

export type SiteKeys = ReturnType<typeof createSiteKeys>

const tooLate = () => new AppError('unavailable', 'The site cannot be looked up now', { retryAfter: 1 })
