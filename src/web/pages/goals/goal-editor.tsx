import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { statsKey } from '../../api/use-stats.ts'
import { Editor } from '../../parts/editor.tsx'
import { Button, IconButton } from '../../parts/form/button.tsx'
import { CheckField, FieldGroup, SelectField, TextField } from '../../parts/form/field.tsx'
import { useFieldErrors } from '../../parts/form/form.tsx'
import { OPERATORS } from '../../state/filters.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { GoalPreview } from './goal-preview.tsx'
import {
  type Definition,
  type Draft,
  definitionOf,
  draftOf,
  GOAL_TYPES,
  type Goal,
  type GoalType,
  isComplete,
  NEW_DRAFT,
  TYPES,
  usualOperator,
} from './goal-types.ts'
import css from './goals.module.css'

interface Props {
  /** The goal to change; without it a new one is made. */
  goal?: Goal
  onClose(): void
}

/** Defines a goal, and shows meanwhile what it would have counted. */
export function GoalEditor({ goal, onClose }: Props) {
  const { goals: text, common } = useText()
  const { id, currency } = useSite()
  const [draft, setDraft] = useState<Draft>(() => (goal ? draftOf(goal) : NEW_DRAFT))
  const set = (changes: Partial<Draft>) => setDraft(latest => ({ ...latest, ...changes }))
  const save = useChange(
    (definition: Definition) =>
      goal
        ? api.goals.update.mutate({ siteKey: id, goal: goal.id, ...definition })
        : api.goals.create.mutate({ siteKey: id, ...definition }),
    [['goals', id], statsKey('goals')],
  )
  const definition = definitionOf(draft, currency)
  return (
    <Editor
      title={goal ? text.edit : text.create}
      label={goal ? text.edit : text.create}
      send={goal ? common.actions.save : common.actions.create}
      change={save}
      inputOf={() => definition}
      onClose={onClose}
    >
      <TypeFields draft={draft} set={set} />
      {draft.type === 'event' && (
        <>
          <PropertyFields props={draft.props} onChange={props => set({ props })} />
          <CheckField
            label={text.countsRevenue(currency)}
            hint={text.countsRevenueHint}
            checked={draft.hasRevenue}
            onChange={event => set({ hasRevenue: event.target.checked })}
          />
        </>
      )}
      <TextField
        name="display_name"
        label={text.name}
        hint={text.nameHint}
        maxLength={255}
        value={draft.name}
        onChange={event => set({ name: event.target.value })}
      />
      {isComplete(draft) && <GoalPreview definition={definition} />}
    </Editor>
  )
}

interface FieldsProps {
  draft: Draft
  set(changes: Partial<Draft>): void
}

function TypeFields({ draft, set }: FieldsProps) {
  const { goals: text, filters } = useText()
  const kind = GOAL_TYPES[draft.type]
  const isPattern = draft.operator === 'matches_pattern'
  return (
    <>
      <SelectField
        name="type"
        label={text.type}
        value={draft.type}
        field="match_type"
        options={TYPES.map(value => ({ value, label: text.typeNames[value] }))}
        onChange={event => {
          const type = event.target.value as GoalType
          set({ type, ...(GOAL_TYPES[type] !== kind && { operator: usualOperator(type), value: '' }) })
        }}
      />
      <SelectField
        name="operator"
        label={text.valueNames[kind]}
        value={draft.operator}
        field="match_operator"
        options={OPERATORS.map(value => ({ value, label: filters.operators[value] }))}
        onChange={event => set({ operator: event.target.value as Draft['operator'] })}
      />
      <TextField
        name="value"
        aria-label={text.valueNames[kind]}
        label={text.value}
        hint={isPattern ? text.patternHint : kind === 'selector' ? text.selectorHint : undefined}
        field="match_value"
        value={draft.value}
        onChange={event => set({ value: event.target.value })}
        placeholder={kind === 'name' ? 'Signup' : kind === 'path' ? '/thanks' : 'button.primary'}
        maxLength={2048}
        autoCapitalize="none"
        spellCheck={false}
        required={kind !== 'selector'}
        autoFocus
      />
      {draft.type === 'scroll' && (
        <TextField
          name="threshold"
          type="number"
          min={0}
          max={100}
          label={text.threshold}
          field="scroll_threshold"
          value={draft.threshold}
          onChange={event => set({ threshold: event.target.value })}
          required
        />
      )}
    </>
  )
}

const MOST = 3

interface PropertyFieldsProps {
  props: Draft['props']
  onChange(props: Draft['props']): void
}

/** Properties that the event must have. */
function PropertyFields({ props, onChange }: PropertyFieldsProps) {
  const errors = useFieldErrors('custom_props') ?? []
  const { goals: text, common, filters } = useText()
  const replace = (index: number, changes: Partial<Draft['props'][number]>) =>
    onChange(props.map((each, at) => (at === index ? { ...each, ...changes } : each)))
  return (
    <FieldGroup label={text.properties}>
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
        <Button className={css.add} onClick={() => onChange([...props, { key: '', value: '' }])}>
          {text.addProperty}
        </Button>
      )}
      {errors.length > 0 && (
        <p className={css.errors} role="alert">
          {errors.join(' · ')}
        </p>
      )}
    </FieldGroup>
  )
}
