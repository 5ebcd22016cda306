import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { TrackedSite } from '../../access/sites/find-site.ts'
import { openIdentifySecret } from '../../access/sites/identify-secret.ts'
import { AppError } from '../../platform/errors.ts'
import { isReservedName } from '../../storage/events/reserved-names.ts'
import { type Hit, PARTITIONS } from '../hit.ts'
import { isCrawler } from '../stages/crawler.ts'
import { completeError } from '../stages/error.ts'
import type { Geo, Location } from './geo.ts'
import { newHitId } from './hit-id.ts'
import { type Content, type Endpoint, readKeyedBody } from './read-body.ts'
import type { SiteKeys } from './site-keys.ts'
import { type SaltStore, type Salts, visitorIdFor } from './visitor-ids.ts'

export { ENDPOINTS, type Endpoint } from './read-body.ts'

/** Reason why a well-formed hit is not recorded; these are all values of `X-Hit-Dropped`. */
export type DropReason = 'bot' | 'reserved_name' | 'replay_off' | 'excluded_path' | 'replay_full'

export interface Sender {
  /** Client address; it is never stored or queued. */
  address: string
  userAgent: string
}

export type HitSite = Pick<TrackedSite, 'siteNo' | 'siteId' | 'trackingMode'>

export interface RoutedHit {
  hit: Hit
  partition: number
}

export type Accepted = (RoutedHit & { site: TrackedSite }) | { dropped: DropReason }

export interface Edge {
  siteKeys: SiteKeys
  salts: SaltStore
  geo: Geo
  /** Key that decrypts the identify secrets of sites; 64 hex digits. */
  secretKey: string
}

/**
 * Validates a request body and turns it into a hit without the client address. Returns a promise only if the site or the salts are not
 * cached: a promise costs as much as the validation.
 * @param now Unix milliseconds: the time of the hit
 * @throws AppError `validation_failed` with the names of the fields (also for an unsigned identity if the site requires
 * signatures), `not_found` for an unknown tracking key
 */
export function accept(
  edge: Edge,
  endpoint: Endpoint,
  body: unknown,
  sender: Sender,
  now: number,
): Accepted | Promise<Accepted> {
  const { key, content } = readKeyedBody(endpoint, body)
  const site = edge.siteKeys.find(key)
  return site instanceof Promise
    ? site.then(found => acceptContent(edge, content, found, sender, now))
    : acceptContent(edge, content, site, sender, now)
}

function acceptContent(
  edge: Edge,
  content: Content,
  site: TrackedSite | undefined,
  sender: Sender,
  now: number,
): Accepted | Promise<Accepted> {
  if (!site) throw new AppError('not_found', 'No site has this tracking key')
  const { identifySecret } = site
  const { identity } = content.hit
  if (identifySecret && identity) {
    const secret = openIdentifySecret({ ...site, identifySecret }, edge.secretKey)
    verifyIdentity(identity.identifier, content.signature, secret)
  }
  const dropped = dropReason(content, sender)
  if (dropped) return { dropped }
  const complete = (salts: Salts | undefined): Accepted => {
    const location = edge.geo.locate(sender.address)
    const { hit, partition } = makeHit(content, { id: newHitId(now), at: now, site, sender, location, salts })
    return { hit, partition, site }
  }
  const salts = givenVisitorId(content, site) ? undefined : edge.salts.at(now)
  return salts instanceof Promise ? salts.then(complete) : complete(salts)
}

/** Returns why a hit is not recorded; undefined for a hit to record. */
export function dropReason(content: Content, sender: Sender): DropReason | undefined {
  if (isCrawler(sender.userAgent)) return 'bot'
  if (content.hit.type === 'event' && isReservedName(content.hit.name!)) return 'reserved_name'
  return undefined
}

/** Returns the visitor id from the body; undefined when an id must be derived from the salts. */
export function givenVisitorId(
  content: Pick<Content, 'visitorId' | 'newVisitorId'>,
  site: HitSite,
): string | undefined {
  return content.visitorId ?? (site.trackingMode === 'cookie' ? content.newVisitorId : undefined)
}

/**
 * Completes the hit of a body with id, time, site, sender and location. The client address does not become part of the hit.
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
    location: Location
    salts: Salts | undefined
  },
): RoutedHit {
  const { id, at, site, sender, location, salts } = from
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
  // Also a stage of `enrich`. Done here too, so that text beyond the limits takes no memory in Redis.
  completeError(hit)
  hit.userAgent = sender.userAgent.slice(0, 1_000) || undefined
  hit.country = location.country || undefined
  hit.region = location.region || undefined
  hit.city = location.city || undefined
  const origin = givenId ?? `${sender.address}\n${sender.userAgent}`
  return { hit, partition: partitionOf(site.siteId, origin) }
}

/** Uses a hash without the daily salt, so that a visitor stays in one partition over midnight. */
function partitionOf(siteId: string, origin: string): number {
  return Number.parseInt(hash('sha1', siteId + origin).slice(0, 8), 16) % PARTITIONS
}

/**
 * Verifies that the site's own server signed the identity. The tracking key proves nothing: it is public in every page.
 * @param identifier the identifier in the form in which it is stored
 * @param signature HMAC-SHA-256 of the identifier in hex digits; may be any value, because it comes from the sender
 * @throws AppError `validation_failed`
 */
function verifyIdentity(identifier: string, signature: unknown, secret: string): void {
  if (signature === undefined || signature === null || signature === '') {
    throw refusal('is required: this site takes only identities that are signed with its identify secret')
  }
  const right = createHmac('sha256', secret).update(identifier).digest()
  const isForm = typeof signature === 'string' && /^[0-9a-f]{64}$/i.test(signature)
  if (!isForm || !timingSafeEqual(Buffer.from(signature, 'hex'), right)) {
    throw refusal(
      'does not fit: send the HMAC-SHA-256 of the identifier, keyed with the identify secret, as 64 hex digits',
    )
  }
}

const refusal = (problem: string) =>
  new AppError('validation_failed', `signature ${problem}`, { fields: { signature: [problem] } })
