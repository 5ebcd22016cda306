import type { Period } from './recount-days.ts'
import { type Filters, keep } from './recount-filters.ts'
import { byText, type Visit, type World } from './recount-world.ts'

/** Journeys counted again the slow way, as docs/metrics.md "Journeys" defines them. */

export interface RecountedJourneys {
  by: 'path' | 'title' | 'event_name'
  value: string
  isBackwards: boolean
  steps: number
  branches: number
}

/** Values of a session in their order, repeats once. */
export function valuesOf(visit: Visit, by: RecountedJourneys['by']): string[] {
  const listed = visit.hits
    .filter(hit => (hit.type === 'pageview') === (by !== 'event_name'))
    .map(hit => ({ at: hit.at, value: hit.values[by] }))
    .filter(({ value }) => value !== '')
    .sort((a, b) => a.at - b.at || byText(a.value, b.value))
    .map(({ value }) => value)
  return listed.filter((value, index) => value !== listed[index - 1])
}

export function recountJourneys(world: World, asked: RecountedJourneys, filters: Filters, period: Period) {
  const journeys = keep(world, filters, period)
    .started.map(visit => valuesOf(visit, asked.by))
    .filter(values => values.includes(asked.value))
    .map(values =>
      asked.isBackwards
        ? values.slice(0, values.indexOf(asked.value) + 1).reverse()
        : values.slice(values.indexOf(asked.value)),
    )
  const steps = []
  /** Node of each journey at the step before, and their order. */
  let nodeNames = new Map<string[], string>()
  let before: string[] = []
  for (let step = 0; step <= asked.steps; step++) {
    const there = journeys.filter(values => step === 0 || values.length > step - 1)
    if (there.length === 0) break
    const present = there.filter(values => values.length > step).map(values => values[step]!)
    const countOf = (value: string) => present.filter(each => each === value).length
    const shown = [...new Set(present)]
      .sort((a, b) => countOf(b) - countOf(a) || byText(a, b))
      .slice(0, asked.branches)
    const nodeOf = (values: string[]) => {
      const value = values[step]
      if (value === undefined) return 'end'
      return shown.includes(value) ? `value ${value}` : 'other'
    }
    const names = [...shown.map(value => `value ${value}`), 'other', 'end']
    const nodes = names
      .map(name => ({ name, sessions: there.filter(values => nodeOf(values) === name).length }))
      .filter(({ sessions }) => sessions > 0)
    const links = []
    for (const from of before) {
      for (const { name: to } of nodes) {
        const sessions = there.filter(
          values => nodeNames.get(values) === from && nodeOf(values) === to,
        ).length
        if (sessions > 0) links.push({ from, to, sessions })
      }
    }
    steps.push({ step, sessions: present.length, nodes, links })
    nodeNames = new Map(there.map(values => [values, nodeOf(values)]))
    before = nodes.map(({ name }) => name)
  }
  return steps
}
