import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { type Format, useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Pager } from '../../parts/lists/pager.tsx'
import { Empty } from '../../parts/states.tsx'
import { usePage } from '../../state/page.ts'
import { useQuestion } from '../../state/site.tsx'
import css from './timeline.module.css'
import { TimelineEntry } from './timeline-entry.tsx'

export type Item = Outputs['stats']['timeline']['data'][number]

/** What a person did, day by day, the newest first. */
export function Timeline({ person }: { person: string }) {
  const { input } = useQuestion()
  const format = useFormat()
  const [page, onPage] = usePage()
  const read = useRead(['timeline', person, input, page], signal =>
    api.stats.timeline.query({ ...input, person, page }, { signal }),
  )
  return (
    <Answer read={read}>
      {({ data, meta }) =>
        data.length === 0 ? (
          <Empty />
        ) : (
          <>
            {byDay(data, format).map(([day, items]) => (
              <section key={day} aria-label={day}>
                <h3 className={css.day}>{day}</h3>
                <ol className={css.items}>
                  {items.map((item, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: items have no names of their own
                    <TimelineEntry key={index} item={item} />
                  ))}
                </ol>
              </section>
            ))}
            <Pager meta={meta} onPage={onPage} />
          </>
        )
      }
    </Answer>
  )
}

function byDay(items: readonly Item[], format: Format): [day: string, items: Item[]][] {
  const days = new Map<string, Item[]>()
  for (const item of items) {
    const day = format.bucket(item.timestamp, 'day')
    days.set(day, [...(days.get(day) ?? []), item])
  }
  return [...days]
}
