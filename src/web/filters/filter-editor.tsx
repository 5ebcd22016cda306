import { type KeyboardEvent, useId, useState } from 'react'
import type { Section } from '../api/client.ts'
import { useStats } from '../api/use-stats.ts'
import { Button } from '../parts/form/button.tsx'
import { SearchInput } from '../parts/form/choices.tsx'
import { SelectField } from '../parts/form/field.tsx'
import { HostileText } from '../parts/hostile-text.tsx'
import { FailureNote, Skeleton } from '../parts/states.tsx'
import {
  FILTER_NAMES,
  FILTERS,
  type Filter,
  type FilterName,
  hasOperators,
  OPERATORS,
  type Operator,
} from '../state/filters.ts'
import { useQuestion, useSite } from '../state/site.tsx'
import { useText } from '../text/text.tsx'
import { NONE, useGoalNames, useValueText } from './filter-text.ts'
import css from './filters.module.css'

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

interface ValueChooserProps {
  name: FilterName
  /** Whether whole values are compared: then there is a list of those that occur. */
  isWhole: boolean
  values: readonly string[]
  onChange(values: readonly string[]): void
}

const MOST_KNOWN = 500
const MOST_SHOWN = 60

/** Chooses values of a dimension from those that occur in the period, or takes what is typed. */
function ValueChooser({ name, isWhole, values, onChange }: ValueChooserProps) {
  const { filters: text, common } = useText()
  const list = useId()
  const [typed, setTyped] = useState('')
  const valueText = useValueText()
  const known = useKnownValues(name, isWhole)
  const toggle = (value: string) =>
    onChange(values.includes(value) ? values.filter(each => each !== value) : [...values, value])
  const take = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    const [first] = matching.length === 1 ? matching : []
    if (first ?? typed) toggle(first?.value ?? typed)
    setTyped('')
  }
  const labelOf = (value: string) => known.labels.get(value) ?? valueText(name, value)
  const wanted = typed.toLowerCase()
  const matching = known.values
    .map(value => ({ value, label: labelOf(value) }))
    .filter(
      ({ value, label }) => label.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted),
    )
  const chosenOnly = values.filter(value => !known.values.includes(value))
  const shown = [
    ...chosenOnly.map(value => ({ value, label: labelOf(value) })),
    ...matching.slice(0, MOST_SHOWN),
  ]
  return (
    <div className={css.chooser}>
      <SearchInput
        label={isWhole ? text.searchValues : text.enterValue}
        value={typed}
        onSearch={setTyped}
        onKeyDown={take}
        aria-controls={list}
      />
      <ul id={list} className={css.valueChooserList} aria-label={text.values}>
        {known.failure && <FailureNote failure={known.failure} again={known.again} />}
        {isWhole && known.isLoading && <Skeleton rows={4} />}
        {shown.map(({ value, label }) => (
          <li key={value}>
            <label className={css.value}>
              <input
                type="checkbox"
                checked={values.includes(value)}
                onChange={() => toggle(value)}
                onKeyDown={event => {
                  // Enter would send the form without the value.
                  if (event.key !== 'Enter') return
                  event.preventDefault()
                  toggle(value)
                }}
              />
              <HostileText>{label}</HostileText>
            </label>
          </li>
        ))}
        {shown.length === 0 && !known.isLoading && (
          <li className={css.none}>
            {isWhole ? (typed === '' ? common.states.empty : text.noValues) : text.enterValue}
          </li>
        )}
      </ul>
    </div>
  )
}

function useKnownValues(name: FilterName, isWhole: boolean) {
  const { input } = useQuestion()
  const goals = useGoalNames(name === 'goal')
  const hasList = isWhole && name !== 'goal' && name !== 'segment'
  const read = useStats(
    'filterValues',
    { ...input, dimension: name as 'path', limit: MOST_KNOWN },
    { enabled: hasList, keep: false },
  )
  if (name === 'goal') {
    const labels = new Map(goals?.map(({ id, display_name }) => [id, display_name]))
    return { values: [...labels.keys()], labels, isLoading: !goals, failure: undefined, again: () => {} }
  }
  const values = hasList ? (read.data?.values.map(({ value }) => value) ?? []) : []
  return {
    values: hasList && read.data ? [...values, NONE] : values,
    labels: new Map<string, string>(),
    isLoading: hasList && !read.data && !read.failure,
    failure: read.failure,
    again: read.again,
  }
}
