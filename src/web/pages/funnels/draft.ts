import type { Inputs, Outputs } from '../../api/client.ts'
import { useText } from '../../text/text.tsx'

export type Funnel = Outputs['funnels']['list']['data'][number]
export type Body = Omit<Inputs['funnels']['create'], 'siteKey'>
type BodyStep = Body['steps'][number]
export type StepType = NonNullable<BodyStep['type']>
export type StepOperator = NonNullable<BodyStep['operator']>

/** A step that is being edited: a goal, or a definition of its own. */
export interface DraftStep {
  /** Identifies the step while it moves. */
  key: number
  goal: string | null
  type: StepType
  operator: StepOperator
  value: string
  threshold: string
  props: Record<string, string> | null
  /** Name that was saved; it goes when the step is changed. */
  name: string | null
}

export const TYPES = {
  pageview: true,
  event: true,
  scroll: true,
  outbound: true,
  download: true,
  button: true,
  form: true,
  copy: true,
} as const satisfies Record<StepType, true>

let keys = 0

const EMPTY: Omit<DraftStep, 'key'> = {
  goal: null,
  type: 'pageview',
  operator: 'matches_pattern',
  value: '',
  threshold: '50',
  props: null,
  name: null,
}

export const newStep = (given: Partial<DraftStep> = {}): DraftStep => {
  keys += 1
  return { ...EMPTY, ...given, key: keys }
}

/** Returns the steps of a saved funnel for editing. */
export const draftOf = (funnel: Funnel): DraftStep[] =>
  funnel.steps.map(({ goal, type, operator, value, scroll_threshold: threshold, props, name }) =>
    newStep({
      goal,
      type: type ?? 'pageview',
      operator: operator ?? 'is',
      value: value ?? '',
      threshold: String(threshold ?? 50),
      props,
      // A goal is shown by its own name, also after it got another one.
      name: goal === null ? name : null,
    }),
  )

/** Returns the steps as the API takes them. */
export const stepsOf = (steps: readonly DraftStep[]): Body['steps'] =>
  steps.map(({ goal, type, operator, value, threshold, props, name }) => {
    if (goal !== null) return { goal }
    return {
      type,
      operator,
      value: value === '' ? null : value,
      ...(type === 'scroll' && { scroll_threshold: Number(threshold) }),
      ...(type === 'event' && props && { props }),
      ...(name !== null && { name }),
    }
  })

const LONGEST_NAME = 120

/** Returns a name made of the steps, for a funnel that was given none. */
export function nameOf(
  steps: readonly DraftStep[],
  names: { goal(id: string): string; type(type: StepType): string },
): string {
  const shown = steps.map(({ goal, value, type }) =>
    goal === null ? value || names.type(type) : names.goal(goal),
  )
  return Array.from(shown.join(' → ')).slice(0, LONGEST_NAME).join('')
}

/** Whether a text that was typed is a page with places for any text. */
export const operatorFor = (value: string): StepOperator => (value.includes('*') ? 'matches_pattern' : 'is')

/** Returns how long all steps may take, also a time that was set elsewhere. */
export function useWindowOptions(current?: Funnel['window']): { value: string; label: string }[] {
  const { funnels: text } = useText()
  const known = ['session', '3600', '86400', '604800', '2592000'] as const
  const options = known.map(value => ({ value: value as string, label: text.windows[value] }))
  const own = current === undefined ? undefined : String(current)
  if (own === undefined || options.some(({ value }) => value === own)) return options
  return [...options, { value: own, label: text.windowOf(hours(Number(own))) }]
}

const hours = (seconds: number) => String(Math.round(seconds / 360) / 10)

/** Returns how long all steps of a funnel may take. */
export function useWindowText(): (window: Funnel['window']) => string {
  const { funnels: text } = useText()
  const names: Record<string, string> = text.windows
  return window => names[String(window)] ?? text.windowOf(hours(Number(window)))
}
