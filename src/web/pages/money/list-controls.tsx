import type { ReactNode } from 'react'
import { SearchInput, Select } from '../../parts/form/choices.tsx'
import { useText } from '../../text/text.tsx'
import css from './customers.module.css'

interface Props {
  search: string
  onSearch(text: string): void
  status: string | undefined
  onStatus(name: string): void
  /** Names of the states that can be chosen. */
  statuses: Readonly<Record<string, string>>
  /** Stands at the right. */
  action?: ReactNode
}

/** Search and status of a list. */
export function ListControls({ search, onSearch, status, onStatus, statuses, action }: Props) {
  const { lists: text } = useText().money
  return (
    <div className={css.controls}>
      <div className={css.search}>
        <SearchInput label={text.search} value={search} onSearch={onSearch} />
      </div>
      <Select
        label={text.status}
        value={status ?? ''}
        options={[
          { value: '', label: text.anyStatus },
          ...Object.entries(statuses).map(([value, label]) => ({ value, label })),
        ]}
        onChange={onStatus}
      />
      <span className={css.grow} />
      {action}
    </div>
  )
}
