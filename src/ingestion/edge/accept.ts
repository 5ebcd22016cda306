import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { AppError } from '../../errors.ts'
import { PARTITIONS } from '../../infra/queue.ts'
import { validationError } from '../../infra/validation.ts'
import type { TrackedSite } from '../../sites/find-site.ts'
import { AUTOCAPTURE_TYPES, type Hit, type HitType } from '../hit.ts'
import { isReservedName } from '../reserved-names.ts'
import { isCrawler } from '../stages/crawler.ts'
import type { Geo } from './geo.ts'
import { newHitId } from './hit-id.ts'
import { readError, readRevenue } from './reported.ts'
import { Collect, CustomEvent, Engage, Identify } from './schema.ts'
import type { SiteKeys } from './site-keys.ts'
import { type SaltStore, visitorIdFor } from './visitor-ids.ts'

export const ENDPOINTS = ['collect', 'event', 'engage', 'identify'] as const
export type Endpoint = (typeof ENDPOINTS)[number]

/** Why a well-formed hit is answered 202 and not recorded; the closed set of values of `X-Hit-Dropped`. */
export type DropReason = 'bot' | 'reserved_name'

export interface Sender {
  /** Client address; it ends here. */
  address: string
  userAgent: string
}

export type Accepted = { hit: Hit; partition: number; site: TrackedSite } | { dropped: DropReason }

export interface Edge {
  siteKeys: SiteKeys
  salts: SaltStore
  geo: Geo
}

/**
 * The edge half of ingestion: validates a body and turns it into a hit that carries no client address.
 * @param now Unix milliseconds: the time of the hit
 * @throws AppError `validation_failed` (fields named), `not_found` for an unknown tracking key
 */
export async function accept(
  edge: Edge,
  endpoint: Endpoint,
  body: unknown,
  sender: Sender,
  now: number,
): Promise<Accepted> {
  const content = READERS[endpoint](body)
  const site = await edge.siteKeys.find(content.key)
  if (!site) throw new AppError('not_found', 'No site has this tracking key')
  if (isCrawler(sender.userAgent)) return { dropped: 'bot' }
  if (content.type === 'event' && isReservedName(content.fields.name!)) return { dropped: 'reserved_name' }

  const hit: Hit = {
    id: newHitId(now),
    at: now,
    siteNo: site.siteNo,
    siteId: site.siteId,
    type: content.type,
    visitorId: '',
    hostname: content.hostname,
    ...content.fields,
  }
  if (sender.userAgent) hit.userAgent = sender.userAgent.slice(0, 1_000)
  const place = edge.geo.locate(sender.address)
  if (place.country) hit.country = place.country
  if (place.region) hit.region = place.region
  if (place.city) hit.city = place.city
  const ownId = content.visitorId ?? (site.trackingMode === 'cookie' ? content.newVisitorId : undefined)
  if (ownId) {
    hit.visitorId = ownId
  } else {
    const salts = await edge.salts.at(now)
    hit.visitorId = visitorIdFor(salts.today, site.siteId, sender.address, sender.userAgent)
    if (salts.yesterday) {
      hit.previousVisitorId = visitorIdFor(salts.yesterday, site.siteId, sender.address, sender.userAgent)
    }
  }
  const origin = ownId ?? `${sender.address}\n${sender.userAgent}`
  return { hit, partition: partitionOf(site.siteId, origin), site }
}

/** Two bits of a hash that does not rotate, so that a visitor stays in one partition over midnight. */
function partitionOf(siteId: string, origin: string): number {
  return createHash('sha1').update(siteId).update(origin).digest().readUInt32BE(0) % PARTITIONS
}

interface Content {
  key: string
  hostname: string
  visitorId: string | undefined
  /** Counts only where visitors have cookies. */
  newVisitorId: string | undefined
  type: HitType
  fields: Partial<Hit>
}

const READERS: Record<Endpoint, (body: unknown) => Content> = {
  collect(body) {
    const input = parse(Collect, body)
    return content(input, 'pageview', { ...deviceOf(input), ...pageOf(input.url), props: input.properties })
  },
  event(body) {
    const input = parse(CustomEvent, body)
    const fields: Partial<Hit> = {
      ...deviceOf(input),
      ...pageOf(input.url),
      name: input.name,
      props: input.properties,
      revenue: readRevenue(input.$) ?? readRevenue(input.revenue),
    }
    if (input.name !== 'error') return content(input, eventType(input.name), fields)
    return content(input, 'error', { ...fields, error: readError(input.error, input.properties) })
  },
  engage(body) {
    const input = parse(Engage, body)
    return content(input, 'engagement', { ...pageOf(input.url), scroll: input.sd, engagedMs: input.time })
  },
  identify(body) {
    const input = parse(Identify, body)
    const { identifier, name, avatar, custom } = input
    return content(input, 'identify', { identity: withoutAbsent({ identifier, name, avatar, custom }) })
  },
}

function content(
  input: {
    key: string
    hostname: string
    visitor_id?: string | undefined
    new_visitor_id?: string | undefined
  },
  type: HitType,
  fields: { [Field in keyof Hit]?: Hit[Field] | undefined },
): Content {
  return {
    key: input.key,
    hostname: input.hostname,
    visitorId: input.visitor_id,
    newVisitorId: input.new_visitor_id,
    type,
    fields: withoutAbsent(fields),
  }
}

function deviceOf(input: Collect | CustomEvent) {
  return {
    referrer: input.referrer,
    screenWidth: input.screen?.width,
    screenHeight: input.screen?.height,
    language: input.language,
    os: input.os,
    osVersion: input.os_version,
    browser: input.browser?.name,
    browserVersion: input.browser?.version,
    device: input.device,
  }
}

const pageOf = (url: { path?: string | undefined; title?: string | undefined } | undefined) => ({
  url: url?.path,
  title: url?.title,
})

const eventType = (name: string): HitType => AUTOCAPTURE_TYPES.find(type => type === name) ?? 'event'

function withoutAbsent<Fields extends object>(
  fields: Fields,
): { [Field in keyof Fields]: NonNullable<Fields[Field]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw validationError(parsed.error)
}
