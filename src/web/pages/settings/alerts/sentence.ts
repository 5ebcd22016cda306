import type { Outputs } from '../../../api/types.ts'
import type { Format } from '../../../format/format.ts'
import type { Dictionary } from '../../../text/languages/en.ts'

export type Incident = Outputs['alerts']['incidents']['data'][number]

/** Returns what an incident is about, in the language of the reader; in English when what it is made of was not kept. */
export function sentenceOf(
  { condition, value, bound, currency, goal_name: goal, text: english }: Incident,
  { sentences, counted }: Dictionary['alerts'],
  { decimal, exactMoney }: Pick<Format, 'decimal' | 'exactMoney'>,
): string {
  if (!condition) return english
  const [found, limit] = [decimal(value), decimal(bound)]
  switch (condition.kind) {
    case 'traffic_spike':
    case 'traffic_drop':
      return sentences[condition.kind](counted[condition.metric], found, limit)
    case 'error_rate':
    case 'error_count':
    case 'no_hits':
      return sentences[condition.kind](found, limit)
    case 'goal':
      return sentences.goal[condition.operator](goal ?? '', String(condition.hours), found, limit)
    case 'mrr_churn': {
      const shown = (each: number) =>
        condition.unit === 'amount' ? exactMoney(each, currency ?? undefined) : `${decimal(each)} %`
      return sentences.mrr_churn[condition.days](shown(value), shown(bound))
    }
  }
}
