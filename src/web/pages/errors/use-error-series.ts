import { api, TOGETHER } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { useQuestion } from '../../state/site.tsx'

/** Occurrences of an error over time. Those of all errors of a list are one request. */
export function useErrorSeries(error: string) {
  const { input } = useQuestion()
  return useRead(['error-series', error, input], signal =>
    api.stats.errorTimeseries.query({ ...input, error }, { signal, context: TOGETHER }),
  )
}
