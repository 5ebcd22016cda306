import type { JsonObject } from '../../read/json-lines.ts'
import { captureOf, type Element, fileOf } from '../fields/captures.ts'
import { arrayIn, objectIn } from '../fields/objects.ts'
import { readPage } from '../fields/page.ts'
import { plainText, Texts } from '../fields/texts.ts'

interface Capture {
  name: 'outbound' | 'download' | 'button' | 'form' | 'copy'
  properties: [string, unknown][]
}

/** Files that the tracker of this service takes for a download. */
const FILE =
  /\.(pdf|(doc|xls|ppt)x?|csv|epub|zip|rar|7z|gz|dmg|pkg|exe|msi|apk|deb|rpm|iso|mp[34]|mov)(?=$|[?#])/i

/** Returns what the tracker of this service would have captured of an autocaptured event; undefined if it captures no such event. */
export function captured(event: JsonObject, properties: JsonObject): Capture | undefined {
  const chain = chainOf(event, properties)
  if (event.event === '$copy_autocapture') {
    const isCut = properties.$copy_type === 'cut'
    return isCut
      ? undefined
      : { name: 'copy', properties: captureOf({ ...chain[0], text: properties.$selected_content }) }
  }
  if (properties.$event_type === 'submit') {
    const form = chain.find(({ tag }) => tag === 'form') ?? chain[0]
    return { name: 'form', properties: captureOf({ ...form, text: undefined }) }
  }
  if (properties.$event_type !== 'click') return undefined
  return clicked(chain, properties)
}

function clicked(chain: Element[], properties: JsonObject): Capture | undefined {
  const text = properties.$el_text
  const link = chain.find(({ tag, url }) => tag === 'a' && plainText(url))
  const button = chain.find(({ tag }) => tag === 'button')
  const address = plainText(properties.$external_click_target_url) ?? plainText(link?.url)
  if (link && address && FILE.test(address)) {
    const download = captureOf({ ...link, text: text ?? link.text, url: address })
    return { name: 'download', properties: [...download, ['file', fileOf(address)]] }
  }
  if (link && address && isOutbound(address, properties)) {
    return { name: 'outbound', properties: captureOf({ ...link, text: text ?? link.text, url: address }) }
  }
  return (
    button && {
      name: 'button',
      properties: captureOf({ ...button, text: text ?? button.text, url: undefined }),
    }
  )
}

function isOutbound(address: string, properties: JsonObject): boolean {
  const texts = new Texts()
  const target = readPage(address, texts)?.hostname
  const own = readPage(properties.$current_url, texts)?.hostname ?? plainText(properties.$host)
  return target !== undefined && target !== own
}

/** Elements from the one that was used up to the page. */
function chainOf(event: JsonObject, properties: JsonObject): Element[] {
  const chain = plainText(event.elements_chain) ?? plainText(properties.$elements_chain)
  if (chain) return (chain.slice(0, LONGEST_CHAIN).match(ELEMENTS) ?? []).map(elementOfText)
  const elements =
    arrayIn(event.elements).length > 0 ? arrayIn(event.elements) : arrayIn(properties.$elements)
  return elements.map(value => elementOf(objectIn(value)))
}

const LONGEST_CHAIN = 50_000
/** Parts between semicolons; those in quotes do not count. */
const ELEMENTS = /(?:"(?:[^"\\]|\\.)*"|[^;"])+/gs

/** Reads `button.primary.wide:attr__class="primary wide"attr_id="buy"text="Buy"`. */
function elementOfText(text: string): Element {
  const [, names = '', rest = ''] = /^([^:"]*):?(.*)$/s.exec(text) ?? []
  const attributes = new Map<string, string>()
  for (const [, key, value] of rest.matchAll(/(?<![\w:-])([\w:-]+)="((?:[^"\\]|\\.)*)"/gs)) {
    attributes.set(key!, value!.replace(/\\(.)/gs, '$1'))
  }
  const [tag, ...classes] = names.split('.')
  return {
    tag,
    id: attributes.get('attr_id') ?? attributes.get('attr__id'),
    classes: attributes.get('attr__class') ?? classes.join(' '),
    text: attributes.get('text'),
    url: attributes.get('href') ?? attributes.get('attr__href') ?? attributes.get('attr__action'),
  }
}

/** Reads an element of the API, or one as PostHog's script sends it. */
function elementOf(element: JsonObject): Element {
  const classes = element.attr_class ?? element.classes
  const attributes = objectIn(element.attributes)
  return {
    tag: element.tag_name,
    id: element.attr_id ?? element.attr__id,
    classes: Array.isArray(classes) ? classes.join(' ') : (classes ?? element.attr__class),
    text: element.text ?? element.$el_text,
    url: element.href ?? element.attr__href ?? attributes.attr__href ?? attributes.attr__action,
  }
}
