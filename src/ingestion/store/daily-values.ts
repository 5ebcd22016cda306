import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Db, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { oneForEach } from './dimensions.ts'

const VALUE_KINDS = ['event_name', 'property_key', 'error_group'] as const
export type ValueKind = (typeof VALUE_KINDS)[number]

/** Key of a set of distinct values: site, UTC day and kind. */
interface SetKey {
  siteNo: number
  /** Days since 1970-01-01. */
  day: number
  kind: ValueKind
}

interface StoredValues extends SetKey {
  digests: Buffer
}

/** Committed distinct values. Days count from 1970-01-01, UTC. */
const readValues = query<{ siteNos: number[]; days: number[] }, StoredValues>(
  'read-daily-values',
  `select site_no as "siteNo", day - date '1970-01-01' as day, kind, digests
  from daily_values
  join unnest(:siteNos::int[], :days::int[]) as asked (site_no, day_no)
    using (site_no)
  where daily_values.day = date '1970-01-01' + asked.day_no`,
)

/** Reads sets and locks them in a fixed order, to avoid deadlocks: no other transaction can add a value until this one ends. */
const lockValues = query<{ siteNos: number[]; days: number[]; kinds: string[] }, StoredValues>(
  'lock-daily-values',
  `insert into daily_values (site_no, day, kind, digests)
  select site_no, date '1970-01-01' + day_no, kind, ''
  from unnest(:siteNos::int[], :days::int[], :kinds::text[]) as asked (site_no, day_no, kind)
  order by 1, 2, 3
  on conflict (site_no, day, kind) do update set kind = excluded.kind
  returning site_no as "siteNo", day - date '1970-01-01' as day, kind, digests`,
)

/** Appends digests, in base64, to locked sets. */
const appendValues = query<{ siteNos: number[]; days: number[]; kinds: string[]; digests: string[] }>(
  'append-daily-values',
  `update daily_values
  set digests = daily_values.digests || decode(added.digests, 'base64')
  from unnest(:siteNos::int[], :days::int[], :kinds::text[], :digests::text[]) as added (site_no, day_no, kind, digests)
  where daily_values.site_no = added.site_no
    and daily_values.day = date '1970-01-01' + added.day_no
    and daily_values.kind = added.kind`,
)

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

/** The undo of an import takes values away: a process finds out after at most this time. */
const CACHED_MS = HOUR_MS

const cacheOf = oneForEach(
  (_db: Db) => new LRUCache<string, KnownValues>({ maxSize: MAX_BYTES, ttl: CACHED_MS }),
)

const cacheKeyOf = ({ siteNo, day, kind }: SetKey): string => `${siteNo}/${day}/${kind}`

/** Takes 1 µs. A collision among 10,000 values is practically impossible; its only effect would be one uncounted value. */
const digestOf = (text: string): string => hash('sha256', text).slice(0, 2 * DIGEST_BYTES)

/** The values of a batch that belong to one set. */
interface BatchValues {
  key: SetKey
  known: KnownValues
  /** Digests of texts that are not known as values yet, in order of arrival. */
  unknown: Map<string, string>
}

/**
 * Decides which values of a batch are within the limit of their site and day. Nearly always all values are cached, which takes
 * one set lookup each and no statement. New values are added under a row lock, so that processes and partitions agree.
 *
 * A value within the limit stays within it, and a full set never changes, unless an import is undone. So a repeated delivery, a restart or
 * another process gets the same result.
 */
export class DailyValues {
  readonly #cache: LRUCache<string, KnownValues>
  readonly #limit: number
  readonly #sets = new Map<string, BatchValues>()
  readonly #added: { known: KnownValues; text: string; digest: string }[] = []
  readonly #filled: SetKey[] = []
  #latest: BatchValues | undefined

  /** @param limit distinct values of a kind, site and day */
  constructor(db: Db, limit: number) {
    this.#cache = cacheOf(db)
    this.#limit = limit
  }

  /** Registers a value of a hit. */
  register(siteNo: number, day: number, kind: ValueKind, text: string): void {
    const { known, unknown } = this.#at(siteNo, day, kind)
    if (known.texts.has(text) || unknown.has(text)) return
    const digest = digestOf(text)
    if (!known.has(text, digest)) unknown.set(text, digest)
  }

