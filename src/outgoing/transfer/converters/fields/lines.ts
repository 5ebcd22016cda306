import { isReservedName } from '../../../../storage/events/reserved-names.ts'
import type { Converted, HitLine } from '../converter.ts'
import type { Device } from './device.ts'
import type { Properties } from './properties.ts'
import { LIMITS, type Texts } from './texts.ts'
import { isoTime, NO_TIME } from './times.ts'

/** What all hits of a row have in common. */
export interface Sender {
  /** Unix milliseconds. */
  at: number | undefined
  hostname: string
  /** Undefined: a hash of address and user agent. */
  visitorId?: string | undefined
  ip?: string | undefined
  userAgent?: string | undefined
  location?: HitLine['location'] | undefined
}

interface Seen {
  title?: string | undefined
  referrer?: string | undefined
  device?: Device | undefined
  properties?: Properties | undefined
}

/** @param view.path with query, at most 2,048 characters */
export function pageview(from: Sender, view: Seen & { path: string }): Converted {
  const { path, title, referrer, device, properties } = view
  return line('collect', from, {
    url: { path, ...(title && { title }) },
    ...seen(referrer, device, properties),
  })
}

/** An event of the site's own, or an autocapture under its name. A reserved name is left out. */
export function customEvent(
  from: Sender,
  event: Seen & {
    name: string
    path?: string | undefined
    revenue?: { amount: number; currency: string } | undefined
    error?: Record<string, unknown> | undefined
  },
): Converted {
  const { name, path, title, referrer, device, properties, revenue, error } = event
  if (isReservedName(name)) return { left: 'event name that only this service may use' }
  return line('event', from, {
    name,
    ...(path && { url: { path, ...(title && { title }) } }),
    ...seen(referrer, device, properties),
    ...(revenue && { revenue }),
    ...(error && { error }),
  })
}

/**
 * Engagement with a page.
 * @param done.ms engaged time
 * @param done.scroll deepest scroll in percent; undefined when it is not known
 * @returns undefined when neither is known
 */
export function engagement(
  from: Sender,
  done: { path: string; ms?: number | undefined; scroll?: number | undefined },
): Converted | undefined {
  const time = Math.min(Math.max(Math.round(done.ms ?? 0), 0), 4_294_967_295)
  const scroll = done.scroll === undefined ? undefined : Math.min(Math.max(Math.round(done.scroll), 0), 100)
  if (time === 0 && scroll === undefined) return undefined
  return line('engage', from, { url: { path: done.path }, ...(scroll !== undefined && { sd: scroll }), time })
}

/** Who a visitor is. */
export function identity(
  from: Sender,
  who: {
    identifier: string
    name?: string | undefined
    avatar?: string | undefined
    custom?: Properties | undefined
  },
): Converted {
  const { identifier, name, avatar, custom } = who
  return line('identify', from, {
    identifier,
    ...(name && { name }),
    ...(avatar && { avatar }),
    ...(custom && { custom }),
  })
}

/** Returns the line of a body that begins with host and visitor. */
export function line(endpoint: HitLine['endpoint'], from: Sender, body: Record<string, unknown>): Converted {
  const timestamp = isoTime(from.at)
  if (!timestamp) return { left: NO_TIME }
  return {
    hit: {
      endpoint,
      timestamp,
      ...(from.ip && { ip: from.ip }),
      ...(from.userAgent && { user_agent: from.userAgent }),
      ...(from.location && { location: from.location }),
      body: { hostname: from.hostname, ...(from.visitorId && { visitor_id: from.visitorId }), ...body },
    },
  }
}

function seen(referrer: string | undefined, device: Device | undefined, properties: Properties | undefined) {
  return { ...(referrer && { referrer }), ...device, ...(properties && { properties }) }
}

/** Returns the name of an event within its limit; undefined when there is none. */
export const readName = (value: unknown, texts: Texts) => texts.read(value, LIMITS.name, 'name of an event')
export const readTitle = (value: unknown, texts: Texts) => texts.read(value, LIMITS.title, 'title')
export const readReferrer = (value: unknown, texts: Texts) => texts.read(value, LIMITS.referrer, 'referrer')
