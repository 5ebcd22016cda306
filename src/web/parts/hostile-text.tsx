import css from './hostile-text.module.css'

/**
 * Text that came with hits: a title, a path, a name. It is isolated, so that its characters for right-to-left writing do not turn what
 * stands around it, and shown in one line however long it is.
 */
export function HostileText({ children, isWrapped }: { children: string; isWrapped?: boolean }) {
  const visible = children.replace(isWrapped ? INVISIBLE_IN_LINES : INVISIBLE, '\u{fffd}')
  return (
    <bdi className={isWrapped ? css.wrapped : css.line} title={visible.slice(0, 500)}>
      {visible}
    </bdi>
  )
}

/** Control characters, and those that turn the direction of writing. */
const INVISIBLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u200e\u200f]/gu

/** The same, in text of several lines. */
const INVISIBLE_IN_LINES = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200e\u200f]/gu

const LONGEST_NAME = 120

/** The same as a plain text, for a sentence or the name of a control. */
export function plainText(text: string): string {
  const visible = text.replace(INVISIBLE, '\u{fffd}')
  return visible.length > LONGEST_NAME ? `${visible.slice(0, LONGEST_NAME)}…` : visible
}

/** An address from a hit, as a link only if it is one to a web page. */
export function HostileLink({ address, children }: { address: string; children?: string }) {
  const text = <HostileText>{children ?? address}</HostileText>
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return text
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" className={css.link}>
      {text}
    </a>
  )
}
