/** Attributes of a tag by their names in lower case. */
export type Attributes = Map<string, string>

/** Elements whose content has no tags. That of `noscript` counts as text where scripts run. */
const RAW = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'noscript',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
])
const SPACE = /[\t\n\f\r ]/

/**
 * Reads the script tags of a page, as browsers do: attributes in any order, case and quotes, and nothing in comments. The time is
 * linear in the length of the page, whatever it has.
 * @returns their attributes, and the page without its comments
 */
export function readScripts(html: string): { scripts: Attributes[]; text: string } {
  const scripts: Attributes[] = []
  const texts: string[] = []
  let textFrom = 0
  let at = html.indexOf('<')
  while (at >= 0) {
    if (html.startsWith('<!--', at)) {
      texts.push(html.slice(textFrom, at))
      const end = html.indexOf('-->', at + 2)
      at = textFrom = end < 0 ? html.length : end + 3
    } else if (/[a-z]/i.test(html.charAt(at + 1))) {
      const tag = readTag(html, at + 1)
      if (!tag) break
      if (tag.name === 'script') scripts.push(tag.attributes)
      at = RAW.has(tag.name) ? endOfRaw(html, tag.name, tag.end) : tag.end
    } else if (/[/!?]/.test(html.charAt(at + 1))) {
      const end = html.indexOf('>', at)
      if (end < 0) break
      at = end + 1
    } else {
      at += 1
    }
    at = html.indexOf('<', at)
  }
  texts.push(html.slice(textFrom))
  return { scripts, text: texts.join('') }
}

function endOfRaw(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'gi')
  closing.lastIndex = from
  return closing.exec(html)?.index ?? html.length
}

/** Returns the tag whose name begins at a place; undefined when the page ends in it. */
function readTag(
  html: string,
  start: number,
): { name: string; attributes: Attributes; end: number } | undefined {
  const attributes: Attributes = new Map()
  let at = endOf(html, start, /[\t\n\f\r />]/g)
  const name = html.slice(start, at).toLowerCase()
  for (;;) {
    while (html[at] === '/' || SPACE.test(html.charAt(at))) at += 1
    if (at >= html.length) return undefined
    if (html[at] === '>') return { name, attributes, end: at + 1 }
    const nameFrom = at
    at = endOf(html, at + 1, /[\t\n\f\r />=]/g)
    const attribute = html.slice(nameFrom, at).toLowerCase()
    const value = readValue(html, at)
    if (!value) return undefined
    at = value.end
    if (!attributes.has(attribute)) attributes.set(attribute, value.text)
  }
}

/** Returns the value after the name of an attribute, empty without one; undefined when the page ends in it. */
function readValue(html: string, nameEnd: number): { text: string; end: number } | undefined {
  let at = skipSpace(html, nameEnd)
  if (html[at] !== '=') return { text: '', end: nameEnd }
  at = skipSpace(html, at + 1)
  const quote = html[at]
  if (quote !== '"' && quote !== "'") {
    const end = endOf(html, at, /[\t\n\f\r >]/g)
    return { text: html.slice(at, end), end }
  }
  const end = html.indexOf(quote, at + 1)
  return end < 0 ? undefined : { text: html.slice(at + 1, end), end: end + 1 }
}

function skipSpace(html: string, from: number): number {
  let at = from
  while (SPACE.test(html.charAt(at))) at += 1
  return at
}

function endOf(html: string, from: number, delimiter: RegExp): number {
  delimiter.lastIndex = from
  return delimiter.exec(html)?.index ?? html.length
}
