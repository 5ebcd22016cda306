import { useState } from 'react'
import { NONE, useValueText } from '../../filters/filter-text.ts'
import { useFormat, usePlainFormat } from '../../format/format.ts'
import { CopyButton } from '../../parts/code-block.tsx'
import { Button } from '../../parts/form/button.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { Empty } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import type { Occurrence } from './error-reads.tsx'
import css from './errors.module.css'

/** The stack traces of an error; most have one, and each build of a page's script makes another. */
export function Stacks({ occurrences }: { occurrences: readonly Occurrence[] }) {
  const { common, errors } = useText()
  const { exact } = usePlainFormat()
  const [chosen, setChosen] = useState(0)
  const [newest] = occurrences
  if (newest?.stack === null) return <p>{errors.hiddenStack}</p>
  const stacks = [...new Map(occurrences.map(each => [each.stack, each])).values()].filter(each => each.stack)
  const index = Math.min(chosen, stacks.length - 1)
  const shown = stacks[index]
  if (!shown) {
    return (
      <>
        {newest && <Thrown at={newest} />}
        <p>{errors.noStack}</p>
      </>
    )
  }
  return (
    <>
      <div className={css.actions}>
        <CopyButton text={shown.stack!} label={errors.copyStack} />
        {stacks.length > 1 && (
          <>
            <Button disabled={index === 0} onClick={() => setChosen(index - 1)}>
              {common.actions.previous}
            </Button>
            {errors.stackOf(exact(index + 1), exact(stacks.length))}
            <Button disabled={index === stacks.length - 1} onClick={() => setChosen(index + 1)}>
              {common.actions.next}
            </Button>
          </>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also with keys */}
      <section tabIndex={0} className={css.stack} aria-label={errors.stack}>
        <pre>
          <HostileText isWrapped>{shown.stack!}</HostileText>
        </pre>
      </section>
      <Thrown at={shown} />
    </>
  )
}

function Thrown({ at: { file_name, line_number, column_number } }: { at: Occurrence }) {
  const place = [file_name, line_number, column_number].filter(Boolean).join(':')
  return place === '' ? null : (
    <p className={css.place}>
      <HostileText isWrapped>{place}</HostileText>
    </p>
  )
}

interface Props {
  occurrences: readonly Occurrence[]
  /** Of all occurrences in the range; these are the newest. */
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
