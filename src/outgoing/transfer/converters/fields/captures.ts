import { cut } from '../../../../platform/schema/validation.ts'
import { plainText } from './texts.ts'

/** Texts of captured elements are cut to this by the tracker, too. */
const LONGEST_TEXT = 100

/** What a product knows of an element that a visitor used. */
export interface Element {
  id?: unknown
  tag?: unknown
  /** Separated by spaces. */
  classes?: unknown
  text?: unknown
  /** Where a link or form leads. */
  url?: unknown
}

/**
 * Returns the properties that the tracker sends with an autocapture (docs/tracker.md "What is captured").
 * @param element.tag undefined: not known, so that there is no selector without an id
 */
export function captureOf({ id, tag, classes, text, url }: Element): [string, unknown][] {
  const label = plainText(text)?.replace(/\s+/g, ' ')
  return [
    ['selector', selectorOf(plainText(id), plainText(tag), plainText(classes))],
    ['text', label && cut(label, LONGEST_TEXT)],
    ['url', plainText(url)],
  ]
}

function selectorOf(id: string | undefined, tag: string | undefined, classes: string | undefined) {
  if (id) return `#${id}`
  return tag && [tag, ...(classes?.split(/\s+/) ?? [])].slice(0, 3).join('.')
}

/** Returns the last part of the path of an address: the name of a file. */
export function fileOf(url: unknown): string | undefined {
  return plainText(url)
    ?.replace(/^[a-z]+:\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/s, '')
    .split('/')
    .pop()
}
