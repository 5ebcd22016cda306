import { NONE, useValueText } from '../../filters/value-text.ts'
import { useFormat } from '../../format/format.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { Empty } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import css from './errors.module.css'
import type { Occurrence } from './use-newest.ts'

interface Props {
  occurrences: readonly Occurrence[]
  /** Of all occurrences in the range, of which these are the newest. */
  total: number
}

const MOST = 5
const FIELDS = ['path', 'browser', 'os', 'country'] as const
type Field = (typeof FIELDS)[number]

/** Pages, browsers, systems and countries in which an error occurred, most frequent first. */
export function Where({ occurrences, total }: Props) {
  const { errors, filters } = useText()
  const { exact } = useFormat()
  const textOf = useValueText()
  if (occurrences.length === 0) return <Empty />
  // Readers of a share have empty values of sections that they may not see.
  const fields = FIELDS.filter(field => occurrences.some(each => each[field] !== ''))
  return (
    <>
      {total > occurrences.length && <p className={css.type}>{errors.ofNewest(exact(occurrences.length))}</p>}
      <div className={css.counts}>
        {fields.map(field => (
          <RankList
            key={field}
            label={filters.names[field]}
            heads={[filters.names[field], errors.times]}
            rows={mostFrequent(occurrences, field).map(([value, times]) => {
              const name = textOf(field, value || NONE)
              const shown = exact(times)
              const share = times / occurrences.length
              return {
                key: value,
                name,
                label: <HostileText>{name}</HostileText>,
                share,
                numbers: [{ shown, exact: shown }],
              }
            })}
          />
        ))}
      </div>
    </>
  )
}

function mostFrequent(occurrences: readonly Occurrence[], field: Field): [value: string, times: number][] {
  const times = new Map<string, number>()
  for (const { [field]: value } of occurrences) times.set(value, (times.get(value) ?? 0) + 1)
  return [...times].sort((a, b) => b[1] - a[1]).slice(0, MOST)
}
