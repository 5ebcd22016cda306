import { type Given, textOf, wordsOf } from './given.ts'

/** Stands in the place of elements that must not be made: it is never shown, and rules such as `:first-child` still count it. */
export const NOTHING = 'template'
export const FRAMES = wordsOf('iframe frame object embed applet portal fencedframe webview')
/** Elements whose content is not recorded. */
export const EMPTY = wordsOf('video audio canvas')
/** Attribute of what is not recorded, and shown as a grey area. */
export const LEFT_OUT_MARK = 'data-left-out'
const LEFT_OUT = wordsOf(`script noscript base meta link frameset source track param template
  set animate animatecolor animatemotion animatetransform discard handler listener`)
const TAG = /^[a-z][-\w.]*$/i
/** Elements that may have a shadow root; others throw. */
export const HOST =
  /^(?:[a-z][\w.]*-[-\w.]*|article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$/i
const IN_EVERY_OBJECT = Object.getOwnPropertyNames(Object.prototype).map(name => name.toLowerCase())

/** Returns the name under which an element is made. */
export function tagOf(given: unknown, attributes: Given): string {
  const tagName = textOf(given)
  const name = tagName.toLowerCase()
  if (FRAMES.has(name)) return 'div'
  // A style sheet whose rules are there, or come with a change.
  if (name === 'link' && ('_cssText' in attributes || /\bstylesheet\b/i.test(textOf(attributes.rel))))
    return 'style'
  const isKnown = TAG.test(tagName) && !LEFT_OUT.has(name) && !IN_EVERY_OBJECT.includes(name)
  return isKnown ? tagName : NOTHING
}

/** A grey picture with the size of the one that is not shown. */
export function placeholder(width: unknown, height: unknown): string {
  const size = [
    ['width', width],
    ['height', height],
  ].flatMap(([name, value]) => (/^\d{1,5}$/.test(String(value)) ? [`${name}='${value}'`] : []))
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' ${size.join(' ')}><rect width='100%' height='100%' fill='#8883'/></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
