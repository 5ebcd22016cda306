import type { CSSProperties, ReactNode } from 'react'
import type { Inputs, Outputs, Section } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { ValueButton } from '../../filters/value-button.tsx'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Change } from '../../parts/figures.tsx'
import { Select } from '../../parts/form/choices.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Answer, Empty, Skeleton } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { FILTER_NAMES, FILTERS, type FilterName } from '../../state/filters.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { type Funnel, useWindowText } from './draft.ts'
import css from './funnels.module.css'

type Report = Outputs['stats']['savedFunnel']
type Dimension = NonNullable<Inputs['stats']['savedFunnel']['dimension']>

const NO_DIMENSIONS: readonly string[] = ['goal', 'segment', 'prop_key', 'prop_value']
const DIMENSIONS = FILTER_NAMES.filter(name => !NO_DIMENSIONS.includes(name)) as Dimension[]

/** The numbers of a saved funnel, step by step, and by the values of a dimension. */
export function FunnelReport({ funnel, action }: { funnel: Funnel; action: ReactNode }) {
  const { funnels: text, filters } = useText()
  const { can } = useSite()
  const { input, compare } = useQuestion()
  const { params, change } = useAddress()
  const windowText = useWindowText()
  const dimensions = DIMENSIONS.filter(name => can(FILTERS[name] as Section))
  const dimension = dimensions.find(name => name === params.get('dimension'))
  const query = { ...input, ...compare, funnel: funnel.id }
  const read = useStats('savedFunnel', query)
  const split = { ...query, ...(dimension && { dimension }) }
  const rows = useStats('savedFunnel', split, {
    enabled: dimension !== undefined,
  })
  const rules = [text.bys[funnel.by], windowText(funnel.window), text.orders[funnel.order]].join(' · ')
  return (
    <>
      <Card title={<HostileText>{funnel.name}</HostileText>} note={rules} action={action} label={funnel.name}>
        <Answer read={read} placeholder={<Skeleton rows={8} />}>
          {report => (
            <>
              <Conversion report={report} />
              <FunnelSteps report={report} />
            </>
          )}
        </Answer>
      </Card>
      <div className={css.split}>
        <Card
          title={dimension ? text.byValue(filters.names[dimension]) : text.breakDown}
          label={text.breakDown}
          action={
            <Select<string>
              label={text.breakDown}
              value={dimension ?? ''}
              options={[
                { value: '', label: text.nothing },
                ...dimensions.map(name => ({ value: name, label: filters.names[name] })),
              ]}
              onChange={next => change({ dimension: next || null }, { replace: true })}
            />
          }
        >
          {dimension && (
            <Answer read={rows}>{report => <FunnelRows dimension={dimension} report={report} />}</Answer>
          )}
        </Card>
      </div>
    </>
  )
}

/** How many of those who begin reach the end. */
function Conversion({ report: { steps, previous } }: { report: Report }) {
  const { funnels: text } = useText()
  const format = useFormat()
  const now = steps.at(-1)!.conversion_rate
  const before = previous?.steps.at(-1)?.conversion_rate
  return (
    <p className={css.conversion}>
      <span>{text.conversion}</span>
      <strong>{format.percent(now)}</strong>
      {before !== undefined && (
        <small title={text.before(format.percent(before))}>
          <Change now={now} before={before} />
        </small>
      )}
    </p>
  )
}

type Row = NonNullable<Report['rows']>[number]

interface Props {
  dimension: FilterName
  report: Report
}

/** The funnel of each value: how many reach each step. A click filters by the value. */
function FunnelRows({ dimension, report: { steps, rows = [], values = 0 } }: Props) {
  const { funnels: text, filters } = useText()
  const format = useFormat()
  if (rows.length === 0) return <Empty />
  const columns: Column<Row>[] = [
    {
      name: 'value',
      label: filters.names[dimension],
      cell: ({ value }) => <ValueButton name={dimension} value={value} />,
    },
    ...steps.map((_, index) => ({
      name: String(index),
      label: text.step(String(index + 1)),
      isNumber: true,
      isWide: index > 0 && index < steps.length - 1,
      cell: (row: Row) => {
        const { count, conversion_rate: rate } = row.steps[index]!
        return <span title={index === 0 ? undefined : format.percent(rate)}>{format.exact(count)}</span>
      },
    })),
    {
      name: 'conversion',
      label: text.conversion,
      isNumber: true,
      cell: row => format.percent(row.steps.at(-1)!.conversion_rate),
    },
    {
      name: 'change',
      label: '',
      isNumber: true,
      isWide: true,
      cell: ({ steps: now, previous }) =>
        previous && (
          <Change now={now.at(-1)!.conversion_rate} before={previous.steps.at(-1)!.conversion_rate} />
        ),
    },
  ]
  return (
    <>
      <DataTable
        label={text.byValue(filters.names[dimension])}
        columns={rows[0]!.previous ? columns : columns.slice(0, -1)}
        rows={rows}
        keyOf={({ value }) => value}
      />
      {values > rows.length && (
        <p className={css.note}>{text.most(format.exact(rows.length), format.exact(values))}</p>
      )}
    </>
  )
}

/** Each step as a bar: what reaches it is filled, what stopped before it is hatched, and the compared period is a dashed line. */
function FunnelSteps({ report: { by, steps, previous } }: { report: Report }) {
  const { funnels: text } = useText()
  const format = useFormat()
  return (
    <ol className={css.steps} style={{ '--steps': steps.length } as CSSProperties}>
      {steps.map((step, index) => {
        const before = previous?.steps[index]
        const { name, count, conversion_rate: rate, step_rate: stepRate, drop_off: left } = step
        const shares = {
          '--share': rate / 100,
          '--came': (steps[index - 1]?.conversion_rate ?? 100) / 100,
          '--before': (before?.conversion_rate ?? 0) / 100,
        } as CSSProperties
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two steps may have the same name
          <li key={index} className={css.step} style={shares}>
            <h3 className={css.name}>
              <span className={css.number}>{index + 1}</span>
              <HostileText>{name}</HostileText>
            </h3>
            <div className={css.track} aria-hidden="true">
              <i className={css.lost} />
              <i className={css.bar} />
              {before && index > 0 && <i className={css.before} />}
            </div>
            <p className={css.count}>
              <strong>{text.reach[by](format.exact(count))}</strong>{' '}
              {before && (
                <small title={text.before(format.exact(before.count))}>
                  <Change now={count} before={before.count} base={before.count} />
                </small>
              )}
            </p>
            {index > 0 && (
              <ul className={css.facts}>
                <li title={before && text.before(format.percent(before.conversion_rate))}>
                  <b>{format.percent(rate)}</b> {text.ofAll}
                </li>
                <li title={before && text.before(format.percent(before.step_rate))}>
                  <b>{format.percent(stepRate)}</b> {text.ofBefore}
                </li>
                <li>{text.dropOff(format.exact(left))}</li>
                {step.median_seconds !== null && <li>{text.median(format.duration(step.median_seconds))}</li>}
              </ul>
            )}
          </li>
        )
      })}
    </ol>
  )
}
