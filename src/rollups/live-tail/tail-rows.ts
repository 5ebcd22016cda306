import { COPIED_COLUMNS } from '../../dimensions/dimensions.ts'
import { ERRORS } from '../../dimensions/rolled-up.ts'
import { HitBlocks } from './hit-blocks.ts'
import type { SecondHits, TailHit } from './read-hits.ts'
import {
  dimensionRows,
  ENGAGED,
  ENGAGED_ON,
  HIT_DIMENSIONS,
  type HitDimension,
  hitRows,
  kindOf,
  SEEN,
  sessionRows,
  TailLost,
  TailUnfit,
} from './tail-shape.ts'
import { VisitedValues } from './visited-values.ts'

/** Bytes that a session takes in the index by number, and a text in the dictionary beside its letters; about. */
const INDEXED_BYTES = 48
const TEXT_BYTES = 120

/** What counts rows and goes on when rows are added. */
export interface RowsFollower {
  /** Called before a session changes that was there. */
  beforeChange: (session: number) => void
  /** Called when rows have moved, or values of rows that were counted have changed. */
  reset: () => void
}

/**
 * The hits of a site from a time on, and the sessions of these hits with what they did on each value, also before that time. It is what
 * counts by value are made of, in a form that takes about 180 bytes a hit. Rows may be added in any order.
 */
export class TailRows {
  /** Unix milliseconds: all hits since then are held. */
  from: number
  readonly sessions = sessionRows()
  /** What sessions have from their opening hit: the same index as `sessions`. */
  readonly dimensions = dimensionRows()
  readonly hits = hitRows()
  readonly #blocks = new HitBlocks()
  #follower: RowsFollower | undefined
  readonly visited = Object.fromEntries(HIT_DIMENSIONS.map(name => [name, new VisitedValues()])) as Record<
    HitDimension,
    VisitedValues
  >
  /** The hits of each second since `from`. */
  readonly seconds = new Map<number, SecondHits>()
  /** Values by number. Number 0 means that there is no value. */
  readonly values: string[] = ['']
  /** Sessions with two last pageviews in the same millisecond: only their rows tell the exit page. */
  readonly unclearExits = new Set<number>()
  readonly #numbers = new Map<string, number>()
  readonly #indexes = new Map<number, number>()
  #textBytes = 0
  /** Sessions whose opening hit was not added yet: what they have from their start is unknown. */
  #unopened = 0

  constructor(from: number) {
    this.from = from
  }

  /** Tells of changes; one follower at a time. */
  follow(follower: RowsFollower): void {
    this.#follower = follower
  }

  /**
   * Adds a hit since `from`.
   * @throws TailLost when the hit does not belong to one session of one visitor
   */
  addHit(hit: TailHit): void {
    const session = this.#addToSession(hit, true)!
    const second = Math.floor(hit.at / 1_000)
    const known = this.seconds.get(second) ?? { hits: 0, hash: 0 }
    this.seconds.set(second, { hits: known.hits + 1, hash: known.hash ^ hit.hash })
    const row = this.hits.add()
    const { columns } = this.hits
    columns.at[row] = hit.at
    this.#blocks.add(row, hit.at)
    columns.hash[row] = hit.hash
    columns.session[row] = session
    columns.kind[row] = kindOf(hit.type)
    for (const name of HIT_DIMENSIONS) columns[name][row] = this.#valueOf(hit, name)
  }

  /** Adds a hit before `from`, if it belongs to a session that is held; returns whether it does. */
  addEarlier(hit: TailHit): boolean {
    return this.#addToSession(hit, false) !== undefined
  }

