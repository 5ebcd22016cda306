import type { Outputs } from '../../api/types.ts'
import { useFormat } from '../../format/format.ts'

interface Props {
  series: Outputs['stats']['errorTimeseries']
  which: 'first' | 'last'
}

/** When an error occurred first or last in the range, to the bucket of its series. */
export function Seen({ series: { labels, series, group }, which }: Props) {
  const format = useFormat()
  const occurs = (occurrences: number) => occurrences > 0
  const index = which === 'first' ? series.error.findIndex(occurs) : series.error.findLastIndex(occurs)
  const label = labels[index]
  if (label === undefined) return <>–</>
  return <span title={format.bucket(label, group)}>{format.axis(label, group)}</span>
}
