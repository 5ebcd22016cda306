import type { Section } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { NONE } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Select } from '../../parts/form/choices.tsx'
import { Answer, Empty, Skeleton } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { JourneyList } from './journey-list.tsx'
import { JourneyPicture } from './journey-picture.tsx'
import css from './journeys.module.css'
import type { Journeys as Answered } from './layout.ts'
import { useFrequentValues, ValuePicker } from './value-picker.tsx'

const BY = { path: 'pages', title: 'pages', event_name: 'events' } as const satisfies Record<
  Answered['by'],
  Section
>
const DIRECTIONS = ['from', 'to'] as const satisfies readonly Answered['direction'][]
const STEPS = [2, 3, 4, 5, 6, 8]
const BRANCHES = [3, 5, 8, 12]

/** Which way visits go from a page, a title or an event, or how they come to it. */
export default function Journeys() {
  const { journeys: text } = useText()
  const { can } = useSite()
  const { input } = useQuestion()
  const { exact } = useFormat()
  const { params, change } = useAddress()
  const names = (Object.keys(BY) as Answered['by'][]).filter(name => can(BY[name]))
  const by = names.find(name => name === params.get('by')) ?? names[0]!
  const direction = DIRECTIONS.find(name => name === params.get('direction')) ?? 'from'
  const steps = STEPS.find(count => String(count) === params.get('steps')) ?? 3
  const branches = BRANCHES.find(count => String(count) === params.get('branches')) ?? 5
  const frequent = useFrequentValues(by, '')
  const value = params.get('value') ?? frequent.data?.data.find(each => each.value !== NONE)?.value
  const query = {
    ...input,
    by,
    steps,
    branches,
    ...(direction === 'from' ? { starting_at: value } : { ending_at: value }),
  }
  const read = useStats('journeys', query, {
    enabled: value !== undefined,
  })
  const set = (changes: Record<string, string | null>) => change(changes, { replace: true })
  const isEmpty = frequent.data !== undefined && value === undefined
  return (
    <>
      <h1 className="only-read">{text.title}</h1>
      <section className={css.controls} aria-label={text.title}>
        <Select
          label={text.direction}
          value={direction}
          options={DIRECTIONS.map(name => ({ value: name, label: text.directions[name] }))}
          onChange={next => set({ direction: next === 'from' ? null : next })}
        />
        <Select
          label={text.what}
          value={by}
          options={names.map(name => ({ value: name, label: text.by[name] }))}
          onChange={next => set({ by: next === 'path' ? null : next, value: null })}
        />
        <ValuePicker key={by} by={by} value={value} onChoose={next => change({ value: next })} />
        <span className={css.grow} />
        <Select
          label={text.steps}
          value={String(steps)}
          options={STEPS.map(count => ({ value: String(count), label: text.stepCount(exact(count)) }))}
          onChange={next => set({ steps: next === '3' ? null : next })}
        />
        <Select
          label={text.branches}
          value={String(branches)}
          options={BRANCHES.map(count => ({ value: String(count), label: text.branchCount(exact(count)) }))}
          onChange={next => set({ branches: next === '5' ? null : next })}
        />
      </section>
      <Card label={text.title}>
        {isEmpty ? (
          <Empty />
        ) : (
          <Answer
            read={frequent.failure && value === undefined ? { ...read, ...frequent, data: undefined } : read}
            placeholder={<Skeleton rows={10} />}
          >
            {journeys =>
              journeys.steps.length === 0 ? (
                <Empty title={text.none} />
              ) : (
                <>
                  <JourneyPicture journeys={journeys} onFollow={next => change({ value: next })} />
                  <JourneyList journeys={journeys} />
                  <p className={css.help}>{text.help}</p>
                </>
              )
            }
          </Answer>
        )}
      </Card>
    </>
  )
}
