import { useState } from 'react'
import type { Section } from '../api/types.ts'
import { Button } from '../parts/form/button.tsx'
import { SelectField } from '../parts/form/field.tsx'
import {
  FILTER_NAMES,
  FILTERS,
  type Filter,
  type FilterName,
  hasOperators,
  OPERATORS,
  type Operator,
} from '../state/filters.ts'
import { useSite } from '../state/site.tsx'
import { useText } from '../text/text.tsx'
import css from './filter-editor.module.css'
import { ValueChooser } from './value-chooser.tsx'

interface Props {
  /** The filter to change; without it a new one is made. */
  filter?: Filter
  /** Only these dimensions; by default all that the reader may see. */
  only?(name: FilterName): boolean
  onApply(filter: Filter): void
}

/** Segments have a menu of their own, and the value of a property follows its key. */
const CHOSEN_ELSEWHERE: readonly FilterName[] = ['segment']

/** Chooses a dimension, an operator and values. */
export default function FilterEditor({ filter, only = () => true, onApply }: Props) {
  const { filters: text } = useText()
  const site = useSite()
  const names = FILTER_NAMES.filter(
    name => !CHOSEN_ELSEWHERE.includes(name) && site.can(FILTERS[name] as Section) && only(name),
  )
  const [name, setName] = useState<FilterName>(filter?.name ?? names[0]!)
  const [operator, setOperator] = useState<Operator>(filter?.operator ?? 'is')
  const [values, setValues] = useState<readonly string[]>(filter?.values ?? [])
  return (
    <div className={css.editor}>
      <SelectField
        label={text.choose}
        value={name}
        disabled={filter !== undefined}
        onChange={event => {
          setName(event.target.value as FilterName)
          setValues([])
        }}
        options={names.map(value => ({ value, label: text.names[value] }))}
      />
      {hasOperators(name) && (
        <SelectField
          label={text.label}
          value={operator}
          onChange={event => setOperator(event.target.value as Operator)}
          options={OPERATORS.map(value => ({ value, label: text.operators[value] }))}
        />
      )}
      <ValueChooser
        key={name}
        name={name}
        isWhole={operator === 'is' || operator === 'is_not'}
        values={values}
        onChange={setValues}
      />
      <Button
        kind="main"
        disabled={values.length === 0}
        onClick={() => onApply({ name, operator: hasOperators(name) ? operator : 'is', values: [...values] })}
      >
        {text.apply}
      </Button>
    </div>
  )
}
