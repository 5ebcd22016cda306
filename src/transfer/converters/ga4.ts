import type { JsonObject } from '../read/json-lines.ts'
import type { Converted, Converter, ConvertOptions } from './converter.ts'
import { captureOf, fileOf } from './fields/captures.ts'
import { readDevice } from './fields/device.ts'
import { Identified } from './fields/identified.ts'
import {
  customEvent,
  engagement,
  identity,
  pageview,
  readName,
  readReferrer,
  readTitle,
  type Sender,
} from './fields/lines.ts'
import { arrayIn, objectIn, readObjects } from './fields/objects.ts'
import { readHostname, readPage, type Tags, withTags } from './fields/page.ts'
import { countryOfName, readPlace } from './fields/place.ts'
import { readProperties } from './fields/properties.ts'
import { plainNumber, plainText, Texts } from './fields/texts.ts'
import { NO_TIME, validTime } from './fields/times.ts'
import { visitorIdOf } from './visitor-id.ts'

const FILE = 'the tables events_YYYYMMDD of the BigQuery export of Google Analytics 4, as JSON lines'

/**
 * The BigQuery export of Google Analytics 4.
 * @see https://support.google.com/analytics/answer/7029846
 */
export const ga4: Converter = {
  title: 'Google Analytics 4 (BigQuery export)',
  file: FILE,
  notes: [
    'Hits without user_pseudo_id, of visitors who did not consent, are left out: nothing tells which of them belong together.',
    'first_visit, session_start and similar events that Google derives are left out; sessions follow the rules of this service.',
    'Hits that a browser sent together have one time.',
    'Regions have only names in the export, which are not carried over; countries and cities are. Screens are not in the export.',
    'Google knows only that 90 percent of a page were scrolled. Engaged time has no scroll depth.',
    'Events of apps are left out. What Google models or estimates is not in the export.',
  ],
  async *convert(file, options) {
    const texts = new Texts()
    const identified = new Identified()
    const isEvent = (value: JsonObject) => 'event_name' in value && 'event_timestamp' in value
    for await (const item of readObjects(file, isEvent, FILE)) {
      if (!item.value) yield item
      else {
        yield* convertEvent(item.value, options, texts, identified)
        yield* texts.taken()
      }
    }
  },
}

/** Events that Google derives, or that say nothing which a hit does not. */
const DERIVED = new Set(['session_start', 'first_visit', 'first_open', 'user_engagement', 'scroll'])

function* convertEvent(
  event: JsonObject,
  options: ConvertOptions,
  texts: Texts,
  identified: Identified,
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
  const hit =
    name === 'page_view' || !DERIVED.has(name) ? hitOf(event, name, params, sender, path, texts) : undefined
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

function hitOf(
  event: JsonObject,
  name: string,
  params: Params,
  sender: Sender,
  path: string | undefined,
  texts: Texts,
): Converted {
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

type Params = Map<string, unknown>

/** Parameters are a list of `{key, value: {string_value | int_value | float_value | double_value}}`. */
function paramsOf(list: unknown): Params {
  const params: Params = new Map()
  for (const entry of arrayIn(list)) {
    const { key, value } = objectIn(entry)
    const { string_value, int_value, float_value, double_value } = objectIn(value)
    const given = string_value ?? int_value ?? double_value ?? float_value
    if (typeof key === 'string' && given !== undefined && given !== null) params.set(key, given)
  }
  return params
}

/** Parameters that become fields of a hit, or that only Google needs. */
const OWN_PARAMS = new Set([
  ...[
    'page_location',
    'page_title',
    'page_referrer',
    'page_path',
    'engagement_time_msec',
    'percent_scrolled',
  ],
  ...['ga_session_id', 'ga_session_number', 'session_engaged', 'engaged_session_event', 'entrances'],
  ...[
    'batch_page_id',
    'batch_ordering_id',
    'debug_mode',
    'debug_event',
    'ignore_referrer',
    'unique_search_term',
  ],
  ...[
    'source',
    'medium',
    'campaign',
    'campaign_id',
    'term',
    'content',
    'gclid',
    'dclid',
    'srsltid',
    'synthetic_bundle',
  ],
  ...['screen_resolution', 'language'],
])

/** Events of the enhanced measurement that the tracker of this service captures, too. */
function capturedAs(
  name: string,
  params: Params,
): { name: string; properties: [string, unknown][] } | undefined {
  const url = params.get('link_url')
  const link = { id: params.get('link_id'), tag: 'a', classes: params.get('link_classes'), url }
  if (name === 'click' && url !== undefined) {
    return { name: 'outbound', properties: captureOf({ ...link, text: params.get('link_text') }) }
  }
  if (name === 'file_download') {
    const properties = captureOf({ ...link, text: params.get('link_text') })
    return { name: 'download', properties: [...properties, ['file', fileOf(url ?? params.get('file_name'))]] }
  }
  if (name === 'form_submit') {
    const form = { id: params.get('form_id'), tag: 'form', url: params.get('form_destination') }
    return { name: 'form', properties: captureOf(form) }
  }
  return undefined
}

function tagsOf(event: JsonObject, params: Params): Tags {
  const collected = objectIn(event.collected_traffic_source)
  return { gclid: params.get('gclid') ?? collected.gclid }
}

function placeOf(event: JsonObject) {
  const { country, city } = objectIn(event.geo)
  return readPlace({ country: countryOfName(country), city })
}

function deviceOf(event: JsonObject, params: Params, texts: Texts) {
  const device = objectIn(event.device)
  const web = objectIn(device.web_info)
  const [width, height] = (plainText(params.get('screen_resolution')) ?? '').split('x')
  return readDevice(
    {
      width,
      height,
      language: device.language ?? params.get('language'),
      os: device.operating_system,
      // `Windows 10`, `Macintosh Intel 10.15`: the name stands before the version.
      osVersion: plainText(device.operating_system_version)?.replace(/^\D+/, ''),
      browser: web.browser ?? device.browser,
      browserVersion: web.browser_version ?? device.browser_version,
      kind: device.category,
    },
    texts,
  )
}

/** Only purchases report revenue; `value` of other events is an estimate. */
function revenueOf(event: JsonObject, params: Params): { amount: number; currency: string } | undefined {
  if (event.event_name !== 'purchase') return undefined
  const ecommerce = objectIn(event.ecommerce)
  const amount = plainNumber(params.get('value')) ?? plainNumber(ecommerce.purchase_revenue)
  const currency = plainText(params.get('currency'))
  return amount && amount > 0 && currency && /^[A-Z]{3}$/i.test(currency) ? { amount, currency } : undefined
}
