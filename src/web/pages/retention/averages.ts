import type { Retained } from './retention.tsx'

interface Average {
  value: number
  base: number
}

/** Returns what all cohorts together keep in each later period, counting only those for which the period has ended. */
export function averagesOf({ cohorts }: Retained, periods: number): (Average | undefined)[] {
  return Array.from({ length: periods }, (_, index) => {
    const ended = cohorts.filter(({ periods: later }) => later[index]?.is_complete)
    const base = ended.reduce((sum, cohort) => sum + cohort.base, 0)
    const value = ended.reduce((sum, { periods: later }) => sum + later[index]!.value, 0)
    return base === 0 ? undefined : { value, base }
  })
}
