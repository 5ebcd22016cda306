import type { BreakdownDimension } from '../../platform/dimensions/dimensions.ts'
import type { Vital } from '../../platform/dimensions/vitals.ts'
import { NONE, type View } from '../../storage/columns/block.ts'
import { type Measured, summarize } from '../web-vitals/measures.ts'
import type { Question } from './question.ts'
import { Buckets } from './shared/buckets.ts'
import { keysOf } from './shared/keys.ts'
import { type Selected, select } from './shared/select.ts'

/** Returns the numbers of metrics, in their order (docs/metrics.md "Web Vitals"). */
export function countVitals(
  view: View,
  question: Question,
  { metrics }: { metrics: readonly Vital[] },
): Measured[] {
  const selected = select(view, question)
  return metrics.map(metric => {
    const reports = new Reports()
    for (const block of selected) forEachReport(block, metric, (_hit, measure) => reports.add(measure))
    return reports.measured(metric)
  })
}

/** Returns the numbers of a metric for each bucket, by the time of the pageview. */
export function countVitalSeries(
  view: View,
  question: Question,
  { metric, bounds }: { metric: Vital; bounds: number[] },
): Measured[] {
  const buckets = new Buckets(bounds)
  const reports = Array.from({ length: buckets.count }, () => new Reports())
  for (const block of select(view, question)) {
    forEachReport(block, metric, (hit, measure) => reports[buckets.of(block.hits.at[hit]!)]?.add(measure))
  }
  return reports.map(ofBucket => ofBucket.measured(metric))
}

/** Returns the numbers of a metric for each value of a dimension of the pageview or its session that has samples, in any order. */
export function countVitalValues(
  view: View,
  question: Question,
  { metric, dimension, zone }: { metric: Vital; dimension: BreakdownDimension; zone: string },
): (Measured & { value: string })[] {
  const keys = keysOf(view, dimension, question, zone)
  const byKey = new Map<number, Reports>()
  for (const block of select(view, question)) {
    const keyOf = keys.ofHits(block)
    forEachReport(block, metric, (hit, measure) => {
      const reports = byKey.get(keyOf[hit]!) ?? new Reports()
      byKey.set(keyOf[hit]!, reports)
      reports.add(measure)
    })
  }
  return [...byKey].map(([key, reports]) => ({ value: keys.text(key), ...reports.measured(metric) }))
}

export interface CauseCount {
  path: string
  /** Empty where unknown, as the phase. */
  target: string
  phase: string
  samples: number
}

/**
 * Counts what decided the high measures of a metric, in any order.
 * @param asked.above only measures above this one, in the unit in which they are stored
 */
export function countVitalCauses(
  view: View,
  question: Question,
  { metric, above }: { metric: Vital; above: number },
): CauseCount[] {
  const { texts } = view
  const causes = new Map<string, CauseCount>()
  for (const block of select(view, question)) {
    const { hits, vitals } = block
    forEachReport(block, metric, (hit, measure, report) => {
      if (measure <= above) return
      const path = hits.values.path[hit]!
      const target = vitals.targets[metric]?.[report] ?? 0
      const phase = vitals.phases[metric]?.[report] ?? 0
      const key = `${path} ${target} ${phase}`
      const cause = causes.get(key) ?? {
        path: texts.of('path').text(path),
        target: texts.of('vital_target').text(target),
        phase: texts.of('vital_phase').text(phase),
        samples: 0,
      }
      causes.set(key, cause)
      cause.samples += 1
    })
  }
  return [...causes.values()]
}

/** Calls back for each report that has the metric and whose pageview counts. */
function forEachReport(
  { vitals, inRange }: Selected,
  metric: Vital,
  found: (hit: number, measure: number, report: number) => void,
): void {
  const measures = vitals.measures[metric]
  for (let report = 0; report < vitals.count; report++) {
    const hit = vitals.hit[report]!
    const measure = measures[report]!
    if (measure !== NONE && inRange[hit] === 1) found(hit, measure, report)
  }
}

/** Reports by their measure. */
class Reports {
  readonly #reports = new Map<number, number>()

  add(measure: number): void {
    this.#reports.set(measure, (this.#reports.get(measure) ?? 0) + 1)
  }

  measured(metric: Vital): Measured {
    const counts = Array.from(this.#reports, ([measure, reports]) => ({ measure, reports }))
    return summarize(metric, counts)
  }
}
