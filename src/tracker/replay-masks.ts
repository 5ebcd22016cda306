// What a recording must not show: texts that were typed, and what the page excepts with attributes.

/** Frames may show a page that is excluded; the tracker records none. See also `isFramed`. */
export const BLOCKED = '[data-analytics-block],iframe,frame,object,embed'
const EDITABLE =
  'textarea,select,[contenteditable]:not([contenteditable=false i]),[role=textbox],[role=searchbox]'
const BUTTONS = /^(submit|button|reset|image|checkbox|radio)$/i
/** Passwords, codes and cards stay hidden, whatever the page says. */
const SECRET = /(^|\s)(cc-\S*|(current|new)-password|one-time-code|webauthn)(\s|$)/i

/** As `closest`, also through the hosts of shadow roots. */
function isWithin(element: Element | null, selector: string): boolean {
  for (let at = element; at; ) {
    if (at.closest(selector)) return true
    const root = at.getRootNode()
    at = root instanceof ShadowRoot ? root.host : null
  }
  return false
}

const isSecret = (element: Element): boolean =>
  element.getAttribute('type')?.toLowerCase() === 'password' ||
  // Set by rrweb when a page shows what was a password.
  element.hasAttribute('data-rr-is-password') ||
  SECRET.test(element.getAttribute('autocomplete') || '')

const isUnmasked = (element: Element): boolean =>
  !isSecret(element) &&
  !isWithin(element, '[data-analytics-mask]') &&
  isWithin(element, '[data-analytics-unmask]')

const stars = (text: string): string => text.replace(/\S/g, '*')

/** Masks the value of a field. The length of a secret is one, too. */
export function maskInput(text: string, element?: Element | null): string {
  if (!element || !text) return stars(text)
  if (element.localName === 'input' && BUTTONS.test(element.getAttribute('type') || '')) return text
  if (isSecret(element)) return '*****'
  return isUnmasked(element) ? text : stars(text)
}

/** Masks the text of an element if it was typed there, or is to be masked. */
export function maskText(text: string, element?: Element | null): string {
  if (!element) return text
  if (isWithin(element, '[data-analytics-mask]')) return stars(text)
  const isTyped = (element as HTMLElement).isContentEditable || isWithin(element, EDITABLE)
  // The names of options are the page's own; which one is chosen is masked.
  return isTyped && element.localName !== 'option' && !isUnmasked(element) ? stars(text) : text
}

/** Masks the attribute `value` of fields that has changed. */
export function maskChanges({ attributes = [] }: Increment, elementOf: (id: number) => Node | null): void {
  for (const { id, attributes: changed } of attributes) {
    const element = elementOf(id) as Element | null
    if (changed && typeof changed.value === 'string' && holdsValue(element?.localName))
      changed.value = maskInput(changed.value, element)
  }
}

/** A node as rrweb serializes it. */
export interface RecordedNode {
  id: number
  tagName?: string
  attributes?: Record<string, unknown>
  childNodes?: RecordedNode[]
}

/** Elements whose attribute `value` may be what was typed: also those of web components. */
const holdsValue = (tagName: string | undefined): boolean => /^(input|textarea)$|-/i.test(tagName || '')

/**
 * Masks the attribute `value` of fields in a serialized tree: rrweb leaves it as it is where the field is empty.
 * @param elementOf finds the element of a serialized node
 */
export function maskValues(node: RecordedNode, elementOf: (id: number) => Node | null): void {
  const { tagName, attributes, childNodes } = node
  if (holdsValue(tagName) && attributes && typeof attributes.value === 'string')
    attributes.value = maskInput(attributes.value, elementOf(node.id) as Element | null)
  for (const child of childNodes || []) maskValues(child, elementOf)
}

/** Increment of rrweb, as far as it names nodes. */
export interface Increment {
  source?: number
  id?: number
  positions?: { id: number }[]
  ranges?: { start: number; end: number }[]
  texts?: { id: number }[]
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
    return !node || (node !== document && node.ownerDocument !== document)
  })
}
