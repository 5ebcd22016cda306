import type { Inputs, Outputs } from '../../api/client.ts'
import { NONE } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { Change } from '../../parts/figures.tsx'
import { IconButton } from '../../parts/form/button.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { type Column, usePermitted } from '../../parts/lists/data-table.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Amount, Count } from '../../visits/cells.tsx'
import css from './titles.module.css'

export type TitleRow = Outputs['stats']['breakdown']['data'][number]

/** What the list can be sorted by. */
export const TITLE_SORTS = [
  'sessions',
  'pageviews',
  'time_on_page_seconds',
  'scroll_depth',
  'bounce_rate',
  'revenue',
] as const satisfies readonly Inputs['stats']['breakdown']['sort'][]
export type TitleSort = (typeof TITLE_SORTS)[number]

export function useTitleColumns(
  chosen: string | undefined,
  choose: (title: string) => void,
): Column<TitleRow, TitleSort>[] {
  const { common, explore } = useText()
  const format = useFormat()
  const { period } = useQuestion()
  const change: Column<TitleRow, TitleSort> = {
    name: 'change',
    label: explore.titles.change,
    isNumber: true,
    isWide: true,
    cell: row => (
      <Change now={row.sessions} before={row.previous?.sessions ?? 0} base={row.previous?.sessions ?? 0} />
    ),
  }
  return usePermitted<TitleRow, TitleSort>([
    {
      name: 'title',
      label: explore.titles.column,
      cell: row => <Title title={row.value} isChosen={row.value === chosen} onChoose={choose} />,
    },
    {
      name: 'sessions',
      label: common.metrics.sessions,
      isNumber: true,
      sort: 'sessions',
      cell: row => <Count value={row.sessions} />,
    },
    ...(period.compare === 'none' ? [] : [change]),
    {
      name: 'pageviews',
      label: common.metrics.pageviews,
      isNumber: true,
      isWide: true,
      sort: 'pageviews',
      cell: row => <Count value={row.pageviews} />,
    },
    {
      name: 'time',
      label: explore.titles.time,
      isNumber: true,
      isWide: true,
      sort: 'time_on_page_seconds',
      cell: ({ time_on_page_seconds: time }) => (time ? format.duration(time) : '–'),
    },
    {
      name: 'scroll',
      label: explore.titles.scroll,
      isNumber: true,
      isWide: true,
      sort: 'scroll_depth',
      cell: ({ scroll_depth: scroll }) => (scroll ? format.percent(scroll) : '–'),
    },
    {
      name: 'bounce',
      label: common.metrics.bounce_rate,
      isNumber: true,
      isWide: true,
      sort: 'bounce_rate',
      cell: row => format.percent(row.bounce_rate),
    },
    {
      name: 'revenue',
      needs: 'revenue',
      label: common.short.revenue,
      isNumber: true,
      isMoney: true,
      isWide: true,
      sort: 'revenue',
      cell: row => <Amount minor={row.revenue ?? null} />,
    },
  ])
}

interface TitleProps {
  title: string
  isChosen: boolean
  onChoose(title: string): void
}

/** A click shows the title in the chart; the sign beside it filters by it. */
function Title({ title, isChosen, onChoose }: TitleProps) {
  const { common, explore } = useText()
  const { addFilter } = useQuestion()
  const isNone = title === NONE
  const text = <HostileText>{isNone ? common.none : title}</HostileText>
  return (
    <div className={css.title}>
      {isNone ? (
        <span className={css.none}>{text}</span>
      ) : (
        <button type="button" className={css.choose} aria-pressed={isChosen} onClick={() => onChoose(title)}>
          {text}
        </button>
      )}
      <IconButton
        label={explore.titles.filter(isNone ? common.none : title.slice(0, 100))}
        onClick={() => addFilter({ name: 'title', operator: 'is', values: [title] })}
      >
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
          <path d="M2 3h12l-4.5 5.5V13l-3-1.5v-3z" fill="none" stroke="currentColor" strokeWidth="1.4" />
        </svg>
      </IconButton>
    </div>
  )
}
