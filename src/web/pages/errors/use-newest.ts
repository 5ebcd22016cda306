import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { useQuestion } from '../../state/site.tsx'

export type Occurrence = Outputs['stats']['errorEvents']['data'][number]

/** As many as one page of the API can have. */
const MOST = 100

/** The newest occurrences of an error, of which stacks and places are counted. */
export function useNewest(error: string) {
  const { input } = useQuestion()
  return useRead(['error-newest', error, input], signal =>
    api.stats.errorEvents.query({ ...input, error, per_page: MOST }, { signal }),
  )
}
