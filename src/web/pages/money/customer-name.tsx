import { Link } from 'wouter'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useLinks } from '../../state/kept-search.ts'
import { partOfPath } from '../../state/part-of-path.ts'
import css from './customer-name.module.css'

interface Props {
  /** Key of the customer in lists; without one there is no page. */
  id: string | null
  name: string | null
  email: string | null
  /** Id at the processor or in another system. */
  other: string | null
  /** Whether the address stands beside the name. */
  isLong?: boolean
}

/** A customer by the best name that is known, leading to its page. */
export function CustomerName({ id, name, email, other, isLong }: Props) {
  const links = useLinks()
  const shown = name || email || other || id || '–'
  const content = (
    <>
      <HostileText>{shown}</HostileText>
      {isLong && name && email && (
        <span className={css.more}>
          <HostileText>{email}</HostileText>
        </span>
      )}
    </>
  )
  if (id === null) return <span className={css.name}>{content}</span>
  return (
    <Link href={links(`/money/customers/${partOfPath(id)}`)} className={css.name}>
      {content}
    </Link>
  )
}
