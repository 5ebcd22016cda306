import type { z } from 'zod'
import { validationError } from '../../infra/validation.ts'
import { AUTOCAPTURE_TYPES, type Hit, type HitType } from '../hit.ts'
import { readError, readRevenue } from './reported.ts'
import {
  type Collect,
  type CustomEvent,
  type Engage,
  type Identify,
  KEYED_SCHEMAS,
  SCHEMAS,
} from './schema.ts'

export const ENDPOINTS = ['collect', 'event', 'engage', 'identify'] as const
export type Endpoint = (typeof ENDPOINTS)[number]

/** What a body says, whoever sent it and when. */
export interface Content {
  hostname: string
  visitorId: string | undefined
  /** Counts only where visitors have cookies. */
  newVisitorId: string | undefined
  type: HitType
  fields: Partial<Hit>
}

/**
 * Reads the body of a request.
 * @throws AppError `validation_failed`, fields named
 */
export function readKeyedBody(endpoint: Endpoint, body: unknown): { key: string; content: Content } {
  const input = parse(KEYED_SCHEMAS[endpoint], body)
  return { key: input.key, content: READERS[endpoint](input as never) }
}

/**
 * Reads the body of a hit whose site is known already; a key in it is not looked at.
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
} = {
  collect(input) {
    return content(input, 'pageview', { ...deviceOf(input), ...pageOf(input.url), props: input.properties })
  },
  event(input) {
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
  engage(input) {
    return content(input, 'engagement', { ...pageOf(input.url), scroll: input.sd, engagedMs: input.time })
  },
  identify(input) {
    const { identifier, name, avatar, custom } = input
    return content(input, 'identify', { identity: withoutAbsent({ identifier, name, avatar, custom }) })
  },
}

function content(
  input: { hostname: string; visitor_id?: string | undefined; new_visitor_id?: string | undefined },
  type: HitType,
  fields: { [Field in keyof Hit]?: Hit[Field] | undefined },
): Content {
  return {
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
