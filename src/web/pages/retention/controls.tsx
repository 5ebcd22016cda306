import { Select } from '../../parts/form/select.tsx'
import { useAddress } from '../../state/address.ts'
import { useText } from '../../text/text.tsx'
import css from './controls.module.css'
import { MONEY_MEASURES, PERIODS, type useChoices } from './use-choices.ts'

/** Chooses what people begin with, how long a period is, and what is counted. */
export function Controls(choices: ReturnType<typeof useChoices>) {
  const { retention: text } = useText()
  const { params, change } = useAddress()
  const { cohorts, cohort, goals, goal, period, measure } = choices
  return (
    <section className={css.controls} aria-label={text.title}>
      <Select
        label={text.cohort}
        value={cohort}
        options={cohorts.map(value => ({ value, label: `${text.cohort}: ${text.cohorts[value]}` }))}
        onChange={choices.onCohort}
      />
      {cohort === 'goal' && goals && goal && (
        <Select
          label={text.goal}
          value={goal}
          options={goals.map(({ id, display_name }) => ({ value: id, label: display_name }))}
          onChange={choices.onGoal}
        />
      )}
      {cohort === 'payment' && (
        <Select
          label={text.measure}
          value={measure}
          options={MONEY_MEASURES.map(value => ({ value, label: text.measures[value] }))}
          onChange={choices.onMeasure}
        />
      )}
      <span className={css.grow} />
      <Select
        label={text.period}
        value={period}
        options={PERIODS.map(value => ({ value, label: `${text.period} ${text.periods[value]}` }))}
        onChange={choices.onPeriod}
      />
      <Select
        label={text.show}
        value={params.get('show') === 'value' ? 'value' : 'rate'}
        options={(['rate', 'value'] as const).map(value => ({ value, label: text.shows[value] }))}
        onChange={next => change({ show: next === 'rate' ? null : next }, { replace: true })}
      />
    </section>
  )
}
