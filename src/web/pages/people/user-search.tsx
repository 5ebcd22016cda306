import { useEffect, useState } from 'react'
import { SearchInput } from '../../parts/form/search-input.tsx'
import { useAddress } from '../../state/address.ts'
import { useText } from '../../text/text.tsx'

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
  return <SearchInput label={people.searchUsers} value={typed} maxLength={LONGEST} onSearch={setTyped} />
}
