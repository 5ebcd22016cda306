import { cleanCss, isOwnData } from './clean-css.ts'
import { type Given, isGiven, numberOf, textOf, wordsOf } from './given.ts'

/** Link that leads nowhere: a text stays a link in its looks. */
const NOWHERE = 'about:invalid'

const ATTRIBUTE = /^[a-z][-\w.:@]*$/i
/** Attributes with addresses, or that make a browser do something. */
const DROPPED =
  wordsOf(`srcset imagesrcset srcdoc action formaction ping data manifest profile cite longdesc codebase classid archive code
  lowsrc dynsrc attributionsrc is rel target download autofocus autoplay nonce integrity http-equiv content usemap xml:base
  attributename to from by sandbox allow command commandfor popovertarget`)
/** Texts of these are no CSS. */
const WORDS = /^(?:class|id|title|alt|placeholder|value|label|name|type|(?:data|aria)-.*)$/i
const PICTURES = /^(?:src|poster|background)$/i
const LINKS = /^(?:href|xlink:href)$/i

interface Where {
  /** Null and objects mean a change, as in mutations. */
  isChange?: boolean
  /** Of a link. */
  isLink: boolean
}

/** Returns the attributes that load, lead and run nothing. */
export function cleanAttributes(given: Given, where: Where): Given {
  const cleaned: Given = {}
  for (const [name, value] of Object.entries(given)) {
    const clean = cleanAttribute(name, value, where)
    if (clean !== undefined) cleaned[name] = clean
  }
  return cleaned
}

function cleanAttribute(name: string, value: unknown, { isChange, isLink }: Where): unknown {
  const known = name.toLowerCase()
  if (name === '_cssText') return typeof value === 'string' ? cleanCss(value) : undefined
  if (known.startsWith('rr_')) return cleanOwn(name, value)
  if (!ATTRIBUTE.test(name) || known.startsWith('on') || DROPPED.has(known)) return undefined
  if (value === null) return isChange ? null : undefined
  if (known === 'style' && isChange && isGiven(value)) return cleanDeclarations(value)
  if (typeof value === 'boolean') return value
  const text = typeof value === 'number' ? String(value) : textOf(value)
  if (PICTURES.test(known)) return /^data:image\//i.test(text) && isOwnData(text) ? text : undefined
  if (LINKS.test(known)) return text.startsWith('#') ? text : isLink ? NOWHERE : undefined
  return WORDS.test(known) ? text : cleanCss(text)
}

/** Cleans what rrweb itself writes into attributes. */
function cleanOwn(name: string, value: unknown): unknown {
  switch (name) {
    case 'rr_width':
    case 'rr_height':
      return /^\d+(?:\.\d+)?px$/.test(textOf(value)) ? value : undefined
    case 'rr_scrollLeft':
    case 'rr_scrollTop':
      return numberOf(value)
    case 'rr_open_mode':
      return value === 'modal' || value === 'non-modal' ? value : undefined
    default:
      return undefined
  }
}

/** Changed declarations of a `style` attribute: a value, one with its priority, or false for one that went. */
function cleanDeclarations(given: Given): Given {
  const entries = Object.entries(given).flatMap(([property, value]): [string, unknown][] => {
    if (!/^-?[a-z-][-\w]*$/i.test(property)) return []
    if (value === false) return [[property, false]]
    if (Array.isArray(value)) return [[property, [cleanCss(textOf(value[0])), 'important']]]
    return [[property, cleanCss(textOf(value))]]
  })
  return Object.fromEntries(entries)
}
