import css from './avatar.module.css'

interface Props {
  /** Address of the picture as the API gives it: that of the service. */
  url: string | null
  size?: 'small' | 'large'
}

/** Picture of a visitor, beside their name. */
export function Avatar({ url, size = 'small' }: Props) {
  const className = `${css.avatar} ${css[size]}`
  if (!url) return <span className={className} />
  return <img className={className} src={relativeOf(url)} alt="" loading="lazy" />
}

/** Relative to the page, which may stand at another address of the service than the one that it knows. */
function relativeOf(url: string): string {
  const start = url.indexOf('/avatars/')
  return start === -1 ? 'data:,' : url.slice(start + 1)
}
