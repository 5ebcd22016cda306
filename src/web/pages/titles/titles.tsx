import { useStats } from '../../api/use-stats.ts'
import { drawnPart } from '../../chart/series.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { NONE } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card, CardGrid } from '../../parts/card.tsx'
import { CsvButton } from '../../parts/form/download-button.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { DataTable } from '../../parts/lists/data-table.tsx'
import { List } from '../../parts/lists/list.tsx'
import { Answer, Skeleton } from '../../parts/states.tsx'
import { useAddress, usePage } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { TITLE_SORTS, type TitleRow, type TitleSort, useTitleColumns } from './title-columns.tsx'

/** Titles of pages with what they did to readers, and one of them over time. */
export default function Titles() {
  const { common, explore } = useText()
  const { input, compare } = useQuestion()
  const { params, change } = useAddress()
  const [page, onPage] = usePage()
  const sort = TITLE_SORTS.find(name => name === params.get('sort')) ?? 'sessions'
  const order = params.get('order') === 'asc' ? 'asc' : 'desc'
  const query = { ...input, ...compare, dimension: 'title' as const, sort, order, page } as const
  const list = useStats('breakdown', query)
  const chosen = params.get('chosen') ?? firstTitle(list.data?.data)
  const columns = useTitleColumns(chosen, title => change({ chosen: title }))
  const onSort = (next: TitleSort) => {
    const turned = next === sort && order === 'desc' ? 'asc' : null
    change({ sort: next === 'sessions' ? null : next, order: turned, page: null })
  }
  return (
    <>
      <h1 className="only-read">{common.nav.titles}</h1>
      {chosen !== undefined && <TitleSeries title={chosen} />}
      <CardGrid columns={1}>
        <Card
          title={explore.titles.title}
          action={<CsvButton path="stats/breakdown" query={query} name="titles" />}
        >
          <List read={list} empty={explore.titles.none} onPage={onPage}>
            {rows => (
              <DataTable
                label={explore.titles.title}
                columns={columns}
                // Hits without a title have none.
                rows={rows.filter(({ value }) => value !== NONE)}
                keyOf={({ value }) => value}
                sort={sort}
                order={order}
                onSort={onSort}
              />
            )}
          </List>
        </Card>
      </CardGrid>
    </>
  )
}

const firstTitle = (rows: readonly TitleRow[] | undefined): string | undefined =>
  rows?.find(({ value }) => value !== NONE)?.value

const LONGEST_SHOWN = 200

/** Visits that saw a title, over time. */
function TitleSeries({ title }: { title: string }) {
  const { common, explore } = useText()
  const { exact } = useFormat()
  const { input, period } = useQuestion()
  const series = useStats('pageTitlesTimeseries', { ...input, title })
  const name = explore.titles.chart(title.slice(0, LONGEST_SHOWN))
  return (
    <Card title={<HostileText>{name}</HostileText>}>
      <Answer read={series} placeholder={<Skeleton rows={1} height={240} />}>
        {({ labels, values, group }) => (
          <TimeChart
            title={common.metrics.sessions}
            labels={labels}
            group={group}
            lines={[
              {
                name: common.metrics.sessions,
                values,
                tone: 'traffic',
                format: exact,
                ...drawnPart(labels, period.range),
              },
            ]}
          />
        )}
      </Answer>
    </Card>
  )
}
