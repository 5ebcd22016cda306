import type { Recount } from './recount.ts'
import {
  byTimeThenId,
  countedHits,
  type Dims,
  dimNames,
  namesWithOwnType,
  type SentHit,
} from './recount-hits.ts'

/** What was sent and where it belongs, in a form that the recounts of the stats can walk through. */

export const hitDimensions = ['path', 'title', 'hostname', 'event_name'] as const

export const sessionDimensions = ['entry_path', 'exit_path', 'user_id', 'visit_count', ...dimNames] as const

export type HitDimension = (typeof hitDimensions)[number]
export type SessionDimension = (typeof sessionDimensions)[number]
/** Every dimension of the registry. */
export type Dimension = HitDimension | SessionDimension

/** In the order in which the specification lists them. */
export const eventTypes = [
  ...['pageview', 'event', 'outbound', 'download', 'button', 'form', 'copy', 'error'],
] as const

export type EventType = (typeof eventTypes)[number]

/** A recorded pageview or event. */
export interface CountedHit {
  id: string
  /** unix ms */
  at: number
  visitor: string
  type: EventType
  visit: Visit
  /** empty where the hit has none */
  values: Record<HitDimension, string>
  props: Record<string, string>
  sent: SentHit
}

/** An engagement that was recorded. */
interface Engagement {
  /** unix ms */
  at: number
  pageview: CountedHit
  scroll: number
  /** whether it was sent with a depth, be it 0 */
  hasScroll: boolean
  engagedMs: number
}

/** A session. */
export interface Visit {
  visitor: string
  startedAt: number
  lengthMs: number
  /** all of them, in whatever range */
  pageviews: number
  values: Record<SessionDimension, string>
  /** in (time, id) order */
  hits: CountedHit[]
  engagements: Engagement[]
}

export interface World {
  zone: string
  /** in (time, id) order, each once */
  hits: CountedHit[]
  /** by start, then visitor */
  visits: Visit[]
}

/** @param sent everything that was sent, in any order, repeated deliveries included */
export function worldOf(sent: SentHit[], recount: Recount, zone: string): World {
  const sentById = new Map(sent.map(hit => [hit.id, hit]))
  const visits = recount.sessions.map((session): Visit => {
    const dims = sentById.get(session.openedBy)!.dims ?? {}
    return {
      visitor: session.visitor,
      startedAt: session.startedAt,
      lengthMs: session.lastAt - session.firstAt,
      pageviews: session.pageviews,
      values: {
        ...noDims,
        ...dims,
        entry_path: session.entryPath,
        exit_path: '',
        user_id: session.userId,
        visit_count: String(session.visitCount),
      },
      hits: [],
      engagements: [],
    }
  })

  const hits: CountedHit[] = []
  for (const hit of countedHits(sent).toSorted(byTimeThenId)) {
    const visit = visits[recount.sessionOf.get(hit.id)!]!
    const counted = countedHit(hit, visit)
    hits.push(counted)
    visit.hits.push(counted)
    if (counted.type === 'pageview') visit.values.exit_path = counted.values.path
  }

  const hitById = new Map(hits.map(hit => [hit.id, hit]))
  for (const [id, pageviewId] of recount.pageviewOf) {
    const { at, scroll, engagedMs = 0 } = sentById.get(id)!
    const pageview = hitById.get(pageviewId)!
    pageview.visit.engagements.push({
      at,
      pageview,
      scroll: scroll ?? 0,
      hasScroll: scroll !== undefined,
      engagedMs,
    })
  }
  return { zone, hits, visits }
}

const noDims = Object.fromEntries(dimNames.map(name => [name, ''])) as Dims

function countedHit(sent: SentHit, visit: Visit): CountedHit {
  const type = typeOf(sent)
  return {
    id: sent.id,
    at: sent.at,
    visitor: sent.visitor,
    type,
    visit,
    values: {
      path: sent.path ?? '',
      title: sent.title ?? '',
      hostname: sent.hostname ?? 'example.com',
      event_name: eventName(sent, type),
    },
    props: sent.props ?? {},
    sent,
  }
}

function typeOf({ kind, name = '' }: SentHit): EventType {
  if (kind === 'pageview') return 'pageview'
  return namesWithOwnType.includes(name) ? (name as EventType) : 'event'
}

function eventName({ name, errorName }: SentHit, type: EventType): string {
  if (type === 'pageview') return ''
  if (type === 'error') return errorName || 'Error'
  return name ?? ''
}

/** What a session has that opened with this hit, and every hit for itself. */
export function dimensionValue(hit: CountedHit, dimension: Dimension): string {
  return isHitDimension(dimension) ? hit.values[dimension] : hit.visit.values[dimension]
}

export function isHitDimension(dimension: string): dimension is HitDimension {
  return (hitDimensions as readonly string[]).includes(dimension)
}

export function visitorsOf(hits: readonly { visitor: string }[]): number {
  return new Set(hits.map(hit => hit.visitor)).size
}

export function grouped<Item>(items: Item[], keyOf: (item: Item) => unknown): Map<unknown, Item[]> {
  const groups = new Map<unknown, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** As the C collation does: by UTF-8 bytes, so by code point. */
export function byText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
