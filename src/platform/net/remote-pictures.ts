import { LRUCache } from 'lru-cache'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/time.ts'
import { windowAt } from '../limits/rate-limit.ts'
import { fetchPublic, isWebUrl, type Reach } from './public-fetch.ts'

/** First bytes of the raster formats that are served, one character per byte. SVG is excluded: it can contain scripts. */
const SIGNATURES: [type: string, bytes: RegExp][] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: bytes of a file, not text
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: bytes of a file, not text
  ['image/x-icon', /^\0\0\x01\0[\x01-\xff]/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
]

/** Returns the media type by the bytes, not by the header of the server; undefined for all but common raster images. */
export function rasterTypeOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  return SIGNATURES.find(([, signature]) => signature.test(start))?.[0]
}

const FOUND_MS = DAY_MS
const FAILED_MS = HOUR_MS
/** Cache time of a stand-in that is served because too many fetches are running. */
const BUSY_MS = MINUTE_MS
const CACHE_BYTES = 16 * 1024 * 1024
/** Bytes counted for each entry besides its picture: failures fill the cache too. */
const ENTRY_BYTES = 512

export interface Picture {
  type: string
  bytes: Buffer
  /** How long clients may cache it. */
  maxAgeMs: number
}

type Fetched = Pick<Picture, 'type' | 'bytes'>

/**
 * Returns a cache of pictures from other servers in the memory of this process: pictures for a day, failures for an hour.
 * @param options.load fetches the picture of a key; undefined when there is none
 * @param options.maxAtOnce most fetches that run at the same time
 * @param options.maxPerMinute most fetches that start in a minute
 */
export function createRemotePictures(options: {
  load: (key: string) => Promise<Fetched | undefined>
  maxAtOnce: number
  maxPerMinute: number
  now: () => Date
}) {
  const { load, maxAtOnce, maxPerMinute, now } = options
  const cache = new LRUCache<string, { fetched: Fetched | undefined; expiresAt: number }>({
    maxSize: CACHE_BYTES,
  })
  const running = new Map<string, Promise<{ fetched: Fetched | undefined }>>()
  const begun = { window: 0, count: 0 }

  function mayBegin(): boolean {
    const window = windowAt(now().getTime())
    if (begun.window !== window) Object.assign(begun, { window, count: 0 })
    return running.size < maxAtOnce && begun.count < maxPerMinute
  }

  function begin(key: string) {
    begun.count += 1
    const request = load(key)
      .then(fetched => {
        const expiresAt = now().getTime() + (fetched ? FOUND_MS : FAILED_MS)
        const size = (fetched?.bytes.length ?? 0) + ENTRY_BYTES + 2 * key.length
        cache.set(key, { fetched, expiresAt }, { size })
        return { fetched }
      })
      .finally(() => running.delete(key))
    running.set(key, request)
    return request
  }

  return {
    /**
     * Returns the picture of the key, or the stand-in when the key has none or too many fetches are running.
     * @param standIn returns an SVG document
     */
    async find(key: string, standIn: () => string): Promise<Picture> {
      const instead = (maxAgeMs: number): Picture => ({
        type: 'image/svg+xml',
        bytes: Buffer.from(standIn()),
        maxAgeMs,
      })
      const held = cache.get(key)
      const known = held && now().getTime() < held.expiresAt ? held : running.get(key)
      if (!known && !mayBegin()) return instead(BUSY_MS)
      const { fetched } = await (known ?? begin(key))
      return fetched ? { ...fetched, maxAgeMs: FOUND_MS } : instead(FAILED_MS)
    },
  }
}

/**
 * Fetches the raster image at an address.
 * @param address any text
 * @returns undefined when the text is no web address, the address is not within reach, or it serves no raster image
 */
export async function fetchPicture(address: string, reach: Reach): Promise<Fetched | undefined> {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (!isWebUrl(url)) return undefined
  const bytes = await fetchPublic(url, reach)
  const type = bytes && rasterTypeOf(bytes)
  return bytes && type ? { type, bytes } : undefined
}
