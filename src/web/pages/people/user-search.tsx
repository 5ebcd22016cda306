import { useEffect, useState } from 'react'
import { useAddress } from '../../state/address.ts'
import { useText } from '../../text/text.tsx'
import css from './user-search.module.css'

const PAUSE_MS = 300
const LONGEST = 255

/** Finds users by a part of their identifier or name, while the person types. */
export function UserSearch() {
  const { people } = useText()
  const { params, change } = useAddress()
  const asked = params.get('search') ?? ''
  const [typed, setTyped] = useState(asked)
  useEffect(() => {
    if (typed === asked) return
    const timer = setTimeout(() => change({ search: typed || null, page: null }, { replace: true }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, asked, change])
  return (
    <input
      type="search"
      className={css.search}
      value={typed}
      maxLength={LONGEST}
      placeholder={people.searchUsers}
      aria-label={people.searchUsers}
      onChange={event => setTyped(event.target.value)}
    />
  )
}
