import { track } from './api.ts'
import { MAX_LABEL } from './limits.ts'
import { on } from './safe.ts'
import { hostname } from './settings.ts'

type On<Kind> = Kind & { target: Element }
type Action = 'outbound' | 'download' | 'button' | 'form' | 'copy'

/** The selector is `data-analytics`, else `#id`, else the tag and its first two classes: `button.primary.wide`. */
function capture(
  action: Action,
  element: Element,
  text?: string,
  url?: string | null,
  file?: string | undefined,
): void {
  track(action, {
    props: {
      selector:
        element.getAttribute('data-analytics') ||
        (element.id ? `#${element.id}` : [element.localName, ...element.classList].slice(0, 3).join('.')),
      text: text && text.replace(/\s+/g, ' ').trim().slice(0, MAX_LABEL),
      url,
      file,
    },
  })
}

export function watchActions(): void {
  on('click auxclick', ({ target, button: mouseButton }: On<MouseEvent>) => {
    const link = target.closest('a[href]') as HTMLAnchorElement
    const button = target.closest('button,[role=button],[type=submit],[data-analytics]') as HTMLInputElement
    // Accept the middle button (1): it opens links, too.
    if (mouseButton > 1) return
    if (
      link &&
      (link.hasAttribute('download') ||
        /\.(pdf|(doc|xls|ppt)x?|csv|epub|zip|rar|7z|gz|dmg|pkg|exe|msi|apk|deb|rpm|iso|mp[34]|mov)$/i.test(
          link.pathname,
        ))
    ) {
      capture('download', link, link.innerText, link.href, link.pathname.split('/').pop())
    } else if (link && link.hostname && link.hostname !== hostname) {
      capture('outbound', link, link.innerText, link.href)
    } else if (button && !mouseButton) {
      capture('button', button, button.innerText || button.value)
    }
  })
  // Only the selector of the form and its target address, never the values that were typed.
  on('submit', ({ target }: On<Event>) => capture('form', target, '', target.getAttribute('action')))
  // Without text that was copied from an input field: it may be private.
  on('copy', ({ target }: On<Event>) =>
    capture('copy', target, target.closest('input,textarea,[contenteditable]') ? '' : `${getSelection()}`),
  )
}
