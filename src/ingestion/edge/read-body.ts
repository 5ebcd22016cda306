import type { z } from 'zod'
import { validationError } from '../../platform/schema/validation.ts'
import { type AllFields, AUTOCAPTURE_TYPES, type Hit } from '../hit.ts'
import { FAST_PARSERS } from './fast-parser.ts'
import {
  type Collect,
  type CustomEvent,
  type Engage,
  type Identify,
  KEYED_SCHEMAS,
  SCHEMAS,
} from './hit-schema.ts'
import { readError, readRevenue } from './reported.ts'
import { readVitals, type WebVitals } from './web-vitals.ts'

export const ENDPOINTS = ['collect', 'event', 'engage', 'identify', 'web-vitals'] as const
export type Endpoint = (typeof ENDPOINTS)[number]

/** Content of a body; sender, time and site are still blank in its hit. */
export interface Content {
  visitorId: string | undefined
  /** Used only if the site's tracking mode is `cookie`. */
  newVisitorId: string | undefined
  /** Signature of the identity; not validated yet. */
  signature: unknown
  hit: Hit
}

/**
 * Reads the body of a request.
 * @throws AppError `validation_failed`, fields named
 */
export function readKeyedBody(endpoint: Endpoint, body: unknown): { key: string; content: Content } {
  const fast = endpoint === 'web-vitals' ? undefined : FAST_PARSERS[endpoint](body)
  const input = fast ?? parse(KEYED_SCHEMAS[endpoint] as z.ZodType<{ key: string }>, body)
  return { key: input.key, content: READERS[endpoint](input as never) }
}

/**
 * Reads the body of a hit whose site is already known; ignores a key in the body.
 * @throws AppError `validation_failed`, fields named
 */
export function readBody(endpoint: Endpoint, body: unknown): Content {
  return READERS[endpoint](parse(SCHEMAS[endpoint] as z.ZodType, body) as never)
}

const READERS: {
  collect(input: Collect): Content
  event(input: CustomEvent): Content
  engage(input: Engage): Content
  identify(input: Identify): Content
  'web-vitals'(input: WebVitals): Content
} = {
  collect(input) {
    return content(input, 'pageview', { device: input, page: input.url, props: input.properties })
  },
  event(input) {
    const isError = input.name === 'error'
    return content(input, isError ? 'error' : eventType(input.name), {
      device: input,
      page: input.url,
      props: input.properties,
      name: input.name,
      revenue: readRevenue(input.$) ?? readRevenue(input.revenue),
      error: isError ? readError(input.error, input.properties) : undefined,
    })
  },
  engage(input) {
    return content(input, 'engagement', { page: input.url, scroll: input.sd, engagedMs: input.time })
  },
  identify(input) {
    const { identifier, name, avatar, custom, signature } = input
    const identity = withoutAbsent({ identifier, name, avatar, custom })
    return { ...content(input, 'identify', { identity }), signature }
  },
  'web-vitals': input => content(input, 'web_vitals', { page: input.url, vitals: readVitals(input) }),
}

type HitFields = Partial<
  Pick<Hit, 'name' | 'props' | 'revenue' | 'error' | 'scroll' | 'engagedMs' | 'identity' | 'vitals'>
> & {
  device?: Omit<Collect, 'url'>
  page?: { path?: string | undefined; title?: string | undefined } | undefined
}

/** Gives all hits all fields in one order: V8 is fast with objects of one shape. */
function content(
  sender: Pick<Collect, 'hostname' | 'visitor_id' | 'new_visitor_id'>,
  type: Hit['type'],
  { device, page, name, props, revenue, error, scroll, engagedMs, identity, vitals }: HitFields,
): Content {
  const hit: Omit<AllFields<Hit>, 'line'> = {
    id: '',
    at: 0,
    siteNo: 0,
    siteId: '',
    type,
    visitorId: '',
    previousVisitorId: undefined,
    hostname: sender.hostname,
    url: page?.path,
    title: page?.title,
    name,
    props,
    referrer: device?.referrer,
    userAgent: undefined,
    screenWidth: device?.screen?.width,
    screenHeight: device?.screen?.height,
    language: device?.language,
    os: device?.os,
    osVersion: device?.os_version,
    browser: device?.browser?.name,
    browserVersion: device?.browser?.version,
    device: device?.device,
    country: undefined,
    region: undefined,
    city: undefined,
    revenue,
    error,
    errorId: undefined,
    scroll,
    engagedMs,
    identity,
    vitals,
  }
  return { visitorId: sender.visitor_id, newVisitorId: sender.new_visitor_id, signature: undefined, hit }
}

const eventType = (name: string): Hit['type'] => AUTOCAPTURE_TYPES.find(type => type === name) ?? 'event'

/** Removes undefined fields: identities are merged, and an absent field must not overwrite a known value. */
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
