import css from './choice.module.css'

interface Props<Value extends string> {
  label: string
  options: readonly { value: Value; label: string; lang?: string }[]
  value: Value
  onChange(value: Value): void
}

/** A few values side by side, of which one is chosen. */
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
