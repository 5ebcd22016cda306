import { AppError } from '../errors.ts'
import { BoundedCache } from '../infra/bounded-cache.ts'
import { type Db, statement } from '../infra/db.ts'
import { fetchPublic, PUBLIC_INTERNET, type Reach } from '../infra/public-fetch.ts'
import { normalizeDomain } from './domain.ts'
import { rasterTypeOf } from './image-type.ts'
import { letterIcon } from './letter-icon.ts'

const HOUR_MS = 3_600_000
const FOUND_MS = 24 * HOUR_MS
const FAILED_MS = HOUR_MS
/** An icon that was only not fetched yet, since too many are being fetched. */
const BUSY_MS = 60_000
const CACHE_BYTES = 16 * 1024 * 1024
/** What an entry weighs beside its bytes: failures fill the cache too. */
const ENTRY_BYTES = 512
const MAX_FETCHES = 16

export interface Icon {
  type: string
  bytes: Buffer
  /** How long clients may keep it. */
  maxAgeMs: number
}

export interface Favicons {
  /** @throws AppError `not_found` for a domain that is no site's */
  find(domain: string): Promise<Icon>
}

const isRegistered = statement('find-registered-domain')

/** Twice the time, for https and http, is less than a worker that is told to stop waits for its answers. */
const ICON_REACH: Reach = { ...PUBLIC_INTERNET, timeoutMs: 1_500, maxBytes: 100 * 1024 }

/**
 * The icons of registered sites: what the site itself serves as /favicon.ico, over https or else http, if that is a raster
 * image; a letter otherwise. Kept for a day, failures for an hour, in the memory of this process.
 */
export function createFavicons(db: Db, now: () => Date, reach: Reach = ICON_REACH): Favicons {
  const cache = new BoundedCache<Icon>(CACHE_BYTES)
  const running = new Map<string, Promise<Icon>>()

  function load(domain: string): Promise<Icon> {
    const request = fetchIcon(domain, reach)
      .then(fetched => {
        const icon = fetched ?? letter(domain, FAILED_MS)
        const expiresAt = now().getTime() + icon.maxAgeMs
        cache.set(domain, icon, { bytes: icon.bytes.length + ENTRY_BYTES, expiresAt })
        return icon
      })
      .finally(() => running.delete(domain))
    running.set(domain, request)
    return request
  }

  return {
    async find(given) {
      const domain = normalizeDomain(given)
      const [site] = domain === undefined ? [] : await isRegistered(db, domain)
      if (domain === undefined || !site) throw new AppError('not_found', 'No such site')
      const known = cache.get(domain, now().getTime()) ?? running.get(domain)
      if (known) return known
      return running.size < MAX_FETCHES ? load(domain) : letter(domain, BUSY_MS)
    },
  }
}

async function fetchIcon(domain: string, reach: Reach): Promise<Icon | undefined> {
  for (const scheme of ['https', 'http']) {
    const address = `${scheme}://${domain}/favicon.ico`
    if (!URL.canParse(address) || !isWebPort(new URL(address).port)) return undefined
    const bytes = await fetchPublic(new URL(address), reach)
    const type = bytes && rasterTypeOf(bytes)
    if (type) return { type, bytes, maxAgeMs: FOUND_MS }
  }
  return undefined
}

/** Below 1024 there are other services, which nobody should be able to make us talk to. */
const isWebPort = (port: string) => port === '' || port === '80' || port === '443' || Number(port) >= 1024

const letter = (domain: string, maxAgeMs: number): Icon => ({
  type: 'image/svg+xml',
  bytes: Buffer.from(letterIcon(domain)),
  maxAgeMs,
})