  /**
   * Decides all registered values.
   * @param tx the transaction that stores the hits; locks the rows that get new values until it ends
   */
  async decide(tx: Transaction): Promise<void> {
    const open = () =>
      [...this.#sets.values()].filter(({ known, unknown }) => unknown.size > 0 && !this.#isFull(known))
    const unread = open()
    if (unread.length === 0) return
    const days = [...new Map(unread.map(({ key }) => [`${key.siteNo}/${key.day}`, key])).values()]
    this.#addCommitted(
      await readValues(tx, {
        siteNos: days.map(({ siteNo }) => siteNo),
        days: days.map(({ day }) => day),
      }),
    )
    const growing = open()
    if (growing.length === 0) return
    const columns = {
      siteNos: growing.map(({ key }) => key.siteNo),
      days: growing.map(({ key }) => key.day),
      kinds: growing.map(({ key }) => key.kind),
    }
    this.#addCommitted(await lockValues(tx, columns))
    const added = growing.map(set => this.#add(set))
    const digests = added.map(hex => Buffer.from(hex.join(''), 'hex').toString('base64'))
    await appendValues(tx, { ...columns, digests })
  }

  /** Tells whether a registered value is above the limit; valid only after `decide`. */
  isAboveLimit(siteNo: number, day: number, kind: ValueKind, text: string): boolean {
    return this.#at(siteNo, day, kind).unknown.has(text)
  }

  /** Returns the sets that have values above the limit. */
  exceededSets(): SetKey[] {
    return [...this.#sets.values()].flatMap(({ key, unknown }) => (unknown.size > 0 ? [key] : []))
  }

  /** Allows a value although it is above the limit. */
  allow(siteNo: number, kind: ValueKind, text: string): void {
    for (const { key, unknown } of this.#sets.values()) {
      if (key.siteNo === siteNo && key.kind === kind) unknown.delete(text)
    }
  }

  /**
   * Caches the added values; call it only after the commit.
   * @returns the sets that have become full
   */
  commit(): SetKey[] {
    for (const { known, text, digest } of this.#added) {
      known.addDigest(digest)
      known.addText(text)
    }
    for (const { key, known } of this.#sets.values()) {
      // Without the deletion, `set` would keep the old size of a set that is cached already and has grown.
      this.#cache.delete(cacheKeyOf(key))
      this.#cache.set(cacheKeyOf(key), known, { size: known.bytes })
    }
    return this.#filled
  }

  #at(siteNo: number, day: number, kind: ValueKind): BatchValues {
    const latest = this.#latest?.key
    if (latest?.siteNo === siteNo && latest.day === day && latest.kind === kind) return this.#latest!
    const key = { siteNo, day, kind }
    const cacheKey = cacheKeyOf(key)
    let values = this.#sets.get(cacheKey)
    if (!values) {
      values = { key, known: this.#cache.get(cacheKey) ?? new KnownValues(), unknown: new Map() }
      this.#sets.set(cacheKey, values)
    }
    this.#latest = values
    return values
  }

  #isFull = (known: KnownValues): boolean => known.digests.size >= this.#limit

  /** Adds committed values to the cache and removes them from the unknown values. */
  #addCommitted(rows: StoredValues[]): void {
    for (const row of rows) {
      const known = this.#sets.get(cacheKeyOf(row))?.known
      if (!known) continue
      const digests = row.digests.toString('hex')
      for (let at = 0; at < digests.length; at += 2 * DIGEST_BYTES) {
        known.addDigest(digests.slice(at, at + 2 * DIGEST_BYTES))
      }
    }
    for (const { known, unknown } of this.#sets.values()) {
      for (const [text, digest] of unknown) if (known.has(text, digest)) unknown.delete(text)
    }
  }

  /** Adds new values up to the limit. @returns their digests */
  #add({ key, known, unknown }: BatchValues): string[] {
    const room = this.#limit - known.digests.size
    const fresh = [...unknown].slice(0, Math.max(0, room))
    for (const [text, digest] of fresh) {
      unknown.delete(text)
      this.#added.push({ known, text, digest })
    }
    if (room > 0 && fresh.length === room) this.#filled.push(key)
    return fresh.map(([, digest]) => digest)
  }
}
