import { AppError } from '../../errors.ts'
import type { TrackedSite } from '../../sites/find-site.ts'
import { openIdentifySecret } from '../../sites/identify-secret.ts'
import type { Geo } from './geo.ts'
import { newHitId } from './hit-id.ts'
import { verifyIdentity } from './identify-signature.ts'
import {
  type DropReason,
  dropReason,
  givenVisitorId,
  makeHit,
  type RoutedHit,
  type Sender,
} from './make-hit.ts'
import { type Endpoint, readKeyedBody } from './read-body.ts'
import type { SiteKeys } from './site-keys.ts'
import type { SaltStore } from './visitor-ids.ts'

export { ENDPOINTS, type Endpoint } from './read-body.ts'

export type Accepted = (RoutedHit & { site: TrackedSite }) | { dropped: DropReason }

export interface Edge {
  siteKeys: SiteKeys
  salts: SaltStore
  geo: Geo
  /** Key that decrypts the identify secrets of sites; 64 hex digits. */
  secretKey: string
}

/**
 * Validates a request body and turns it into a hit without the client address.
 * @param now Unix milliseconds: the time of the hit
 * @throws AppError `validation_failed` with the names of the fields (also for an unsigned identity if the site requires
 * signatures), `not_found` for an unknown tracking key
 */
export async function accept(
  edge: Edge,
  endpoint: Endpoint,
  body: unknown,
  sender: Sender,
  now: number,
): Promise<Accepted> {
  const { key, content } = readKeyedBody(endpoint, body)
  // Await only a real promise: site and salts are nearly always cached, and an await costs as much as the validation.
  const found = edge.siteKeys.find(key)
  const site = found instanceof Promise ? await found : found
  if (!site) throw new AppError('not_found', 'No site has this tracking key')
  const { identifySecret } = site
  const { identity } = content.hit
  if (identifySecret && identity) {
    const secret = openIdentifySecret({ ...site, identifySecret }, edge.secretKey)
    verifyIdentity(identity.identifier, content.signature, secret)
  }
  const dropped = dropReason(content, sender)
  if (dropped) return { dropped }
  let salts = givenVisitorId(content, site) ? undefined : edge.salts.at(now)
  if (salts instanceof Promise) salts = await salts
  const place = edge.geo.locate(sender.address)
  const { hit, partition } = makeHit(content, { id: newHitId(now), at: now, site, sender, place, salts })
  return { hit, partition, site }
}
