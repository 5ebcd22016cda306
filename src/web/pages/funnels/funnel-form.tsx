import { type KeyboardEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { statsKey, useStats } from '../../api/use-stats.ts'
import { NONE, useGoalNames } from '../../filters/filter-text.ts'
import { Button } from '../../parts/form/button.tsx'
import { SearchInput } from '../../parts/form/choices.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useQuestion, useSite } from '../../state/site.tsx'
import { usePaused } from '../../state/use-paused.ts'
import { useText } from '../../text/text.tsx'
import {
  type Body,
  type DraftStep,
  draftOf,
  type Funnel,
  nameOf,
  newStep,
  operatorFor,
  stepsOf,
  useWindowOptions,
} from './draft.ts'
import css from './funnel-form.module.css'
import { StepRow } from './step-row.tsx'

const MOST_STEPS = 8

interface Props {
  /** The funnel to change; without it a new one is made. */
  funnel?: Funnel
  onSaved(funnel: Funnel): void
}

/** Defines a funnel: its steps, and what connects them. */
export function FunnelForm({ funnel, onSaved }: Props) {
  const { funnels: text, common } = useText()
  const { id } = useSite()
  const goals = useGoalNames()
  const windows = useWindowOptions(funnel?.window)
  const [steps, setSteps] = useState<readonly DraftStep[]>(() => (funnel ? draftOf(funnel) : []))
  const save = useChange(
    (body: Body) =>
      funnel
        ? api.funnels.update.mutate({ siteKey: id, funnel: funnel.id, ...body })
        : api.funnels.create.mutate({ siteKey: id, ...body }),
    [['funnels', id], statsKey('savedFunnel')],
  )
  const suggested = nameOf(steps, {
    goal: id => goals?.find(each => each.id === id)?.display_name ?? '',
    type: type => text.types[type],
  })
  const send = async ({ name, window, by, order }: Record<string, string>) => {
    const saved = await save.send({
      name: name || suggested,
      steps: stepsOf(steps),
      window: window === 'session' ? 'session' : Number(window),
      by: by as Body['by'],
      order: order as Body['order'],
    })
    if (saved) onSaved(saved)
  }
  const errors = save.failure?.fields ?? {}
  const isTooFew = steps.length < 2
  return (
    <Form
      send={common.actions.save}
      isSending={save.isSending}
      failure={save.failure}
      label={funnel ? text.edit : text.create}
      onSend={values => !isTooFew && void send(values)}
      others={isTooFew && <span className={css.hint}>{text.tooFew}</span>}
    >
      {steps.length > 0 && (
        <ol aria-label={text.steps}>
          {steps.map((step, index) => (
            <StepRow
              key={step.key}
              step={step}
              index={index}
              isLast={index === steps.length - 1}
              errors={Object.entries(errors).flatMap(([field, messages]) =>
                field.startsWith(`steps.${index}.`) ? messages : [],
              )}
              onChange={next => setSteps(steps.map(each => (each === step ? next : each)))}
              onMove={by => setSteps(moved(steps, index, by))}
              onRemove={() => setSteps(steps.filter(each => each !== step))}
            />
          ))}
        </ol>
      )}
      {steps.length < MOST_STEPS && (
        <>
          <StepPicker onAdd={given => setSteps([...steps, newStep(given)])} />
          <Button kind="quiet" className={css.own} onClick={() => setSteps([...steps, newStep()])}>
            + {text.ownStep}
          </Button>
        </>
      )}
      <div className={css.options}>
        <TextField
          name="name"
          label={text.name}
          defaultValue={funnel?.name ?? ''}
          placeholder={suggested}
          maxLength={120}
        />
        <SelectField
          name="window"
          label={text.window}
          defaultValue={String(funnel?.window ?? 'session')}
          options={windows}
        />
        <SelectField
          name="by"
          label={text.by}
          defaultValue={funnel?.by ?? 'visitor'}
          options={Object.entries(text.bys).map(([value, label]) => ({ value, label }))}
        />
        <SelectField
          name="order"
          label={text.order}
          defaultValue={funnel?.order ?? 'loose'}
          options={Object.entries(text.orders).map(([value, label]) => ({ value, label }))}
        />
      </div>
    </Form>
  )
}

function moved(steps: readonly DraftStep[], index: number, by: -1 | 1): DraftStep[] {
  const next = [...steps]
  const [step] = next.splice(index, 1)
  next.splice(index + by, 0, step!)
  return next
}

const SHOWN = 8

interface Choice {
  label: string
  step: Partial<DraftStep>
}

/** Goals, pages and events to choose the next step from: one click each. */
function StepPicker({ onAdd }: { onAdd(step: Partial<DraftStep>): void }) {
  const { funnels: text } = useText()
  const [typed, setTyped] = useState('')
  const search = usePaused(typed.trim())
  const goals = useGoalNames() ?? []
  const pages = useValues('path', search)
  const events = useValues('event_name', search)
  const wanted = search.toLowerCase()
  const groups: { name: keyof typeof text.groups; choices: Choice[] }[] = [
    {
      name: 'pages',
      choices: pages.map(value => ({ label: value, step: { type: 'pageview', operator: 'is', value } })),
    },
    {
      name: 'goals',
      choices: goals
        .filter(({ display_name }) => display_name.toLowerCase().includes(wanted))
        .slice(0, SHOWN)
        .map(({ id, display_name }) => ({ label: display_name, step: { goal: id } })),
    },
    {
      name: 'events',
      choices: events.map(value => ({ label: value, step: { type: 'event', operator: 'is', value } })),
    },
  ]
  const take = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    const value = typed.trim()
    if (value === '') return
    onAdd({ type: value.startsWith('/') ? 'pageview' : 'event', operator: operatorFor(value), value })
    setTyped('')
  }
  return (
    <div className={css.picker}>
      <SearchInput label={text.search} value={typed} onSearch={setTyped} onKeyDown={take} />
      <p className={css.stepPickerHint}>{text.searchHint}</p>
      <div className={css.groups}>
        {groups
          .filter(({ choices }) => choices.length > 0)
          .map(({ name, choices }) => (
            <section key={name}>
              <h3 className={css.head}>{text.groups[name]}</h3>
              <ul>
                {choices.map(({ label, step }) => (
                  <li key={label}>
                    <button
                      type="button"
                      className={css.choice}
                      aria-label={text.add(label)}
                      onClick={() => {
                        onAdd(step)
                        setTyped('')
                      }}
                    >
                      <span aria-hidden="true">+</span>
                      <HostileText>{label}</HostileText>
                    </button>
                  </li>
                ))}
              </ul>
            </section>
          ))}
      </div>
    </div>
  )
}

/** The most frequent values of the period, whatever the filters. */
function useValues(dimension: 'path' | 'event_name', search: string): string[] {
  const { input } = useQuestion()
  const { siteKey, range, from, to } = input
  const query = {
    siteKey,
    ...(range === undefined ? { from, to } : { range }),
    dimension,
    per_page: SHOWN,
    ...(search !== '' && { search }),
  }
  const read = useStats('breakdown', query)
  return (read.data?.data ?? []).map(({ value }) => value).filter(value => value !== NONE)
}
