import { useGoalNames } from '../../filters/filter-text.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './people.module.css'

const SHOWN = 6
/** Goals that the service makes for payments and subscriptions stand behind one's own. */
const OF_SERVICE = /^(payment|free_trial|trial_\w+|subscription_\w+)$/
const DAYS = ['today', 'yesterday'] as const

/** Who converted, and when: goals and the nearest days, each one click away. */
export function GoalPicker() {
  const { people, period: periodText } = useText()
  const site = useSite()
  const { filters, period, addFilter, setFilters, setPeriod } = useQuestion()
  const goals = ownFirst(useGoalNames(site.can('goals')) ?? [])
  if (goals.length === 0) return null
  const filter = filters.find(({ name }) => name === 'goal')
  const chosen = filter?.values ?? []
  const add = (id: string) => addFilter({ name: 'goal', operator: 'is', values: [id] })
  const remove = (id: string) => {
    const values = chosen.filter(value => value !== id)
    const others = filters.filter(each => each !== filter)
    setFilters(values.length === 0 || !filter ? others : [...others, { ...filter, values }])
  }
  const shown = goals.filter(({ id }, index) => index < SHOWN || chosen.includes(id))
  const hidden = goals.filter(goal => !shown.includes(goal))
  return (
    <fieldset className={css.picker}>
      <legend className="only-read">{people.converted}</legend>
      <span className={css.label} aria-hidden="true">
        {people.converted}
      </span>
      {shown.map(({ id, display_name }) => {
        const isChosen = chosen.includes(id)
        return (
          <button
            key={id}
            type="button"
            className={css.chip}
            aria-pressed={isChosen}
            onClick={() => (isChosen ? remove(id) : add(id))}
          >
            <HostileText>{display_name}</HostileText>
          </button>
        )
      })}
      {hidden.length > 0 && (
        <select
          className={`${css.chip} ${css.others}`}
          aria-label={people.otherGoals}
          value=""
          onChange={event => add(event.target.value)}
        >
          <option value="">{people.otherGoals}</option>
          {hidden.map(({ id, display_name }) => (
            <option key={id} value={id}>
              {display_name.slice(0, 80)}
            </option>
          ))}
        </select>
      )}
      <span className={css.line} />
      {DAYS.map(day => (
        <button
          key={day}
          type="button"
          className={css.chip}
          aria-pressed={period.range === day}
          onClick={() => setPeriod({ ...period, range: day })}
        >
          {periodText.presets[day]}
        </button>
      ))}
    </fieldset>
  )
}

function ownFirst<Goal extends { match_value: string | null }>(goals: readonly Goal[]): Goal[] {
  const isOfService = ({ match_value: value }: Goal) => OF_SERVICE.test(value ?? '')
  return [...goals].sort((a, b) => Number(isOfService(a)) - Number(isOfService(b)))
}
