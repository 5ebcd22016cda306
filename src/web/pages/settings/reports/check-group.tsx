import { CheckField } from '../../../parts/form/field.tsx'
import css from '../settings.module.css'

interface Props<Value extends string> {
  label: string
  options: readonly { value: Value; label: string }[]
  chosen: readonly Value[]
  onChange(chosen: readonly Value[]): void
}

/** Several of a few values. */
export function CheckGroup<Value extends string>({ label, options, chosen, onChange }: Props<Value>) {
  return (
    <fieldset className={css.group}>
      <legend>{label}</legend>
      <div className={css.checks}>
        {options.map(option => (
          <CheckField
            key={option.value}
            label={option.label}
            checked={chosen.includes(option.value)}
            onChange={event =>
              onChange(
                event.target.checked
                  ? [...chosen, option.value]
                  : chosen.filter(each => each !== option.value),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  )
}
