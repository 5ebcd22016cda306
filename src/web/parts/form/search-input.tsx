import type { ComponentProps, KeyboardEvent } from 'react'
import css from './search-input.module.css'

interface Props extends Omit<ComponentProps<'input'>, 'onChange'> {
  /** What is searched; the name of the field, and what stands in it while it is empty. */
  label: string
  onSearch(text: string): void
}

/** What a person chooses from, below the field. */
const RESULT = 'li button, li input, tbody button, tbody a'

/** Leads to the first result with the down arrow; Enter then chooses it. */
function leadDown(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'ArrowDown') return
  const field = event.currentTarget
  const results = field.closest('[role=dialog], form, section')?.querySelectorAll<HTMLElement>(RESULT) ?? []
  const first = [...results].find(
    each => field.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING,
  )
  if (!first) return
  event.preventDefault()
  first.focus()
}

/** A field that searches while the person types. */
export function SearchInput({ label, onSearch, onKeyDown, ...input }: Props) {
  return (
    <input
      type="search"
      {...input}
      className={css.input}
      placeholder={label}
      aria-label={label}
      onKeyDown={event => {
        leadDown(event)
        onKeyDown?.(event)
      }}
      onChange={event => onSearch(event.target.value)}
    />
  )
}
