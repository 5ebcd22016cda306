import css from './select.module.css'

interface Props<Value extends string> {
  /** Its name; it is read, and not shown. */
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange(value: Value): void
}

/** A switch among a few values, above what it changes. */
export function Select<Value extends string>({ label, value, options, onChange }: Props<Value>) {
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
