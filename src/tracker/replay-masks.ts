import { attribute, isShadowRoot, read, rootOf } from './dom.ts'

// What a recording must not show: texts that were typed, and what the page excepts with attributes.

/** Frames may show a page that is excluded; the tracker records none. See also `isFramed`. */
export const BLOCKED = '[data-analytics-block],iframe,frame,object,embed'
const MASKED = '[data-analytics-mask]'
const EDITABLE =
  'textarea,select,[contenteditable]:not([contenteditable=false i]),[role=textbox],[role=searchbox]'
const BUTTONS = /^(submit|button|reset|image|checkbox|radio)$/i
/** Passwords, codes and cards stay hidden, whatever the page says. */
const SECRET = /(^|\s)(cc-\S*|(current|new)-password|one-time-code|webauthn)(\s|$)/i

/** As `closest`, also through the hosts of shadow roots. */
function isWithin(element: Element | null, selector: string): boolean {
  for (let at = element; at; ) {
    if (Element.prototype.closest.call(at, selector)) return true
    const root = rootOf(at)
    at = isShadowRoot(root) ? root.host : null
  }
  return false
}

const isSecret = (element: Element): boolean =>
  attribute(element, 'type')?.toLowerCase() === 'password' ||
  // Set by rrweb when a page shows what was a password.
  attribute(element, 'data-rr-is-password') !== null ||
  SECRET.test(attribute(element, 'autocomplete') || '')

const isUnmasked = (element: Element): boolean =>
  !isSecret(element) && !isWithin(element, MASKED) && isWithin(element, '[data-analytics-unmask]')

const stars = (text: string): string => text.replace(/\S/g, '*')

/** Masks the value of a field. The length of a secret is one, too. */
export function maskInput(text: string, element?: Element | null): string {
  if (!element || !text) return stars(text)
  if (read(element, 'localName') === 'input' && BUTTONS.test(attribute(element, 'type') || ''))
    return isWithin(element, MASKED) ? stars(text) : text
  if (isSecret(element)) return '*****'
  return isUnmasked(element) ? text : stars(text)
}

/** Masks the text of an element if it was typed there, or is to be masked. */
export function maskText(text: string, element?: Element | null): string {
  if (!element) return text
  if (isWithin(element, MASKED)) return stars(text)
  const isTyped = read(element as HTMLElement, 'isContentEditable') || isWithin(element, EDITABLE)
  // The names of options are the page's own; which one is chosen is masked.
  return isTyped && read(element, 'localName') !== 'option' && !isUnmasked(element) ? stars(text) : text
}

/** Masks a text that lies in a shadow root itself: rrweb finds no element around it. */
function maskShadowText(text: string, node: Node | null): string {
  const root = node && read(node, 'parentNode')
  return root && isShadowRoot(root) ? maskText(text, root.host) : text
}

/** Masks what rrweb leaves of changes: the attribute `value` of fields, which option is chosen, texts in shadow roots. */
export function maskChanges(
  { attributes = [], texts = [] }: Increment,
  nodeOf: (id: number) => Node | null,
): void {
  for (const text of texts) if (text.value) text.value = maskShadowText(text.value, nodeOf(text.id))
  for (const { id, attributes: changed } of attributes) {
    const element = nodeOf(id) as Element | null
    const name = element && read(element, 'localName')
    if (changed && name === 'option') delete changed.selected
    if (changed && typeof changed.value === 'string' && holdsValue(name))
      changed.value = maskInput(changed.value, element)
  }
}

/** A node as rrweb serializes it. */
export interface RecordedNode {
  id: number
  tagName?: string
  textContent?: string
  attributes?: Record<string, unknown>
  childNodes?: RecordedNode[]
}

/** Elements whose attribute `value` may be what was typed: also those of web components. */
const holdsValue = (tagName: string | null | undefined): boolean =>
  /^(input|textarea)$|-/i.test(tagName || '')

/**
 * Masks what rrweb leaves in a serialized tree: the attribute `value` of an empty field, texts in shadow roots.
 * @param nodeOf finds the node of a serialized one
 */
export function maskValues(node: RecordedNode, nodeOf: (id: number) => Node | null): void {
  const { tagName, textContent, attributes, childNodes } = node
  if (textContent) node.textContent = maskShadowText(textContent, nodeOf(node.id))
  if (holdsValue(tagName) && attributes && typeof attributes.value === 'string')
    attributes.value = maskInput(attributes.value, nodeOf(node.id) as Element | null)
  for (const child of childNodes || []) maskValues(child, nodeOf)
}

/** Increment of rrweb, as far as it names nodes. */
export interface Increment {
  source?: number
  id?: number
  positions?: { id: number }[]
  ranges?: { start: number; end: number }[]
  texts?: { id: number; value?: string | null }[]
  attributes?: { id: number; attributes?: Record<string, unknown> }[]
  adds?: { parentId: number; node: RecordedNode }[]
  removes?: { parentId: number; id: number }[]
  isAttachIframe?: boolean
}

/**
 * Returns whether an increment is about the document of a frame: rrweb records that of a blocked frame, too. Nodes that are unknown
 * count as such.
 */
export function isFramed(increment: Increment, nodeOf: (id: number) => Node | null): boolean {
  const { id, positions = [], ranges = [], texts = [], attributes = [], adds = [] } = increment
  if (increment.isAttachIframe) return true
  const ids = [...positions, ...texts, ...attributes].map(each => each.id)
  for (const { parentId } of adds) ids.push(parentId)
  for (const { start, end } of ranges) ids.push(start, end)
  if (id !== undefined) ids.push(id)
  return ids.some(each => {
    const node = nodeOf(each)
    return !node || (node !== document && read(node, 'ownerDocument') !== document)
  })
}
