import { hash } from 'node:crypto'
import type { TrackedSite } from '../../sites/find-site.ts'
import { type Hit, PARTITIONS } from '../hit.ts'
import { isReservedName } from '../reserved-names.ts'
import { isCrawler } from '../stages/crawler.ts'
import { readError } from '../stages/error.ts'
import type { Place } from './geo.ts'
import type { Content } from './read-body.ts'
import { type Salts, visitorIdFor } from './visitor-ids.ts'

/** Why a well-formed hit is not recorded; the closed set of values of `X-Hit-Dropped`. */
export type DropReason = 'bot' | 'reserved_name'

export interface Sender {
  /** Client address; it ends here. */
  address: string
  userAgent: string
}

/** What must be known of the site of a hit. */
export type HitSite = Pick<TrackedSite, 'siteNo' | 'siteId' | 'trackingMode'>

/** A hit on its way to the consumer of its partition. */
export interface RoutedHit {
  hit: Hit
  partition: number
}

export function dropReason(content: Content, sender: Sender): DropReason | undefined {
  if (isCrawler(sender.userAgent)) return 'bot'
  if (content.hit.type === 'event' && isReservedName(content.hit.name!)) return 'reserved_name'
  return undefined
}

/** The visitor id that the body gives; undefined when one must be made. */
export function givenVisitorId(content: Content, site: HitSite): string | undefined {
  return content.visitorId ?? (site.trackingMode === 'cookie' ? content.newVisitorId : undefined)
}

/**
 * Fills in where, when and from whom a body's hit came; the client address goes no further.
 * @param from.at Unix milliseconds
 * @param from.salts make the visitor's id; undefined when the body gives it
 */
export function makeHit(
  content: Content,
  from: {
    id: string
    at: number
    site: HitSite
    sender: Sender
    place: Place
    salts: Salts | undefined
  },
): RoutedHit {
  const { id, at, site, sender, place, salts } = from
  const { hit } = content
  const givenId = givenVisitorId(content, site)
  hit.id = id
  hit.at = at
  hit.siteNo = site.siteNo
  hit.siteId = site.siteId
  if (givenId) {
    hit.visitorId = givenId
  } else if (salts) {
    hit.visitorId = visitorIdFor(salts.today, site.siteId, sender.address, sender.userAgent)
    if (salts.yesterday) {
      hit.previousVisitorId = visitorIdFor(salts.yesterday, site.siteId, sender.address, sender.userAgent)
    }
  }
  // Here and not only where it is stored, so that what is cut off does not wait in Redis.
  readError(hit)
  hit.userAgent = sender.userAgent.slice(0, 1_000) || undefined
  hit.country = place.country || undefined
  hit.region = place.region || undefined
  hit.city = place.city || undefined
  const origin = givenId ?? `${sender.address}\n${sender.userAgent}`
  return { hit, partition: partitionOf(site.siteId, origin) }
}

/** Two bits of a hash that does not rotate, so that a visitor stays in one partition over midnight. */
function partitionOf(siteId: string, origin: string): number {
  return Number.parseInt(hash('sha1', siteId + origin).slice(0, 8), 16) % PARTITIONS
}
