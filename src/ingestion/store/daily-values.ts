import { hash } from 'node:crypto'
import { BoundedCache } from '../../infra/bounded-cache.ts'
import { type Db, statement, type Transaction } from '../../infra/db.ts'

const VALUE_KINDS = ['event_name', 'property_key', 'error_group'] as const
export type ValueKind = (typeof VALUE_KINDS)[number]

/** Key of a set of distinct values: site, UTC day and kind. */
interface Place {
  siteNo: number
  /** Days since 1970-01-01. */
  day: number
  kind: ValueKind
}

interface StoredValues extends Place {
  digests: Buffer
}

const readValues = statement<StoredValues>('read-daily-values')
const lockValues = statement<StoredValues>('lock-daily-values')
const appendValues = statement('append-daily-values')

const DIGEST_BYTES = 8
/** Cache size: about 40 full sets of values; a usual set takes a few KB. */
const MAX_BYTES = 64 * 1024 * 1024
/** Memory of a string in a set without its characters. */
const ENTRY_BYTES = 60

/** Cached values of a set: the committed digests, and recognised texts, which need no further hash. */
class KnownValues {
  readonly digests = new Set<string>()
  readonly texts = new Set<string>()
  bytes = 200

  addDigest(digest: string): void {
    if (this.digests.has(digest)) return
    this.digests.add(digest)
    this.bytes += ENTRY_BYTES + 2 * DIGEST_BYTES
  }

  addText(text: string): void {
    if (this.texts.has(text)) return
    this.texts.add(text)
    this.bytes += ENTRY_BYTES + text.length
  }

  /** Tells whether the text is one of the values; if so, caches the text. */
  has(text: string, digest: string): boolean {
    if (!this.digests.has(digest)) return false
    this.addText(text)
    return true
  }
}

const caches = new WeakMap<Db, BoundedCache<KnownValues>>()

function cacheOf(db: Db): BoundedCache<KnownValues> {
  let cache = caches.get(db)
  if (!cache) {
    cache = new BoundedCache(MAX_BYTES)
    caches.set(db, cache)
  }
  return cache
}

const keyOf = ({ siteNo, day, kind }: Place): string => `${siteNo}/${day}/${kind}`

/** Takes 1 µs. A collision among 10,000 values is practically impossible; its only effect would be one uncounted value. */
const digestOf = (text: string): string => hash('sha256', text).slice(0, 2 * DIGEST_BYTES)

interface Asked {
  place: Place
  known: KnownValues
  /** Digests of texts that are not known as values yet, in order of arrival. */
  unknown: Map<string, string>
}

/**
 * Decides which values of a batch are within the limit of their site and day. Nearly always all values are cached, which takes
 * one set lookup each and no statement. New values are added under a row lock, so that processes and partitions agree.
 *
 * A value within the limit stays within it, and a full set never changes. So a repeated delivery, a restart or another process
 * gets the same result.
 */
export class DailyValues {
  readonly #cache: BoundedCache<KnownValues>
  readonly #limit: number
  readonly #asked = new Map<string, Asked>()
  readonly #added: { known: KnownValues; text: string; digest: string }[] = []
  readonly #filled: Place[] = []
  #latest: { place: Place; asked: Asked } | undefined

  /** @param limit distinct values of a kind, site and day */
  constructor(db: Db, limit: number) {
    this.#cache = cacheOf(db)
    this.#limit = limit
  }

  /** Registers a value of a hit. */
  ask(siteNo: number, day: number, kind: ValueKind, text: string): void {
    const { known, unknown } = this.#at(siteNo, day, kind)
    if (known.texts.has(text) || unknown.has(text)) return
    const digest = digestOf(text)
    if (!known.has(text, digest)) unknown.set(text, digest)
  }

