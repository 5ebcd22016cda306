import { z } from 'zod'
import { optionalFlagParameter } from '../../platform/schema/validation.ts'
import { formatDay } from '../../platform/time/local-time.ts'
import { importedMetric } from './metrics.ts'
import { type Part, REFUSALS, type TotalsPlan } from './plan.ts'

/** The query parameter of reads that can add imported totals. */
export const importedField = {
  imported: optionalFlagParameter.meta({
    description:
      "Adds imported totals of days before the site's first hit, where the question fits them; the answer then says so in `imported`.",
  }),
}

const day = (description: string, example: string) =>
  z.string().nullable().meta({ format: 'date', description, example })

const fields = {
  from: day('First day of the period with imported totals; null without any.', '2023-01-01'),
  to: day('Last one, included.', '2024-05-31'),
  used: z.boolean().meta({ description: 'Whether the numbers have them.' }),
  why_not: z
    .enum(REFUSALS)
    .nullable()
    .meta({
      description:
        'Why not. `no_days`: the period has no imported day. `part_days`: it or its buckets are not whole days. `filters`, `dimension`, ' +
        '`numbers`: no file has them. `conversions`: totals have none.',
    }),
  sources: z
    .array(z.string())
    .meta({ description: 'The products that counted them.', example: ['Plausible'] }),
  visitors: z.literal('sum_of_days').nullable().meta({
    description: "Imported visitors are a sum of each day's; null where none are in the numbers.",
  }),
  missing: z.array(z.string()).meta({
    description: 'Metrics that files of imported days do not have: there they count the other days.',
    example: ['bounce_rate'],
  }),
}

/** @see docs/metrics.md "Imported totals" */
export const Imported = z
  .object({
    ...fields,
    previous: z
      .object(fields)
      .optional()
      .meta({ id: 'ImportedBefore', description: 'The same of the period of `previous`.' }),
  })
  .meta({
    id: 'Imported',
    description: 'What imported totals add to the numbers. There when the request has `imported=true`.',
  })
export type Imported = z.infer<typeof Imported>

/** What a metric of the answer is read from; undefined: nothing imported has it. */
type PlanOf = Readonly<Record<string, TotalsPlan | undefined>>

/**
 * Describes what was added.
 * @param main says why, when nothing was added
 * @param plans by each metric of the answer
 */
export function presentPlans(main: TotalsPlan, plans: PlanOf): Omit<Imported, 'previous'> {
  const parts = Object.values(plans)
    .flatMap(plan => plan?.parts ?? [])
    .sort((a, b) => a.from - b.from)
  const isUsed = parts.length > 0
  const shown = isUsed ? { from: parts[0]!.from, to: Math.max(...parts.map(({ to }) => to)) } : main.days
  return {
    from: shown ? formatDay(shown.from) : null,
    to: shown ? formatDay(shown.to) : null,
    used: isUsed,
    why_not: isUsed ? null : (main.refusal ?? 'no_days'),
    sources: [...new Set(parts.map(({ family }) => family.product))],
    visitors: plans.visitors && plans.visitors.parts.length > 0 ? 'sum_of_days' : null,
    missing: isUsed ? Object.keys(plans).filter(name => isMissing(name, plans[name], countDays(parts))) : [],
  }
}

/** Returns whether the metric lacks one of the imported days. Tables of events begin with the first event and end with the last. */
function isMissing(metric: string, plan: TotalsPlan | undefined, days: number): boolean {
  const needs = importedMetric(metric)?.needs
  if (!needs || !plan || plan.parts.length === 0) return true
  if (metric !== 'custom_events' && countDays(plan.parts) < days) return true
  return plan.parts.some(({ family }) => needs.some(name => !family.numbers.includes(name)))
}

/** @param parts by their first days; they may overlap */
function countDays(parts: readonly Part[]): number {
  let days = 0
  let counted = Number.NEGATIVE_INFINITY
  for (const { from, to } of parts) {
    days += Math.max(0, to - Math.max(from - 1, counted))
    counted = Math.max(counted, to)
  }
  return days
}
