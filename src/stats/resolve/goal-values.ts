import { query } from '../../db/query.ts'
import { invalidField } from '../../errors.ts'
import type { Services } from '../../services.ts'
import type { TimeSpan } from '../../time/range.ts'

export interface SiteSpan extends TimeSpan {
  siteNo: number
}

/** Every path, name and selector of the hits of some types. */
const listGoalValues = query<
  SiteSpan & { types: string[]; limit: number; mostCharacters: number },
  { kind: string; value: string }
>('list-goal-values')

/** Limits: values that are compared, and characters of these values. */
const MOST_VALUES = 500_000
const MOST_CHARACTERS = 20_000_000

/**
 * Returns the values that goals of each kind can match in the time span.
 * @throws as `lookUpTargets`
 */
export async function listOccurring(
  { reads }: Pick<Services, 'reads'>,
  span: SiteSpan,
  kinds: string[],
): Promise<Map<string, string[]>> {
  const occurring = await listGoalValues(reads, {
    ...span,
    types: kinds,
    limit: MOST_VALUES + 1,
    mostCharacters: MOST_CHARACTERS,
  })
  const ofKind = (kind: string) => occurring.filter(row => row.kind === kind).map(({ value }) => value)
  return withinLimits(new Map(kinds.map(kind => [kind, ofKind(kind)])))
}

/** @throws AppError `validation_failed` */
function withinLimits(values: Map<string, string[]>): Map<string, string[]> {
  const all = [...values.values()].flat()
  const characters = all.reduce((sum, { length }) => sum + length, 0)
  if (all.length > MOST_VALUES || characters > MOST_CHARACTERS) throw tooMany()
  return values
}

export const tooMany = () =>
  invalidField('range', 'The goals match too many different values in this range: ask for a shorter one')
