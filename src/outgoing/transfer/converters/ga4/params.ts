import type { JsonObject } from '../../read/json-lines.ts'
import { captureOf, fileOf } from '../fields/captures.ts'
import { readDevice } from '../fields/device.ts'
import { arrayIn, objectIn } from '../fields/objects.ts'
import { plainText, type Texts } from '../fields/texts.ts'

export type Params = Map<string, unknown>

/** Parameters are a list of `{key, value: {string_value | int_value | float_value | double_value}}`. */
export function paramsOf(list: unknown): Params {
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
export const OWN_PARAMS = new Set([
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
export function capturedAs(
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

export function deviceOf(event: JsonObject, params: Params, texts: Texts) {
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
