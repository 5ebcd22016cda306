import { mend } from '../../platform/schema/validation.ts'
import type { Collect, CustomEvent, Engage } from './hit-schema.ts'
import { readProperties } from './hit-schema.ts'

// Fast parser for the bodies that trackers usually send, at a tenth of the cost of the schemas. The schemas are the
// definition: the caller falls back to them for every other body, and a test compares the results of both.

type Body = Readonly<Record<string, unknown>>
type Keyed<Input> = Input & { key: string }

/**
 * Fast parsers by endpoint. Each lists all fields by name: spreading shared objects takes longer than all the checks.
 * @returns the result of the keyed schema of the same name; undefined if the caller must use the schema
 */
export const FAST_PARSERS = {
  collect: orFallback(
    (body): Keyed<Collect> => ({
      key: uuidIn(body.key),
      hostname: required(body.hostname, 255),
      visitor_id: optionalUuid(body.visitor_id),
      new_visitor_id: optionalUuid(body.new_visitor_id),
      referrer: optional(body.referrer, 2048),
      screen: screenIn(body.screen),
      language: optional(body.language, 35),
      os: optional(body.os, 50),
      os_version: optional(body.os_version, 50),
      browser: browserIn(body.browser),
      device: optionalDevice(body.device),
      url: pageIn(body.url),
      properties: propertiesIn(body.properties),
    }),
  ),
  event: orFallback(
    (body): Keyed<CustomEvent> => ({
      key: uuidIn(body.key),
      hostname: required(body.hostname, 255),
      visitor_id: optionalUuid(body.visitor_id),
      new_visitor_id: optionalUuid(body.new_visitor_id),
      referrer: optional(body.referrer, 2048),
      screen: screenIn(body.screen),
      language: optional(body.language, 35),
      os: optional(body.os, 50),
      os_version: optional(body.os_version, 50),
      browser: browserIn(body.browser),
      device: optionalDevice(body.device),
      name: required(body.name, 255),
      url: optionalPageIn(body.url),
      properties: propertiesIn(body.properties),
      $: body.$,
      revenue: body.revenue,
      error: body.error,
    }),
  ),
  engage: orFallback(
    (body): Keyed<Engage> => ({
      key: uuidIn(body.key),
      hostname: required(body.hostname, 255),
      visitor_id: optionalUuid(body.visitor_id),
      new_visitor_id: optionalUuid(body.new_visitor_id),
      url: pageIn(body.url),
      sd: Math.min(integer(body.sd, Number.MAX_SAFE_INTEGER), 100),
      time: integer(body.time, 4_294_967_295),
    }),
  ),
  /** Always uses the schema: identify requests are rare. */
  identify: () => undefined,
}

/** Thrown where only the schema can read the body. Created once: creating an Error is slow, and its stack trace is not used. */
const FALLBACK = new Error('only the schema can read this body')

function orFallback<Input>(read: (body: Body) => Input): (body: unknown) => Input | undefined {
  return body => {
    try {
      return read(objectIn(body))
    } catch (error) {
      if (error === FALLBACK) return undefined
      throw error
    }
  }
}

function objectIn(value: unknown): Body {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw FALLBACK
  return value as Body
}

function optionalObject(value: unknown): Body | undefined {
  return value === undefined || value === null ? undefined : objectIn(value)
}

function pageIn(value: unknown) {
  const { path, title } = objectIn(value)
  return { path: required(path, 2048), title: optional(title, 512) }
}

function optionalPageIn(value: unknown) {
  const page = optionalObject(value)
  return page && { path: optional(page.path, 2048), title: optional(page.title, 512) }
}

function screenIn(value: unknown) {
  const screen = optionalObject(value)
  return screen && { width: optionalPixels(screen.width), height: optionalPixels(screen.height) }
}

function browserIn(value: unknown) {
  const browser = optionalObject(value)
  return browser && { name: optional(browser.name, 50), version: optional(browser.version, 50) }
}

/** Text of at most `max` UTF-16 units; the schema counts code points and can accept a longer text. */
function required(value: unknown, max: number): string {
  if (typeof value !== 'string') throw FALLBACK
  const text = mend(value)
  if (text === '' || text.length > max) throw FALLBACK
  return text
}

function optional(value: unknown, max: number): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : required(value, max)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function uuidIn(value: unknown): string {
  if (typeof value !== 'string' || !UUID.test(value)) throw FALLBACK
  return value.toLowerCase()
}

function optionalUuid(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : uuidIn(value)
}

function integer(value: unknown, max: number): number {
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > max) throw FALLBACK
  return value as number
}

function optionalPixels(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : integer(value, 65_535)
}

function optionalDevice(value: unknown): 'desktop' | 'mobile' | 'tablet' | undefined {
  if (value === undefined || value === null) return undefined
  if (value !== 'desktop' && value !== 'mobile' && value !== 'tablet') throw FALLBACK
  return value
}

function propertiesIn(value: unknown): Record<string, string> | undefined {
  const read = readProperties(value)
  if (read && 'problem' in read) throw FALLBACK
  return read?.properties
}
