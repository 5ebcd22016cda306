import { Button, IconButton } from '../../../parts/button.tsx'
import {
  FILTER_NAMES,
  type FilterName,
  hasOperators,
  OPERATORS,
  type Operator,
} from '../../../state/filters.ts'
import { useText } from '../../../text/text.tsx'
import type { StoredCondition } from '../filter-summary.tsx'
import css from './share-form.module.css'

/** A share narrows by dimensions alone. */
const NAMES = FILTER_NAMES.filter(name => hasOperators(name) && name !== 'prop_key' && name !== 'prop_value')

interface Props {
  conditions: readonly StoredCondition[]
  onChange(conditions: StoredCondition[]): void
}

/** Edits the filters that apply to everything a share shows. */
export function FilterRows({ conditions, onChange }: Props) {
  const { settings: text } = useText()
  const replace = (index: number, next: Partial<StoredCondition>) =>
    onChange(conditions.map((each, at) => (at === index ? { ...each, ...next } : each)))
  return (
    <fieldset className={css.group}>
      <legend>{text.fixedFilters}</legend>
      <p className={css.hint}>{text.fixedFiltersHint}</p>
      {conditions.map((condition, index) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity, and only the last one is added
          key={index}
          condition={condition}
          onChange={next => replace(index, next)}
          onRemove={() => onChange(conditions.filter((_, at) => at !== index))}
        />
      ))}
      <div>
        <Button onClick={() => onChange([...conditions, { name: 'path', operator: 'is', values: [] }])}>
          {text.addFilter}
        </Button>
      </div>
    </fieldset>
  )
}

interface RowProps {
  condition: StoredCondition
  onChange(next: Partial<StoredCondition>): void
  onRemove(): void
}

function Row({ condition: { name, operator, values }, onChange, onRemove }: RowProps) {
  const { filters: text, settings: words, common } = useText()
  return (
    <div className={css.row}>
      <select
        className={css.select}
        aria-label={text.choose}
        value={name}
        onChange={event => onChange({ name: event.target.value as FilterName })}
      >
        {NAMES.map(each => (
          <option key={each} value={each}>
            {text.names[each]}
          </option>
        ))}
      </select>
      <select
        className={css.select}
        aria-label={words.operator}
        value={operator}
        onChange={event => onChange({ operator: event.target.value as Operator })}
      >
        {OPERATORS.map(each => (
          <option key={each} value={each}>
            {text.operators[each]}
          </option>
        ))}
      </select>
      <IconButton label={common.actions.delete} onClick={onRemove}>
        ×
      </IconButton>
      <textarea
        className={css.values}
        rows={Math.max(1, values.length)}
        aria-label={text.values}
        placeholder={words.valuesHint}
        value={values.join('\n')}
        onChange={event => onChange({ values: event.target.value.split('\n') })}
      />
    </div>
  )
}
