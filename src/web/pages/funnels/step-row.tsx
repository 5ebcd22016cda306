import { useGoalNames } from '../../filters/filter-text.ts'
import { IconButton } from '../../parts/form/button.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { OPERATORS } from '../../state/filters.ts'
import { useText } from '../../text/text.tsx'
import { type DraftStep, type StepOperator, type StepType, TYPES } from './draft.ts'
import css from './funnel-form.module.css'

interface Props {
  step: DraftStep
  index: number
  isLast: boolean
  errors: readonly string[]
  onChange(step: DraftStep): void
  /** Moves it by one place, up or down. */
  onMove(by: -1 | 1): void
  onRemove(): void
}

/** One step of a funnel that is being edited. */
export function StepRow({ step, index, isLast, errors, onChange, onMove, onRemove }: Props) {
  const { funnels: text } = useText()
  const number = String(index + 1)
  return (
    <li className={css.row}>
      <span className={css.number} aria-hidden="true">
        {number}
      </span>
      {step.goal === null ? (
        // A changed step is no longer what its name says.
        <OwnStep step={step} onChange={changes => onChange({ ...step, ...changes, name: null })} />
      ) : (
        <GoalStep goal={step.goal} />
      )}
      <span className={css.tools}>
        <IconButton label={text.up(number)} disabled={index === 0} onClick={() => onMove(-1)}>
          ↑
        </IconButton>
        <IconButton label={text.down(number)} disabled={isLast} onClick={() => onMove(1)}>
          ↓
        </IconButton>
        <IconButton label={text.remove(number)} onClick={onRemove}>
          ×
        </IconButton>
      </span>
      {errors.length > 0 && (
        <p className={css.errors} role="alert">
          {errors.join(' · ')}
        </p>
      )}
    </li>
  )
}

function GoalStep({ goal }: { goal: string }) {
  const { funnels: text } = useText()
  const name = useGoalNames()?.find(({ id }) => id === goal)?.display_name ?? '…'
  return (
    <span className={css.goal}>
      <span className={css.kind}>{text.goal}</span>
      <HostileText>{name}</HostileText>
    </span>
  )
}

function OwnStep({ step, onChange }: { step: DraftStep; onChange(changes: Partial<DraftStep>): void }) {
  const { funnels: text, filters } = useText()
  const { type, operator, value, threshold } = step
  return (
    <span className={css.fields}>
      <select
        className={css.input}
        value={type}
        aria-label={text.type}
        onChange={event => onChange({ type: event.target.value as StepType })}
      >
        {(Object.keys(TYPES) as StepType[]).map(name => (
          <option key={name} value={name}>
            {text.types[name]}
          </option>
        ))}
      </select>
      <select
        className={css.input}
        value={operator}
        aria-label={text.operator}
        onChange={event => onChange({ operator: event.target.value as StepOperator })}
      >
        {OPERATORS.map(name => (
          <option key={name} value={name}>
            {filters.operators[name]}
          </option>
        ))}
      </select>
      <input
        className={`${css.input} ${css.value}`}
        value={value}
        aria-label={text.value}
        placeholder={['pageview', 'scroll', 'event'].includes(type) ? '' : text.anyValue}
        maxLength={2_048}
        onChange={event => onChange({ value: event.target.value })}
      />
      {type === 'scroll' && (
        <input
          className={`${css.input} ${css.short}`}
          type="number"
          min={0}
          max={100}
          value={threshold}
          aria-label={text.threshold}
          onChange={event => onChange({ threshold: event.target.value })}
        />
      )}
    </span>
  )
}
