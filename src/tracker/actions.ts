import { track } from './api.ts'
import { MAX_LABEL } from './limits.ts'

const FILES = /\.(pdf|(doc|xls|ppt)x?|csv|epub|zip|rar|7z|gz|dmg|pkg|exe|msi|apk|deb|rpm|iso|mp[34]|mov)$/i
const BUTTONS = 'button,[role=button],[type=submit],[data-analytics]'

type On<Kind> = Kind & { target: Element }
type Action = 'outbound' | 'download' | 'button' | 'form' | 'copy'

function capture(
  action: Action,
  element: Element,
  text?: string,
  url?: string | null,
  file?: string | undefined,
): void {
  track(action, { props: { selector: selectorOf(element), text: text && oneLine(text), url, file } })
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, MAX_LABEL)

/** Returns the value of `data-analytics`, else `#id`, else the tag and its first two classes: `button.primary.wide`. */
const selectorOf = (element: Element) =>
  element.getAttribute('data-analytics') ||
  (element.id ? `#${element.id}` : [element.localName, ...element.classList].slice(0, 3).join('.'))

export function captureClick({ target, button: mouseButton }: On<MouseEvent>): void {
  const link = target.closest('a[href]') as HTMLAnchorElement
  const button = target.closest(BUTTONS) as HTMLInputElement
  // Accept the middle button (1): it opens links, too.
  if (mouseButton > 1) return
  if (link && (link.hasAttribute('download') || FILES.test(link.pathname))) {
    capture('download', link, link.innerText, link.href, link.pathname.split('/').pop())
  } else if (link && link.hostname && link.hostname !== location.hostname) {
    capture('outbound', link, link.innerText, link.href)
  } else if (button && !mouseButton) {
    capture('button', button, button.innerText || button.value)
  }
}

/** Sends only the selector of the form and its target address, never the values that were typed. */
export const captureForm = ({ target }: On<Event>) =>
  capture('form', target, '', target.getAttribute('action'))

/** Omits text that was copied from an input field: it may be private. */
export const captureCopy = ({ target }: On<Event>) =>
  capture('copy', target, target.closest('input,textarea,[contenteditable]') ? '' : String(getSelection()))
