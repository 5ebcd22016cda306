import type { Outputs } from '../../api/types.ts'

export type Imported = NonNullable<Outputs['stats']['overview']['imported']>

/** Returns the buckets that have imported days; undefined without any. */
export function shadedPart(
  labels: readonly string[],
  imported: Imported | undefined,
): { from: number; to: number } | undefined {
  if (!imported?.used) return undefined
  const days = labels.map(label => label.slice(0, 10))
  const to = days.findLastIndex(day => day <= imported.to!)
  const from = days.findLastIndex(day => day <= imported.from!)
  return to < 0 ? undefined : { from: Math.max(0, from), to }
}
