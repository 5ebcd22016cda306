import { Link } from 'wouter'
import { HostileText } from '../parts/hostile-text.tsx'
import { useLinks } from '../state/address.ts'
import { partOfPath } from '../state/places.ts'
import { useText } from '../text/text.tsx'
import css from './visits.module.css'

/** Who a row of the API is about; null for readers who may not see people. */
interface Actor {
  visitor_id: string | null
  user_id: string | null
  display_name: string | null
  avatar_url: string | null
}

/** Address of a person's page: that of the user, if they are identified, else that of the visitor. */
export const pathOfPerson = ({ user_id, visitor_id }: Pick<Actor, 'user_id' | 'visitor_id'>): string =>
  `/people/${partOfPath(user_id || visitor_id || '')}`

interface Props {
  actor: Actor
  /** Page behind the name, if it is not that of the person. */
  path?: string
}

/** Picture and name of a visitor, with a link. */
export function Who({ actor, path }: Props) {
  const { people } = useText()
  const linkTo = useLinks()
  if (!actor.visitor_id && !actor.user_id) return <span className={css.unknown}>{people.unknownVisitor}</span>
  return (
    <Link href={linkTo(path ?? pathOfPerson(actor))} className={css.who}>
      <Avatar url={actor.avatar_url} />
      <span className={css.whoName}>
        <HostileText>{actor.display_name || actor.user_id || people.unknownVisitor}</HostileText>
      </span>
    </Link>
  )
}

interface AvatarProps {
  /** Address of the picture as the API gives it: that of the service. */
  url: string | null
  size?: 'small' | 'large'
}

/** Picture of a visitor, beside their name. */
export function Avatar({ url, size = 'small' }: AvatarProps) {
  const className = `${css.avatar} ${css[size]}`
  if (!url) return <span className={className} />
  return <img className={className} src={relativeOf(url)} alt="" loading="lazy" />
}

/** Relative to the page, which may stand at another address of the service than the one that it knows. */
function relativeOf(url: string): string {
  const start = url.indexOf('/avatars/')
  return start === -1 ? 'data:,' : url.slice(start + 1)
}
