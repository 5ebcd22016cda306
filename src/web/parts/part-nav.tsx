import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import css from './part-nav.module.css'

export interface Part {
  /** Last part of the address; empty for the first one. */
  path: string
  label: string
}

interface Props {
  /** Address of the first part. */
  base: string
  label: string
  parts: readonly Part[]
  /** `path` of the part that is shown. */
  current: string
  /** Further links, to pages elsewhere. */
  others?: readonly { href: string; label: string }[]
  children: ReactNode
}

/** Parts of a page that have an address each: a list beside the content, above it on a phone. */
export function PartNav({ base, label, parts, current, others = [], children }: Props) {
  const nav = useRef<HTMLElement>(null)
  // On a phone the list is wider than the screen. `scrollIntoView` would also move where the Tab key begins.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another part is another link
  useEffect(() => {
    const here = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (here) here.parentElement!.scrollLeft = here.offsetLeft - (innerWidth - here.offsetWidth) / 2
  }, [current])
  const links = [
    ...parts.map(({ path, label: name }) => ({
      href: path === '' ? base : `${base}/${path}`,
      label: name,
      isHere: path === current,
    })),
    ...others.map(each => ({ ...each, isHere: false })),
  ]
  return (
    <div className={css.page}>
      <nav ref={nav} className={css.nav} aria-label={label}>
        {links.map(({ href, label: name, isHere }) => (
          <Link key={href} href={href} className={css.link} aria-current={isHere ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <div className={css.content}>{children}</div>
    </div>
  )
}
