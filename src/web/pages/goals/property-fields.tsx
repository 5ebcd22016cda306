import { Button, IconButton } from '../../parts/form/button.tsx'
import { useText } from '../../text/text.tsx'
import type { Draft } from './goal-types.ts'
import css from './goals.module.css'

const MOST = 3

interface Props {
  props: Draft['props']
  onChange(props: Draft['props']): void
  errors: readonly string[] | undefined
}

/** Properties that the event must have. */
export function PropertyFields({ props, onChange, errors = [] }: Props) {
  const { goals: text, common, filters } = useText()
  const replace = (index: number, changes: Partial<Draft['props'][number]>) =>
    onChange(props.map((each, at) => (at === index ? { ...each, ...changes } : each)))
  return (
    <fieldset className={css.group}>
      <legend>{text.properties}</legend>
      {props.map(({ key, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
        <div className={css.pair} key={index}>
          <input
            className={css.input}
            aria-label={filters.names.prop_key}
            placeholder={filters.names.prop_key}
            maxLength={300}
            value={key}
            onChange={event => replace(index, { key: event.target.value })}
          />
          <input
            className={css.input}
            aria-label={filters.names.prop_value}
            placeholder={filters.names.prop_value}
            maxLength={2000}
            value={value}
            onChange={event => replace(index, { value: event.target.value })}
          />
          <IconButton
            label={common.actions.delete}
            onClick={() => onChange(props.filter((_, at) => at !== index))}
          >
            ×
          </IconButton>
        </div>
      ))}
      {props.length < MOST && (
        <Button onClick={() => onChange([...props, { key: '', value: '' }])}>{text.addProperty}</Button>
      )}
      {errors.length > 0 && (
        <p className={css.errors} role="alert">
          {errors.join(' · ')}
        </p>
      )}
    </fieldset>
  )
}
