import { track } from './api.ts'
import { attribute, isShadowRoot, matches, read, rootOf } from './dom.ts'
import { first, MAX_LABEL } from './limits.ts'
import { on, safe } from './safe.ts'
import { hostname } from './settings.ts'

type Action = 'outbound' | 'download' | 'button' | 'form' | 'copy'

const FILE = /\.(pdf|(doc|xls|ppt)x?|csv|epub|zip|rar|7z|gz|dmg|pkg|exe|msi|apk|deb|rpm|iso|mp[34]|mov)$/i

/** Returns the elements that an event passes, from the inside, through open shadow roots. */
const pathOf = (event: Event): Element[] =>
  event.composedPath().filter(node => node instanceof Element) as Element[]

const find = (path: Element[], selector: string) => path.find(element => matches(element, selector))

/** Elements of SVG have no `innerText`; in a web component the text may be outside, in a slot. */
function labelOf(element: Element): string {
  const text = read(element as HTMLElement, 'innerText')
  const slots = () =>
    [...Element.prototype.querySelectorAll.call(element, 'slot')].map(slot =>
      (slot as HTMLSlotElement)
        .assignedNodes({ flatten: true })
        .map(node => read(node, 'textContent'))
        .join(''),
    )
  return (text === undefined ? read(element, 'textContent') : text) || slots().join(' ')
}

/**
 * The selector is `data-analytics`, also of the web component around the element, else `#id`, else the tag and its first two classes:
 * `button.primary.wide`.
 */
function selectorOf(element: Element): string {
  for (let at = element, root: Node; ; at = root.host) {
    const name = attribute(at, 'data-analytics')
    if (name) return name
    root = rootOf(at)
    if (!isShadowRoot(root)) break
  }
  const id = attribute(element, 'id')
  if (id) return `#${id}`
  return [read(element, 'localName'), ...read(element, 'classList')].slice(0, 3).join('.')
}

function capture(
  action: Action,
  element: Element,
  text?: string | null,
  url?: string | null,
  file?: string | undefined,
): void {
  track(action, {
    props: {
      selector: selectorOf(element),
      text: text && first(text.replace(/\s+/g, ' ').trim(), MAX_LABEL),
      url,
      file,
    },
  })
}

/** Returns the address that a link leads to; that of SVG is the one that was written. */
function addressOf(link: HTMLAnchorElement | SVGAElement): URL | undefined {
  try {
    const href = read(link as SVGAElement, 'href')
    return new URL(href.baseVal || `${href}`, read(document, 'baseURI'))
  } catch {}
}

/**
 * Only the selector of the form and its target address, never the values that were typed. A shadow root hears of its own forms, and of those
 * that the page passes to it.
 */
const onSubmit = safe(({ target, currentTarget }: Event) => {
  if (currentTarget === window || currentTarget === rootOf(target as Element))
    capture('form', target as Element, '', attribute(target as Element, 'action'))
})

export function watchActions(): void {
  on('click auxclick', (event: MouseEvent) => {
    const path = pathOf(event)
    const link = find(path, 'a[*|href],area[href]') as HTMLAnchorElement | undefined
    const button = find(path, 'button,[role=button],[type=submit],[data-analytics]')
    const url = link && addressOf(link)
    // Accept the middle button (1): it opens links, too.
    if (event.button > 1) return
    if (url && (attribute(link!, 'download') !== null || FILE.test(url.pathname))) {
      capture('download', link!, labelOf(link!), url.href, url.pathname.split('/').pop())
    } else if (url && url.hostname && url.hostname !== hostname) {
      capture('outbound', link!, labelOf(link!), url.href)
    } else if (button && !event.button) {
      capture('button', button, labelOf(button) || attribute(button, 'value'))
    }
  })
  on('submit', onSubmit)
  // Forms in shadow roots are heard of there alone.
  on('click focusin', event => {
    for (const node of event.composedPath())
      if (isShadowRoot(node)) node.addEventListener('submit', onSubmit, true)
  })
  on('copy', event => {
    const path = pathOf(event)
    const selection = getSelection()!
    // Without text that was copied from an input field: it may be private.
    const isTyped = find(path, 'input,textarea,[contenteditable]')
    // From a closed shadow root: nothing is selected that the page may see.
    if (isTyped || !selection.isCollapsed) capture('copy', path[0]!, isTyped ? '' : `${selection}`)
  })
}
