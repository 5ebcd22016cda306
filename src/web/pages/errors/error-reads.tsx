import { api, type Outputs, TOGETHER } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { useStats } from '../../api/use-stats.ts'
import { useFormat } from '../../format/format.ts'
import { useQuestion } from '../../state/site.tsx'

/** Occurrences of an error over time. Those of all errors of a list are one request. */
export function useErrorSeries(error: string) {
  const { input } = useQuestion()
  return useRead(['error-series', error, input], signal =>
    api.stats.errorTimeseries.query({ ...input, error }, { signal, context: TOGETHER }),
  )
}

export type Occurrence = Outputs['stats']['errorEvents']['data'][number]

/** As many as one page of the API can have. */
const MOST = 100

/** The newest occurrences of an error, whose stacks and places are counted. */
export function useNewest(error: string) {
  const { input } = useQuestion()
  return useStats('errorEvents', { ...input, error, per_page: MOST })
}

/** When an error occurred first or last, with the year: it may be long ago. Readers of a share with filters are not told. */
export function Seen({ at }: { at: string | null }) {
  const format = useFormat()
  return at === null ? <>–</> : <time dateTime={at}>{format.time(at)}</time>
}
