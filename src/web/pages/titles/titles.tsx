import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { NONE } from '../../filters/value-text.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card, CardGrid } from '../../parts/card.tsx'
import { CsvButton } from '../../parts/lists/csv-button.tsx'
import { DataTable } from '../../parts/lists/data-table.tsx'
import { Pager } from '../../parts/lists/pager.tsx'
import { Empty } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { usePage } from '../../state/page.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { TITLE_SORTS, type TitleRow, type TitleSort, useTitleColumns } from './title-columns.tsx'
import { TitleSeries } from './title-series.tsx'

/** Titles of pages with what they did to readers, and one of them over time. */
export default function Titles() {
  const { common, explore } = useText()
  const { input, compare } = useQuestion()
  const { mayExport } = useSite()
  const { params, change } = useAddress()
  const [page, onPage] = usePage()
  const sort = TITLE_SORTS.find(name => name === params.get('sort')) ?? 'sessions'
  const order = params.get('order') === 'asc' ? 'asc' : 'desc'
  const query = { ...input, ...compare, dimension: 'title' as const, sort, order, page } as const
  const list = useRead(['titles', query], signal => api.stats.breakdown.query(query, { signal }))
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
          action={mayExport && <CsvButton path="stats/breakdown" query={query} name="titles" />}
        >
          <Answer read={list}>
            {({ data, meta }) =>
              data.length === 0 ? (
                <Empty title={explore.titles.none} />
              ) : (
                <>
                  <DataTable
                    label={explore.titles.title}
                    columns={columns}
                    // Hits without a title have none.
                    rows={data.filter(({ value }) => value !== NONE)}
                    keyOf={({ value }) => value}
                    sort={sort}
                    order={order}
                    onSort={onSort}
                  />
                  <Pager meta={meta} onPage={onPage} />
                </>
              )
            }
          </Answer>
        </Card>
      </CardGrid>
    </>
  )
}

const firstTitle = (rows: readonly TitleRow[] | undefined): string | undefined =>
  rows?.find(({ value }) => value !== NONE)?.value
