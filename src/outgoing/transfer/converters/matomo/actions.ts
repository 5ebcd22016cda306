import type { JsonObject } from '../../read/json-lines.ts'
import type { Converted } from '../converter.ts'
import { captureOf, fileOf } from '../fields/captures.ts'
import { customEvent, engagement, pageview, readName, readTitle, type Sender } from '../fields/lines.ts'
import { readPage, withTags } from '../fields/page.ts'
import { readProperties } from '../fields/properties.ts'
import { plainNumber, plainText, type Texts } from '../fields/texts.ts'
import { NO_TIME, validTime } from '../fields/times.ts'
import { dimensionsOf, type Visit } from './visit.ts'

interface Context {
  visit: Visit
  /** The action opened the visit. */
  isFirst: boolean
  texts: Texts
}

/** Actions that are not carried over, with the reason. */
const LEFT: Record<string, string> = {
  goal: 'goal that was reached: define it as a goal of the site',
  ecommerceAbandonedCart: 'abandoned cart',
  '13': 'content that was shown or clicked',
}

/** Yields the hits of an action. */
export function* convertAction(
  action: JsonObject,
  at: number | undefined,
  context: Context,
): Generator<Converted> {
  const type = plainText(action.type) ?? ''
  if (validTime(at) === undefined) return yield { left: NO_TIME }
  if (LEFT[type]) return yield { left: LEFT[type] }
  if (type === 'action') return yield* convertPageview(action, at!, context)
  yield convertEvent(type, action, at!, context) ?? { left: 'action of a kind that is not known' }
}

function* convertPageview(action: JsonObject, at: number, context: Context): Generator<Converted> {
  const { visit, texts } = context
  const page = readPage(addressOf(action), texts)
  if (!page) return yield { left: 'page without address' }
  const sender: Sender = { ...visit.sender, at, hostname: page.hostname ?? visit.sender.hostname }
  const given = [...visit.properties, ...dimensionsOf(action)]
  yield pageview(sender, {
    ...originOf(context),
    path: pathOf(page.path, context),
    title: readTitle(action.pageTitle, texts),
    device: visit.device,
    properties: readProperties(given, texts),
  })
  const seconds = Math.max(plainNumber(action.timeSpent) ?? 0, 0)
  // Just before the next action, which may be a view of the same page.
  const engaged = engagement(
    { ...sender, at: at + seconds * 1_000 - 1 },
    { path: page.path, ms: seconds * 1_000 },
  )
  if (engaged) yield engaged
}

/** Matomo keeps schemes apart from addresses: some exports have only the host and what follows it. */
function addressOf({ url }: JsonObject): string | undefined {
  const address = plainText(url)
  return address && HOST_FIRST.test(address) ? `https://${address}` : address
}

/** A page of a file, such as `index.html`, is no host. */
const HOST_FIRST =
  /^(?![^/?#]*\.(?:x?html?|php\d?|aspx?|jsp)(?:[?#]|$))(?:[\p{L}\p{N}-]+\.)+\p{L}[\p{L}\p{N}-]+(?::\d+)?(?:[/?#]|$)/u

/** The tags stand in the address of the page that opened the visit. */
const pathOf = (path: string, { visit, isFirst, texts }: Context) =>
  isFirst ? withTags(path, visit.tags, texts) : path

const originOf = ({ visit, isFirst }: Context) => (isFirst ? { referrer: visit.referrer } : {})

function convertEvent(type: string, action: JsonObject, at: number, context: Context): Converted | undefined {
  const { visit, texts } = context
  const event = eventOf(type, action, visit)
  if (!event) return undefined
  const name = readName(event.name, texts)
  if (!name) return { left: 'event without name' }
  // Of links, the address is that of the target.
  const page = event.isOfPage ? readPage(addressOf(action), texts) : undefined
  const sender: Sender = { ...visit.sender, at, hostname: page?.hostname ?? visit.sender.hostname }
  return customEvent(sender, {
    ...originOf(context),
    name,
    path: page && pathOf(page.path, context),
    device: visit.device,
    properties: readProperties([...event.properties, ...visit.properties, ...dimensionsOf(action)], texts),
    revenue: event.revenue,
  })
}

interface Event {
  name: unknown
  properties: [string, unknown][]
  isOfPage?: boolean
  revenue?: { amount: number; currency: string } | undefined
}

function eventOf(type: string, action: JsonObject, { currency }: Visit): Event | undefined {
  switch (type) {
    case 'outlink':
      return { name: 'outbound', properties: captureOf({ url: addressOf(action) }) }
    case 'download':
      return {
        name: 'download',
        properties: [...captureOf({ url: addressOf(action) }), ['file', fileOf(addressOf(action))]],
      }
    case 'search':
      return {
        name: 'search',
        isOfPage: true,
        properties: [
          ['keyword', action.siteSearchKeyword],
          ['category', action.siteSearchCategory],
          ['results', action.siteSearchCount],
        ],
      }
    case 'event':
      return {
        name: action.eventAction,
        isOfPage: true,
        properties: [
          ['category', action.eventCategory],
          ['name', action.eventName],
          ['value', action.eventValue],
        ],
      }
    case 'ecommerceOrder':
      return orderOf(action, currency)
    default:
      return undefined
  }
}

function orderOf(action: JsonObject, currency: string | undefined): Event {
  const amount = plainNumber(action.revenue)
  return {
    name: 'ecommerce_order',
    properties: [
      ['order', action.orderId],
      ['items', action.items],
    ],
    revenue:
      amount && amount > 0 && currency && /^[A-Z]{3}$/.test(currency) ? { amount, currency } : undefined,
  }
}
