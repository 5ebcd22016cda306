// Takes every address of another place out of CSS. A recording is what a stranger sent: the text may be anything.

const ESCAPE = String.raw`\\(?:[\da-f]{1,6}(?:\r\n|[ \t\r\n\f])?|[^\da-f\r\n\f])`
const NAME = String.raw`(?:[-\w\u0080-\u{10ffff}]|${ESCAPE})+`
const STRING = String.raw`"(?:\\[^]|[^"\\\r\n\f])*"?|'(?:\\[^]|[^'\\\r\n\f])*'?`

/** What stands in CSS, as far as it matters: in comments and strings nothing is an address. */
const TOKEN = new RegExp(
  String.raw`/\*[^]*?(?:\*/|$)|${STRING}|@(?<rule>${NAME})|(?<name>${NAME})(?<open>\(?)`,
  'giu',
)
/** What follows `url(`. */
const ADDRESS = new RegExp(
  String.raw`\s*(?:(?<quoted>${STRING})[^)]*\)?|(?<bare>(?:${ESCAPE}|[^)])*)\)?)`,
  'iuy',
)
/** Functions that take an address as a string, which may also come from a variable. */
const TAKES_STRINGS = /^(?:-\w+-)?(?:image-set|image|src)$/

const OWN_DATA = /^data:(?:image\/[\w.+-]+|font\/[\w.+-]+|application\/(?:x-)?font[\w.+-]*)[;,]/i
/** An address of a part of the same document. */
const isFragment = (address: string): boolean => address.startsWith('#')

/** Whether an address is a picture or a font that it holds itself: nothing is asked for. */
export const isOwnData = (address: string): boolean => OWN_DATA.test(address)

/** Returns CSS in which nothing but what it holds itself can be loaded: no imports, no pictures, fonts and filters of other places. */
export function cleanCss(css: string): string {
  let cleaned = ''
  let copied = 0
  TOKEN.lastIndex = 0
  for (let token = TOKEN.exec(css); token; token = TOKEN.exec(css)) {
    const { rule, name, open } = token.groups!
    const replacement = rule !== undefined ? cleanRule(rule) : open ? cleanCall(name!, css) : undefined
    if (replacement === undefined) continue
    cleaned += css.slice(copied, token.index) + replacement
    copied = TOKEN.lastIndex
  }
  return cleaned + css.slice(copied)
}

/** Browsers leave out a rule that they do not know, up to its end. */
const cleanRule = (rule: string): string | undefined =>
  plain(rule).toLowerCase() === 'import' ? '@blocked' : undefined

function cleanCall(name: string, css: string): string | undefined {
  const called = plain(name).toLowerCase()
  if (TAKES_STRINGS.test(called)) return 'blocked('
  if (called !== 'url') return undefined
  ADDRESS.lastIndex = TOKEN.lastIndex
  const { quoted, bare } = ADDRESS.exec(css)!.groups!
  TOKEN.lastIndex = ADDRESS.lastIndex
  const address = plain(quoted === undefined ? bare! : quoted.replace(/^["']|["']$/g, '')).trim()
  return `url(${asString(isFragment(address) || isOwnData(address) ? address : 'data:,')})`
}

/** Returns what a text with escapes says. */
const plain = (text: string): string =>
  text.replace(
    /\\(?:([\da-f]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\s\S]))/giu,
    (_, code?: string, character = '') => {
      if (code === undefined) return /[\r\n\f]/.test(character) ? '' : character
      const point = Number.parseInt(code, 16)
      return point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)
        ? '\ufffd'
        : String.fromCodePoint(point)
    },
  )

const asString = (text: string): string =>
  `"${text.replace(/["\\\p{Cc}]/gu, character => `\\${character.codePointAt(0)!.toString(16)} `)}"`
