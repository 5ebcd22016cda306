import type { JsonObject } from '../../read/json-lines.ts'
import type { Converted, ConvertOptions, HitLine } from '../converter.ts'
import { type Device, readDevice } from '../fields/device.ts'
import { readReferrer, type Sender } from '../fields/lines.ts'
import { objectIn } from '../fields/objects.ts'
import type { Tags } from '../fields/page.ts'
import { readPlace } from '../fields/place.ts'
import { plainText, type Texts } from '../fields/texts.ts'
import { visitorIdOf } from '../visitor-id.ts'

/** What the actions of a visit share. */
export interface Visit {
  sender: Omit<Sender, 'at'>
  device: Device
  referrer: string | undefined
  tags: Tags
  /** ISO 4217; of the website. */
  currency: string | undefined
  /** Custom dimensions and variables of the visit. */
  properties: [string, unknown][]
  /** Returns the line that says who the visitor is, at the time of a hit; absent for visitors without user id. */
  identity?: (hit: HitLine) => Converted
}

/** @returns undefined when nothing tells the visitor from others */
export function readVisit(visit: JsonObject, options: ConvertOptions, texts: Texts): Visit | undefined {
  const userId = texts.read(visit.userId, 255, 'id of a user')
  const visitor = plainText(visit.visitorId) ?? plainText(visit.fingerprint) ?? plainText(visit.idVisit)
  if (!visitor) return undefined
  const [width, height] = (plainText(visit.resolution) ?? '').split('x')
  const known = (name: string, code: string) => (plainText(visit[code]) === 'UNK' ? undefined : visit[name])
  return {
    sender: {
      hostname: options.domain,
      visitorId: visitorIdOf('matomo', visitor),
      location: readPlace({ country: visit.countryCode, region: visit.regionCode, city: visit.city }),
    },
    device: readDevice(
      {
        width,
        height,
        language: visit.languageCode,
        os: known('operatingSystemName', 'operatingSystemCode'),
        osVersion: visit.operatingSystemVersion,
        browser: known('browserName', 'browserCode'),
        browserVersion: visit.browserVersion,
        kind: kindOf(visit),
      },
      texts,
    ),
    referrer: readReferrer(
      plainText(visit.referrerUrl) ??
        plainText(visit.referrerSearchEngineUrl) ??
        plainText(visit.referrerSocialNetworkUrl),
      texts,
    ),
    tags: tagsOf(visit),
    currency: plainText(visit.siteCurrency),
    properties: dimensionsOf(visit),
    ...(userId && { identity: hit => identityOf(hit, userId) }),
  }
}

/** The label of the device depends on the language of the reader; the name of its picture does not: `…/smartphone.png`. */
function kindOf(visit: JsonObject): string | undefined {
  return (
    /([a-z_]+)\.(?:png|svg|gif)$/.exec(plainText(visit.deviceTypeIcon) ?? '')?.[1] ??
    plainText(visit.deviceType)
  )
}

/** Names of the plugin Marketing Campaigns Reporting, else what Matomo itself knows of a campaign. */
function tagsOf(visit: JsonObject): Tags {
  const isCampaign = visit.referrerType === 'campaign'
  return {
    utm_source: visit.campaignSource,
    utm_medium: visit.campaignMedium,
    utm_campaign: plainText(visit.campaignName) ?? (isCampaign ? visit.referrerName : undefined),
    utm_content: visit.campaignContent,
    utm_term: plainText(visit.campaignKeyword) ?? (isCampaign ? visit.referrerKeyword : undefined),
  }
}

/** Custom dimensions (`dimension1`), and custom variables of former versions (`{"1": {customVariableName1, customVariableValue1}}`). */
export function dimensionsOf(holder: JsonObject): [string, unknown][] {
  const dimensions = Object.entries(holder).filter(([key]) => /^dimension\d+$/.test(key))
  const variables = Object.entries(objectIn(holder.customVariables)).flatMap(([index, value]) => {
    const variable = objectIn(value)
    const name = plainText(
      variable[`customVariableName${index}`] ?? variable[`customVariablePageName${index}`],
    )
    const text = variable[`customVariableValue${index}`] ?? variable[`customVariablePageValue${index}`]
    return name ? [[name, text] as [string, unknown]] : []
  })
  return [...dimensions, ...variables].filter(([, value]) => plainText(value) !== undefined)
}

function identityOf({ timestamp, body }: HitLine, identifier: string): Converted {
  const { hostname, visitor_id } = body
  return { hit: { endpoint: 'identify', timestamp, body: { hostname, visitor_id, identifier } } }
}
