import type { ComponentProps } from 'react'
import css from './search-input.module.css'

interface Props extends Omit<ComponentProps<'input'>, 'onChange'> {
  /** What is searched; the name of the field, and what stands in it while it is empty. */
  label: string
  onSearch(text: string): void
}

/** A field that searches while the person types. */
export function SearchInput({ label, onSearch, ...input }: Props) {
  return (
    <input
      type="search"
      {...input}
      className={css.input}
      placeholder={label}
      aria-label={label}
      onChange={event => onSearch(event.target.value)}
    />
  )
}
