/**
 * Reads a property of a node as the browser defines it. Fields of a form, and elements of a document, shadow properties that have
 * their name: `form.id` is `<input name="id">`, `document.title` is `<form name="title">`. Those are objects.
 */
export function read<Of extends Node, Name extends keyof Of>(node: Of, name: Name): Of[Name] {
  const found = node[name]
  if (typeof found !== 'object') return found
  const { get, value } = definition(node, name)
  return get ? get.call(node) : value
}

export function definition(node: Node, name: PropertyKey): PropertyDescriptor {
  let found: PropertyDescriptor = {}
  for (let at = Object.getPrototypeOf(node); at; at = Object.getPrototypeOf(at))
    found = Object.getOwnPropertyDescriptor(at, name) || found
  return found
}

/** As `getAttribute`. */
export const attribute = (element: Element, name: string): string | null =>
  Element.prototype.getAttribute.call(element, name)

/** As `matches`. */
export const matches = (element: Element, selector: string): boolean =>
  Element.prototype.matches.call(element, selector)

/** As `getRootNode`. */
export const rootOf = (node: Node): Node => Node.prototype.getRootNode.call(node)

/** Returns whether a node is a shadow root; a document may have an element that is named `nodeType`. */
export const isShadowRoot = (node: EventTarget): node is ShadowRoot =>
  (node as Node).nodeType === Node.DOCUMENT_FRAGMENT_NODE && 'host' in node
