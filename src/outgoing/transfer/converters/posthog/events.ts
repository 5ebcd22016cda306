import { isCrawler } from '../../../../ingestion/stages/crawler.ts'
import type { JsonObject } from '../../read/json-lines.ts'
import { parseObject } from '../../read/json-lines.ts'
import { readTime } from '../../read/times.ts'
import type { Converted } from '../converter.ts'
import { readDevice } from '../fields/device.ts'
import {
  customEvent,
  line,
  pageview,
  readName,
  readReferrer,
  readTitle,
  type Sender,
} from '../fields/lines.ts'
import { objectIn } from '../fields/objects.ts'
import { readHostname, readPage, UTM_NAMES, withTags } from '../fields/page.ts'
import { readPlace } from '../fields/place.ts'
import { readProperties } from '../fields/properties.ts'
import { plainNumber, plainText, type Texts } from '../fields/texts.ts'
import { NO_TIME, validTime } from '../fields/times.ts'
import { visitorIdOf } from '../visitor-id.ts'
import { captured } from './autocapture.ts'
import type { Context, Read } from './context.ts'
import { engagementOf } from './engagement.ts'
import { errorOf } from './exceptions.ts'
import { identityOf } from './identify.ts'
import { vitalsOf } from './vitals.ts'

/** Yields the hits of an event. */
export function* convertEvent(
  event: JsonObject,
  { options, texts, identified, views }: Context,
): Generator<Converted> {
  const name = readName(event.event, texts)
  if (!name) return yield { left: 'event without name' }
  const properties = propertiesIn(event.properties)
  const at = validTime(readTime(plainText(event.timestamp), 'UTC'))
  if (at === undefined) return yield { left: NO_TIME }
  const userAgent = plainText(properties.$raw_user_agent) ?? plainText(properties.$user_agent)
  if (properties.$browser_type === 'bot' || isCrawler(userAgent)) return yield { left: 'crawler' }
  const visitor = visitorOf(event, properties)
  if (!visitor) return yield { left: 'no visitor' }

  const page = readPage(properties.$current_url, texts)
  const hostname = page?.hostname ?? readHostname(properties.$host, texts) ?? options.domain
  if (options.website !== undefined && hostname !== options.website.toLowerCase()) {
    return yield { left: 'another website' }
  }
  const sender: Sender = {
    at,
    hostname,
    visitorId: visitorIdOf('posthog', visitor),
    userAgent: userAgent?.slice(0, 1_000),
    location: readPlace({
      country: properties.$geoip_country_code,
      region: properties.$geoip_subdivision_1_code,
      city: properties.$geoip_city_name,
    }),
  }
  const path = page && withTags(page.path, tagsOf(properties), texts)
  const read = { event, name, properties, sender, path }
  const engaged = engagementOf(read, views)
  if (engaged) yield engaged
  const hit = hitOf(read, texts)
  if (hit) yield hit
  else if (!engaged) yield { left: name === '$pageleave' ? 'page left without time and scroll depth' : LEFT }
  yield* identityOf(read, visitor, { texts, identified })
}

const LEFT = 'event of PostHog itself'

/** Batch exports and the API have an object; some destinations have its JSON. */
function propertiesIn(value: unknown): JsonObject {
  return typeof value === 'string' ? (parseObject(value).value ?? {}) : objectIn(value)
}

/** The device stays the same when its user signs in. */
function visitorOf(event: JsonObject, properties: JsonObject): string | undefined {
  return (
    plainText(properties.$device_id) ??
    plainText(properties.$anon_distinct_id) ??
    plainText(event.distinct_id)
  )
}

const tagsOf = (properties: JsonObject) => Object.fromEntries(UTM_NAMES.map(name => [name, properties[name]]))

/** What is not sent as an event of the site: pages, captures, errors. Undefined for an event without hit. */
function hitOf(read: Read, texts: Texts): Converted | undefined {
  const { name, properties, sender, path, event } = read
  if (name === '$pageview') {
    const fields = { ...seenOf(properties, texts), properties: readProperties(ownOf(properties), texts) }
    return path ? pageview(sender, { ...fields, path }) : { left: 'no page' }
  }
  if (name === '$screen') return { left: 'screen of an app' }
  if (name === '$web_vitals') {
    const vitals = path && vitalsOf(event.uuid ?? event.id, properties)
    return vitals
      ? line('web-vitals', sender, { url: { path }, ...vitals })
      : { left: 'web vitals without values' }
  }
  if (name === '$exception') {
    return customEvent(sender, {
      ...seenOf(properties, texts),
      name: 'error',
      path,
      error: errorOf(properties),
    })
  }
  if (name === '$autocapture' || name === '$copy_autocapture') {
    const capture = captured(event, properties)
    if (!capture) return { left: 'click or change that this service does not capture' }
    const fields = { ...seenOf(properties, texts), properties: readProperties(capture.properties, texts) }
    return customEvent(sender, { ...fields, name: capture.name, path })
  }
  if (name.startsWith('$')) return undefined
  const fields = { ...seenOf(properties, texts), properties: readProperties(ownOf(properties), texts) }
  return customEvent(sender, { ...fields, name, path, revenue: revenueOf(properties) })
}

function seenOf(properties: JsonObject, texts: Texts) {
  const referrer = plainText(properties.$referrer)
  return {
    title: readTitle(properties.title ?? properties.$title, texts),
    referrer: referrer?.startsWith('$') ? undefined : readReferrer(referrer, texts),
    device: readDevice(
      {
        width: properties.$screen_width,
        height: properties.$screen_height,
        language: properties.$browser_language,
        os: properties.$os,
        osVersion: properties.$os_version,
        browser: properties.$browser,
        browserVersion: properties.$browser_version,
        kind: properties.$device_type,
      },
      texts,
    ),
  }
}

/** Properties that PostHog's scripts add without a `$`. */
const ADDED = new Set<string>([
  ...UTM_NAMES,
  ...[
    'title',
    'token',
    'distinct_id',
    'gclid',
    'gad_source',
    'gclsrc',
    'dclid',
    'gbraid',
    'wbraid',
    'fbclid',
    'msclkid',
  ],
  ...[
    'twclid',
    'li_fat_id',
    'mc_cid',
    'igshid',
    'ttclid',
    'rdt_cid',
    'epik',
    'qclid',
    'sccid',
    'irclid',
    '_kx',
  ],
])

/** Properties that the site gave itself. */
const ownOf = (properties: JsonObject) =>
  Object.entries(properties).filter(([key]) => !key.startsWith('$') && !ADDED.has(key))

/** PostHog has no field of its own for money; its documentation names these two. */
function revenueOf(properties: JsonObject): { amount: number; currency: string } | undefined {
  const amount = plainNumber(properties.revenue)
  const currency = plainText(properties.currency)
  return amount && amount > 0 && currency && /^[A-Z]{3}$/i.test(currency) ? { amount, currency } : undefined
}