  #addToSession(hit: TailHit, isAdded: boolean): number | undefined {
    const { sessionNo, visitorNo, sessionAt, at } = hit
    if (sessionNo === null || visitorNo === null || sessionAt === null)
      throw new TailLost('a hit has no session')
    const index = this.#indexes.get(sessionNo) ?? (isAdded ? this.#addSession(hit) : undefined)
    if (index === undefined) return undefined
    const { columns } = this.sessions
    if (columns.visitor[index] !== visitorNo || columns.startedAt[index] !== sessionAt)
      throw new TailLost('a session has hits of two visitors')
    this.#follower?.beforeChange(index)
    columns.firstAt[index] = Math.min(columns.firstAt[index]!, at)
    columns.lastAt[index] = Math.max(columns.lastAt[index]!, at)
    if (hit.opened !== null) this.#open(index, hit.opened)
    if (hit.type === 'pageview') {
      columns.pageviews[index]!++
      this.#leave(index, hit)
    } else if (hit.type !== 'engagement') columns.events[index]!++
    for (const name of HIT_DIMENSIONS) this.#visit(index, name, hit)
    return index
  }

  #addSession({ sessionNo, visitorNo, sessionAt, at }: TailHit): number {
    const index = this.sessions.add()
    this.dimensions.add()
    for (const name of HIT_DIMENSIONS) this.visited[name].addSession()
    const { columns } = this.sessions
    columns.sessionNo[index] = sessionNo!
    columns.visitor[index] = visitorNo!
    columns.startedAt[index] = sessionAt!
    columns.firstAt[index] = at
    columns.lastAt[index] = at
    this.#indexes.set(sessionNo!, index)
    this.#unopened++
    return index
  }

  #open(index: number, opened: string): void {
    const values = JSON.parse(opened) as string[]
    const { isOpened } = this.sessions.columns
    let hasChanged = false
    for (const [position, name] of COPIED_COLUMNS.entries()) {
      const column = this.dimensions.columns[name]!
      const value = this.#numberOf(values[position]!)
      if (column[index] !== value) hasChanged = true
      column[index] = value
    }
    if (isOpened[index] === 0) this.#unopened--
    // Hits of the session may be counted with the other values.
    else if (hasChanged) this.#follower?.reset()
    isOpened[index] = 1
  }

  /** Whether the opening hit of each session was added. */
  get isComplete(): boolean {
    return this.#unopened === 0
  }

  #leave(index: number, { at, path }: TailHit): void {
    const { columns } = this.sessions
    // Its exit page would be mistaken for that of a session without pageviews.
    if (path === '') throw new TailUnfit('a pageview has no path')
    if (at < columns.exitAt[index]!) return
    if (at === columns.exitAt[index]) {
      this.unclearExits.add(index)
      return
    }
    this.unclearExits.delete(index)
    columns.exitAt[index] = at
    columns.exit[index] = this.#numberOf(path)
  }

  /** Sets an exit page that was read from the row of the session. */
  setExit(index: number, path: string): void {
    this.#follower?.beforeChange(index)
    this.sessions.columns.exit[index] = this.#numberOf(path)
    this.unclearExits.delete(index)
  }

  #visit(index: number, name: HitDimension, { type, engagedMs, scroll, ...hit }: TailHit): void {
    const isEngagement = type === 'engagement'
    if (isEngagement && !ENGAGED.has(name)) return
    const value = this.#valueOf({ type, ...hit }, name)
    if (value === 0) return
    const { rows } = this.visited[name]
    const row = this.visited[name].rowFor(index, value)
    const { columns } = rows
    columns.seen[row]! |= isEngagement ? ENGAGED_ON : SEEN
    columns.engagedMs[row]! += engagedMs ?? 0
    if (scroll !== null) columns.scroll[row] = Math.max(columns.scroll[row]!, scroll + 1)
  }

  #valueOf(hit: Pick<TailHit, 'type' | HitDimension>, name: HitDimension): number {
    if (name !== ERRORS) return this.#numberOf(hit[name])
    return hit.type === 'error' && hit.error !== null ? this.#numberOf(hit.error) : 0
  }

  #numberOf(value: string): number {
    const known = this.#numbers.get(value)
    if (known !== undefined) return known
    const number = this.values.push(value) - 1
    this.#numbers.set(value, number)
    this.#textBytes += TEXT_BYTES + 2 * value.length
    return number
  }

  /** Returns ranges of hits that contain all those of [start, end) from a row on, and others; their columns must not change meanwhile. */
  hitRanges(start: number, end: number, first = 0): { from: number; to: number }[] {
    return this.#blocks.rangesOf({ first, end: this.hits.length }, start, end)
  }

  /** Returns how many hits whole seconds have, Unix milliseconds. */
  countHits(start: number, end: number): number {
    let hits = 0
    for (let second = start / 1_000; second < end / 1_000; second++)
      hits += this.seconds.get(second)?.hits ?? 0
    return hits
  }

  /** Drops hits before a time, and sessions whose last hit is older. Values stay: they go with the whole tail. */
  dropBefore(from: number): void {
    this.from = from
    this.#follower?.reset()
    for (const second of this.seconds.keys()) if (second * 1_000 < from) this.seconds.delete(second)
    const { lastAt } = this.sessions.columns
    const moved = new Uint32Array(this.sessions.length)
    let kept = 0
    for (let index = 0; index < moved.length; index++) moved[index] = lastAt[index]! >= from ? ++kept : 0
    this.hits.keep(row => this.hits.columns.at[row]! >= from)
    this.#blocks.replace(this.hits.columns.at.subarray(0, this.hits.length))
    const { session } = this.hits.columns
    for (let row = 0; row < this.hits.length; row++) session[row] = moved[session[row]!]! - 1
    const unclear = [...this.unclearExits].filter(index => moved[index] !== 0)
    this.unclearExits.clear()
    for (const index of unclear) this.unclearExits.add(moved[index]! - 1)
    this.#dropSessions(moved)
  }

  #dropSessions(moved: Uint32Array): void {
    this.dimensions.keep(index => moved[index] !== 0)
    this.sessions.keep(index => moved[index] !== 0)
    this.#indexes.clear()
    const { sessionNo } = this.sessions.columns
    for (let index = 0; index < this.sessions.length; index++) this.#indexes.set(sessionNo[index]!, index)
    for (const name of HIT_DIMENSIONS) this.visited[name].dropSessions(moved)
  }

  /** Approximate memory use. */
  get bytes(): number {
    const visited = HIT_DIMENSIONS.reduce((sum, name) => sum + this.visited[name].bytes, 0)
    const indexed = this.sessions.length * INDEXED_BYTES
    return this.sessions.bytes + this.dimensions.bytes + this.hits.bytes + visited + indexed + this.#textBytes
  }
}
