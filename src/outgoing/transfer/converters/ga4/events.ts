import type { JsonObject } from '../../read/json-lines.ts'
import type { Converted, ConvertOptions } from '../converter.ts'
import type { Identified } from '../fields/identified.ts'
import {
  customEvent,
  engagement,
  identity,
  pageview,
  readName,
  readReferrer,
  readTitle,
  type Sender,
} from '../fields/lines.ts'
import { objectIn } from '../fields/objects.ts'
import { readHostname, readPage, type Tags, withTags } from '../fields/page.ts'
import { countryOfName, readPlace } from '../fields/place.ts'
import { readProperties } from '../fields/properties.ts'
import { plainNumber, plainText, type Texts } from '../fields/texts.ts'
import { NO_TIME, validTime } from '../fields/times.ts'
import { visitorIdOf } from '../visitor-id.ts'
import { capturedAs, deviceOf, OWN_PARAMS, type Params, paramsOf } from './params.ts'

/** Events that Google derives, or that say nothing which a hit does not. */
const DERIVED = new Set(['session_start', 'first_visit', 'first_open', 'user_engagement', 'scroll'])

/** What is the same for all events of a file. */
export interface Context {
  options: ConvertOptions
  texts: Texts
  identified: Identified
}

/** Yields the hits of an event. */
export function* convertEvent(
  event: JsonObject,
  { options, texts, identified }: Context,
): Generator<Converted> {
  const platform = plainText(event.platform)
  if (platform && platform !== 'WEB') return yield { left: 'event of an app' }
  if (options.website !== undefined && plainText(event.stream_id) !== options.website) {
    return yield { left: 'another website' }
  }
  const at = validTime(Math.floor((plainNumber(event.event_timestamp) ?? Number.NaN) / 1_000))
  if (at === undefined) return yield { left: NO_TIME }
  const visitor = plainText(event.user_pseudo_id)
  if (!visitor) return yield { left: 'no visitor: consent was not given' }
  const name = readName(event.event_name, texts)
  if (!name) return yield { left: 'event without name' }

  const params = paramsOf(event.event_params)
  const page = readPage(params.get('page_location'), texts)
  const web = objectIn(objectIn(event.device).web_info)
  const sender: Sender = {
    at,
    hostname: page?.hostname ?? readHostname(web.hostname, texts) ?? options.domain,
    visitorId: visitorIdOf('ga4', visitor),
    location: placeOf(event),
  }
  const path = page && withTags(page.path, tagsOf(event, params), texts)
  const hit = DERIVED.has(name) ? undefined : hitOf({ event, name, params, sender, path }, texts)
  if (hit) yield hit
  const isScroll = name === 'scroll'
  const done = {
    path: page?.path ?? '',
    ms: plainNumber(params.get('engagement_time_msec')),
    scroll: isScroll ? (plainNumber(params.get('percent_scrolled')) ?? 90) : undefined,
  }
  const engaged = page && engagement(sender, done)
  if (engaged) yield engaged
  else if (!hit) yield { left: 'event that Google derives' }
  const identifier = texts.read(event.user_id, 255, 'id of a user')
  if (identifier && identified.isDue(sender.visitorId!, identifier, at)) {
    yield identity(sender, { identifier, custom: readProperties(paramsOf(event.user_properties), texts) })
  }
}

interface Read {
  event: JsonObject
  name: string
  params: Params
  sender: Sender
  /** With query and tags; undefined for an event without address. */
  path: string | undefined
}

function hitOf({ event, name, params, sender, path }: Read, texts: Texts): Converted {
  const given = [...params].filter(([key]) => !OWN_PARAMS.has(key))
  const seen = {
    title: readTitle(params.get('page_title'), texts),
    referrer: readReferrer(params.get('page_referrer'), texts),
    device: deviceOf(event, params, texts),
  }
  if (name === 'page_view') {
    return path
      ? pageview(sender, { ...seen, path, properties: readProperties(given, texts) })
      : { left: 'no page' }
  }
  const captured = capturedAs(name, params)
  return customEvent(sender, {
    ...seen,
    name: captured?.name ?? name,
    path,
    properties: readProperties(captured?.properties ?? given, texts),
    revenue: captured ? undefined : revenueOf(event, params),
  })
}

function tagsOf(event: JsonObject, params: Params): Tags {
  const collected = objectIn(event.collected_traffic_source)
  return { gclid: params.get('gclid') ?? collected.gclid }
}

function placeOf(event: JsonObject) {
  const { country, city } = objectIn(event.geo)
  return readPlace({ country: countryOfName(country), city })
}

/** Only purchases report revenue; `value` of other events is an estimate. */
function revenueOf(event: JsonObject, params: Params): { amount: number; currency: string } | undefined {
  if (event.event_name !== 'purchase') return undefined
  const ecommerce = objectIn(event.ecommerce)
  const amount = plainNumber(params.get('value')) ?? plainNumber(ecommerce.purchase_revenue)
  const currency = plainText(params.get('currency'))
  return amount && amount > 0 && currency && /^[A-Z]{3}$/i.test(currency) ? { amount, currency } : undefined
}
