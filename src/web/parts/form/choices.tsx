import type { ComponentProps, KeyboardEvent } from 'react'
import css from './form.module.css'

interface Props<Value extends string> {
  label: string
  options: readonly { value: Value; label: string; lang?: string }[]
  value: Value
  onChange(value: Value): void
}

/** A few values side by side; one is chosen. */
export function Choice<Value extends string>({ label, options, value, onChange }: Props<Value>) {
  return (
    <fieldset className={css.group}>
      <legend>{label}</legend>
      <div className={css.options}>
        {options.map(option => (
          <button
            key={option.value}
            type="button"
            lang={option.lang}
            className={css.option}
            aria-pressed={option.value === value}
            onClick={() => onChange(option.value)}
          >
            {option.label}
          </button>
        ))}
      </div>
    </fieldset>
  )
}

interface SelectProps<Value extends string> {
  /** Its name; it is read, and not shown. */
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange(value: Value): void
}

/** A switch among a few values, above what it changes. */
export function Select<Value extends string>({ label, value, options, onChange }: SelectProps<Value>) {
  return (
    <select
      className={css.select}
      value={value}
      aria-label={label}
      title={label}
      onChange={event => onChange(event.target.value as Value)}
    >
      {options.map(option => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}

interface SearchInputProps extends Omit<ComponentProps<'input'>, 'onChange'> {
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
export function SearchInput({ label, onSearch, onKeyDown, ...input }: SearchInputProps) {
  return (
    <input
      type="search"
      {...input}
      className={css.search}
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
