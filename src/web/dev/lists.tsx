import { useState } from 'react'
import { ChartButton, GroupMenu, Legend } from '../chart/chart-tools.tsx'
import { Sparkline } from '../chart/sparkline.tsx'
import { TimeChart } from '../chart/time-chart.tsx'
import { Waterfall } from '../chart/waterfall.tsx'
import { useFormat } from '../format/format.ts'
import { Card, CardGrid } from '../parts/card.tsx'
import { ExplainButton } from '../parts/explain/explain-button.tsx'
import {
  Change,
  Figure,
  FigureGrid,
  FigurePanel,
  NoNumber,
  NumberList,
  PercentChange,
} from '../parts/figures.tsx'
import { CsvButton } from '../parts/form/download-button.tsx'
import { HostileText } from '../parts/hostile-text.tsx'
import { type Column, DataTable } from '../parts/lists/data-table.tsx'
import { List, ListTable } from '../parts/lists/list.tsx'
import { Pager } from '../parts/lists/pager.tsx'
import { RankList } from '../parts/lists/rank-list.tsx'
import { Answer, Empty, FailureNote, Notice, Skeleton } from '../parts/states.tsx'
import {
  answered,
  BARS,
  COURSE,
  FAILURE,
  failed,
  LABELS,
  LINES,
  MARKS,
  NO_ROWS,
  PAGE,
  ROWS,
  type Row,
  STEPS,
  WORDS,
  waiting,
} from './kit-data.ts'
import { Recipe } from './recipe.tsx'

const onPage = () => {}

/** Lists and tables in each of their states. */
export function Lists() {
  const [order, setOrder] = useState<'asc' | 'desc'>('desc')
  const columns = useColumns()
  const table = { label: WORDS.title, columns, keyOf: ({ id }: Row) => id }
  return (
    <>
      <Recipe kits={{ Card, CardGrid, ListTable, DataTable, Pager }}>
        <CardGrid columns={1}>
          <Card
            title={WORDS.title}
            note={WORDS.note}
            action={<CsvButton path="kit" query={{ siteKey: 'kit' }} name="kit" />}
          >
            <ListTable
              {...table}
              read={answered(PAGE)}
              onPage={onPage}
              sort="visitors"
              order={order}
              onSort={() => setOrder(order === 'asc' ? 'desc' : 'asc')}
            />
          </Card>
        </CardGrid>
      </Recipe>
      <Recipe kits={{ Answer, Skeleton, Empty, FailureNote, Notice }}>
        <CardGrid>
          <Card>
            <ListTable {...table} read={waiting<Row[]>()} />
          </Card>
          <Card>
            <ListTable {...table} read={failed<Row[]>()} />
            <ListTable {...table} read={answered(NO_ROWS)} empty={WORDS.text} />
          </Card>
        </CardGrid>
        <FailureNote failure={FAILURE} />
        <Notice>{WORDS.note}</Notice>
        <Notice isProblem>{WORDS.note}</Notice>
      </Recipe>
      <Recipe kits={{ List, RankList }}>
        <List read={answered(ROWS)}>
          {rows => (
            <RankList
              label={WORDS.title}
              heads={columns.map(({ label }) => label)}
              wide={[1]}
              rows={rows.map(({ id, name, visitors, revenue }) => ({
                ...{ key: id, name, label: <HostileText>{name}</HostileText> },
                share: visitors / ROWS[0]!.visitors,
                numbers: [
                  { shown: String(visitors), exact: String(visitors) },
                  { shown: String(revenue), exact: String(revenue), isMoney: true, isZero: revenue === 0 },
                ],
                onChoose: () => {},
              }))}
            />
          )}
        </List>
      </Recipe>
    </>
  )
}

function useColumns(): Column<Row>[] {
  const format = useFormat()
  return [
    { name: 'name', label: WORDS.name, cell: ({ name }) => <HostileText>{name}</HostileText> },
    {
      name: 'visitors',
      label: LINES[0]!.name,
      isNumber: true,
      sort: 'visitors',
      cell: ({ visitors }) => format.exact(visitors),
    },
    {
      name: 'revenue',
      label: BARS[0]!.name,
      isNumber: true,
      isMoney: true,
      isWide: true,
      cell: ({ revenue }) => format.money(revenue),
    },
  ]
}

/** Figures and charts. */
export function Charts() {
  const format = useFormat()
  const number = { metric: 'visitors', name: WORDS.name, write: format.exact, rule: WORDS.note }
  return (
    <>
      <Recipe
        kits={{
          FigurePanel,
          FigureGrid,
          Figure,
          Change,
          ExplainButton,
          TimeChart,
          GroupMenu,
          ChartButton,
          Legend,
        }}
      >
        <FigurePanel
          figures={
            <FigureGrid>
              <Figure
                name={WORDS.name}
                shown={format.count(12_480)}
                exact={format.exact(12_480)}
                compared={{ now: 12_480, before: 9_100, title: WORDS.note }}
                isChosen
                onChoose={() => {}}
                explain={<ExplainButton of={WORDS.name} ask={{ siteKey: 'kit' }} numbers={[number]} />}
              />
              <Figure
                name={WORDS.title}
                shown={format.money(918_400)}
                exact={format.exactMoney(918_400)}
                compared={{ now: 1, before: 2, title: WORDS.note }}
                isMoney
              />
            </FigureGrid>
          }
        >
          <Card>
            <GroupMenu group="day" onGroup={() => {}}>
              <ChartButton>{WORDS.note.slice(0, 6)}</ChartButton>
            </GroupMenu>
            <TimeChart
              title={WORDS.title}
              labels={LABELS}
              group="day"
              lines={LINES}
              bars={BARS}
              marks={MARKS}
              shaded={{ from: 0, to: 2 }}
            />
            <Legend series={BARS} />
          </Card>
        </FigurePanel>
      </Recipe>
      <Recipe kits={{ Sparkline, Waterfall }}>
        <div style={{ height: 44 }}>
          <Sparkline values={COURSE} />
        </div>
        <Waterfall
          label={WORDS.title}
          heads={[WORDS.name, BARS[0]!.name, WORDS.title]}
          steps={STEPS}
          format={format.money}
          signed={format.signedMoney}
          cutNote={amount => amount}
        />
      </Recipe>
      <Recipe kits={{ NumberList, PercentChange, NoNumber }}>
        <NumberList
          numbers={[
            { name: 'a', label: WORDS.name, value: format.exact(12_480), title: WORDS.text },
            { name: 'b', label: WORDS.title, value: format.money(918_400), isMoney: true },
            { name: 'c', label: WORDS.choose, value: <PercentChange percent={12.5} /> },
            { name: 'd', label: WORDS.open, value: <NoNumber why={WORDS.text} /> },
          ]}
        />
      </Recipe>
    </>
  )
}
