import { Waterfall, type WaterfallStep } from '../../chart/waterfall.tsx'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { useText } from '../../text/text.tsx'
import type { Report } from './metrics.ts'

/** How the MRR at the start of the period became that at its end. */
export function MrrWaterfall({ report }: { report: Report }) {
  const { money } = useText()
  const { waterfall: text } = money
  const format = useFormat()
  return (
    <Card title={text.title} note={text.note} label={text.title}>
      <Waterfall
        label={text.title}
        heads={[text.what, text.amount, text.customers]}
        steps={stepsOf(report, money, format.exact)}
        format={minor => format.exactMoney(minor)}
        signed={minor => (minor > 0 ? `+${format.exactMoney(minor)}` : format.exactMoney(minor))}
        cutNote={text.cut}
      />
    </Card>
  )
}

function stepsOf(
  report: Report,
  { waterfall: text, kinds, customersOf }: ReturnType<typeof useText>['money'],
  exact: (value: number) => string,
): WaterfallStep[] {
  const changes: [string, number, number?][] = [
    [kinds.new, report.new_mrr, report.started_customers],
    [kinds.reactivation, report.reactivation_mrr, report.reactivated_customers],
    [kinds.expansion, report.expansion_mrr],
    [kinds.contraction, report.contraction_mrr],
    [kinds.churn, report.churned_mrr, -report.churned_customers],
  ]
  let level = report.mrr_at_start
  const start = {
    name: text.start,
    from: 0,
    to: level,
    isTotal: true,
    note: customersOf(exact(report.customers_at_start)),
  }
  const between = changes.map(([name, amount, customers]) => {
    const from = level
    level += amount
    const sign = customers !== undefined && customers > 0 ? '+' : ''
    return { name, from, to: level, ...(customers && { note: `${sign}${exact(customers)}` }) }
  })
  const end = {
    name: text.end,
    from: 0,
    to: report.mrr,
    isTotal: true,
    note: customersOf(exact(report.active_customers)),
  }
  return [start, ...between, end]
}
