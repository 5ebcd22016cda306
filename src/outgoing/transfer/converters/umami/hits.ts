import { cut } from '../../../../platform/schema/validation.ts'
import type { Converted, HitLine } from '../converter.ts'
import { visitorIdOf } from '../visitor-id.ts'
import { browserOf, CRAWLERS, deviceOf, systemOf } from './names.ts'
import type { SessionFields, UmamiEvent } from './rows.ts'

export type Data = Record<string, string>

const MAX_PROPERTIES = 50
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns the hit of an event. @param session of the row of its session; fields of the event go first */
export function hitOf(event: UmamiEvent, session: SessionFields, data: Data, domain: string): Converted {
  const of = { ...session, ...event.of }
  if (of.browser !== undefined && CRAWLERS.has(of.browser.toLowerCase())) return { left: 'crawler' }
  const sender = senderOf(event, of, domain)
  const url = { path: pathOf(event), ...(event.title !== undefined && { title: event.title }) }
  if (event.kind === 'vitals') {
    if (Object.keys(event.vitals!).length === 0) return { left: 'no measurement' }
    if (!event.id || !UUID.test(event.id)) return { left: 'measurement without an id' }
    return { hit: line('web-vitals', event, of, { ...sender, url, id: event.id, ...event.vitals }) }
  }
  const body = { ...sender, url, ...deviceFields(of), ...(event.referrer && { referrer: event.referrer }) }
  if (event.kind === 'pageview') return { hit: line('collect', event, of, { ...body, ...properties(data) }) }
  const { revenue, rest } = splitRevenue(data)
  return { hit: line('event', event, of, { name: event.name, ...body, ...revenue, ...properties(rest) }) }
}

/** Returns the hit that says which user a visit is of. */
export function identifyHit(event: UmamiEvent, user: string, data: Data, domain: string): HitLine {
  const { properties: custom } = properties(data)
  const sender = senderOf(event, event.of, domain)
  return line('identify', event, {}, { ...sender, identifier: user, ...(custom && { custom }) })
}

function line(
  endpoint: HitLine['endpoint'],
  { at }: UmamiEvent,
  of: SessionFields,
  body: HitLine['body'],
): HitLine {
  return { endpoint, timestamp: new Date(at).toISOString(), location: placeOf(of), body }
}

const senderOf = ({ session }: UmamiEvent, of: SessionFields, domain: string) => ({
  hostname: of.hostname ?? domain,
  visitor_id: visitorIdOf('umami', session),
})

/** A fragment stands in the path; the query goes before it. */
function pathOf({ path, query }: UmamiEvent): string {
  const absolute = path.startsWith('/') ? path : `/${path}`
  if (query === undefined) return absolute
  const [page, ...fragment] = absolute.split('#')
  return [`${page}?${query.replace(/^\?/, '')}`, ...fragment].join('#')
}

function deviceFields(of: SessionFields): object {
  const screen = /^(\d{1,5})x(\d{1,5})$/.exec(of.screen ?? '')
  const [width, height] = [Number(screen?.[1]), Number(screen?.[2])]
  const device = deviceOf(of.device)
  const browser = browserOf(of.browser)
  return {
    ...(screen && width < 65_536 && height < 65_536 && { screen: { width, height } }),
    ...(of.language && { language: of.language }),
    ...systemOf(of.os),
    ...(browser && { browser: { name: browser } }),
    ...(device && { device }),
  }
}

/** Places as ISO names them; older versions have regions without their country. */
function placeOf({ country, region, city }: SessionFields): NonNullable<HitLine['location']> {
  if (!country || !/^[A-Z]{2}$/.test(country) || country === 'XX') return {}
  const whole = region?.includes('-') ? region : `${country}-${region}`
  const name = city?.replace(/\p{Cc}/gu, '').trim()
  return {
    country,
    ...(/^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(whole) && region && { region: whole }),
    ...(name && name.length <= 100 && { city: name }),
  }
}

/** An amount and a currency, as Umami reads them from the data of an event. */
function splitRevenue(data: Data): { revenue: object; rest: Data } {
  const { revenue, currency, ...rest } = data
  const amount = Number(revenue)
  if (!(amount > 0) || !currency || !/^[A-Za-z]{3}$/.test(currency)) return { revenue: {}, rest: data }
  return { revenue: { revenue: { amount, currency } }, rest }
}

/** In the order of their names: databases write rows in any order. */
function properties(data: Data): { properties?: Data } {
  const names = Object.keys(data).sort().slice(0, MAX_PROPERTIES)
  if (names.length === 0) return {}
  return { properties: Object.fromEntries(names.map(name => [cut(name, 64), cut(data[name]!, 500)])) }
}
