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

/** The name that the site gave in `data-analytics`, else `#id`, else tag and first classes: `button.primary.wide`. */
const selectorOf = (element: Element) =>
  element.getAttribute('data-analytics') ||
  (element.id ? `#${element.id}` : [element.localName, ...element.classList].slice(0, 3).join('.'))

export function captureClick({ target, button: mouseButton }: On<MouseEvent>): void {
  const link = target.closest('a[href]') as HTMLAnchorElement
  const button = target.closest(BUTTONS) as HTMLInputElement
  // The middle button opens links, too.
  if (mouseButton > 1) return
  if (link && (link.hasAttribute('download') || FILES.test(link.pathname))) {
    capture('download', link, link.innerText, link.href, link.pathname.split('/').pop())
  } else if (link && link.hostname && link.hostname !== location.hostname) {
    capture('outbound', link, link.innerText, link.href)
  } else if (button && !mouseButton) {
    capture('button', button, button.innerText || button.value)
  }
}

/** Never what was typed: only which form it was and where it goes. */
export const captureForm = ({ target }: On<Event>) =>
  capture('form', target, '', target.getAttribute('action'))

/** Text from fields that people write in is theirs, and stays where it is. */
export const captureCopy = ({ target }: On<Event>) =>
  capture('copy', target, target.closest('input,textarea,[contenteditable]') ? '' : String(getSelection()))