  /**
   * Decides all registered values.
   * @param tx the transaction that stores the hits; locks the rows that get new values until it ends
   */
  async settle(tx: Transaction): Promise<void> {
    const open = () =>
      [...this.#asked.values()].filter(({ known, unknown }) => unknown.size > 0 && !this.#isFull(known))
    const unread = open()
    if (unread.length === 0) return
    const places = [...new Map(unread.map(({ place }) => [`${place.siteNo}/${place.day}`, place])).values()]
    this.#learn(
      await readValues(
        tx,
        places.map(({ siteNo }) => siteNo),
        places.map(({ day }) => day),
      ),
    )
    const growing = open()
    if (growing.length === 0) return
    const columns = columnsOf(growing.map(({ place }) => place))
    this.#learn(await lockValues(tx, ...columns))
    const added = growing.map(asked => this.#add(asked))
    await appendValues(
      tx,
      ...columns,
      added.map(digests => Buffer.from(digests.join(''), 'hex').toString('base64')),
    )
  }

  /** Tells whether a registered value is above the limit; valid only after `settle`. */
  isBeyond(siteNo: number, day: number, kind: ValueKind, text: string): boolean {
    return this.#at(siteNo, day, kind).unknown.has(text)
  }

  /** Returns the sets that have values above the limit. */
  beyond(): Place[] {
    return [...this.#asked.values()].flatMap(({ place, unknown }) => (unknown.size > 0 ? [place] : []))
  }

  /** Allows a value although it is above the limit. */
  admit(siteNo: number, kind: ValueKind, text: string): void {
    for (const { place, unknown } of this.#asked.values()) {
      if (place.siteNo === siteNo && place.kind === kind) unknown.delete(text)
    }
  }

  /**
   * Caches the added values; call it only after the commit.
   * @returns the sets that have become full
   */
  commit(): Place[] {
    for (const { known, text, digest } of this.#added) {
      known.addDigest(digest)
      known.addText(text)
    }
    for (const { place, known } of this.#asked.values()) {
      this.#cache.set(keyOf(place), known, { bytes: known.bytes })
    }
    return this.#filled
  }

  #at(siteNo: number, day: number, kind: ValueKind): Asked {
    const latest = this.#latest?.place
    if (latest?.siteNo === siteNo && latest.day === day && latest.kind === kind) return this.#latest!.asked
    const place = { siteNo, day, kind }
    const key = keyOf(place)
    let asked = this.#asked.get(key)
    if (!asked) {
      asked = { place, known: this.#cache.get(key) ?? new KnownValues(), unknown: new Map() }
      this.#asked.set(key, asked)
    }
    this.#latest = { place, asked }
    return asked
  }

  #isFull = (known: KnownValues): boolean => known.digests.size >= this.#limit

  /** Adds committed values to the cache and removes them from the unknown values. */
  #learn(rows: StoredValues[]): void {
    for (const row of rows) {
      const asked = this.#asked.get(keyOf(row))
      if (!asked) continue
      const digests = row.digests.toString('hex')
      for (let at = 0; at < digests.length; at += 2 * DIGEST_BYTES) {
        asked.known.addDigest(digests.slice(at, at + 2 * DIGEST_BYTES))
      }
    }
    for (const { known, unknown } of this.#asked.values()) {
      for (const [text, digest] of unknown) if (known.has(text, digest)) unknown.delete(text)
    }
  }

  /** Adds new values up to the limit. @returns their digests */
  #add({ place, known, unknown }: Asked): string[] {
    const room = this.#limit - known.digests.size
    const fresh = [...unknown].slice(0, Math.max(0, room))
    for (const [text, digest] of fresh) {
      unknown.delete(text)
      this.#added.push({ known, text, digest })
    }
    if (room > 0 && fresh.length === room) this.#filled.push(place)
    return fresh.map(([, digest]) => digest)
  }
}

const columnsOf = (places: Place[]) => [
  places.map(({ siteNo }) => siteNo),
  places.map(({ day }) => day),
  places.map(({ kind }) => kind),
]
