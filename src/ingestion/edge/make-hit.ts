import { hash } from 'node:crypto'
import type { TrackedSite } from '../../sites/find-site.ts'
import { type Hit, PARTITIONS } from '../hit.ts'
import { isReservedName } from '../reserved-names.ts'
import { isCrawler } from '../stages/crawler.ts'
import { readError } from '../stages/error.ts'
import type { Place } from './geo.ts'
import type { Content } from './read-body.ts'
import { type Salts, visitorIdFor } from './visitor-ids.ts'

/** Reason why a well-formed hit is not recorded; these are all values of `X-Hit-Dropped`. */
export type DropReason = 'bot' | 'reserved_name'

export interface Sender {
  /** Client address; it is never stored or queued. */
  address: string
  userAgent: string
}

/** Fields of the site that a hit needs. */
export type HitSite = Pick<TrackedSite, 'siteNo' | 'siteId' | 'trackingMode'>

/** A hit with the partition that will store it. */
export interface RoutedHit {
  hit: Hit
  partition: number
}

export function dropReason(content: Content, sender: Sender): DropReason | undefined {
  if (isCrawler(sender.userAgent)) return 'bot'
  if (content.hit.type === 'event' && isReservedName(content.hit.name!)) return 'reserved_name'
  return undefined
}

/** Returns the visitor id from the body; undefined when an id must be derived from the salts. */
export function givenVisitorId(content: Content, site: HitSite): string | undefined {
  return content.visitorId ?? (site.trackingMode === 'cookie' ? content.newVisitorId : undefined)
}

/**
 * Completes the hit of a body with id, time, site, sender and place. The client address does not become part of the hit.
 * @param from.at Unix milliseconds
 * @param from.salts salts for the visitor's id; undefined when the body contains an id
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
  // Also done when the hit is stored. Done here too, so that text beyond the limits takes no memory in Redis.
  readError(hit)
  hit.userAgent = sender.userAgent.slice(0, 1_000) || undefined
  hit.country = place.country || undefined
  hit.region = place.region || undefined
  hit.city = place.city || undefined
  const origin = givenId ?? `${sender.address}\n${sender.userAgent}`
  return { hit, partition: partitionOf(site.siteId, origin) }
}

/** Uses a hash without the daily salt, so that a visitor stays in one partition over midnight. */
function partitionOf(siteId: string, origin: string): number {
  return Number.parseInt(hash('sha1', siteId + origin).slice(0, 8), 16) % PARTITIONS
}
