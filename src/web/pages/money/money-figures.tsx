import { useFormat } from '../../format/format.ts'
import { ExplainButton } from '../../parts/explain/explain-button.tsx'
import { Figure, FigureGrid } from '../../parts/figures.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import {
  COURSES,
  type Course,
  type FigureName,
  figuresOf,
  figureText,
  hasRecurring,
  isMoneyFigure,
  type Report,
} from './metrics.ts'

interface Props {
  report: Report
  /** Whose course the chart shows. */
  course: Course
}

/** The figures of the period, with their change; those with a course choose what the chart shows. */
export function MoneyFigures({ report, course }: Props) {
  const { money: text, common } = useText()
  const format = useFormat()
  const { period, input, compare } = useQuestion()
  const { change } = useAddress()
  const isNow = report.now !== null && report.now.mrr === report.mrr
  const first = hasRecurring(report) ? 'mrr' : 'revenue'
  return (
    <FigureGrid>
      {figuresOf(report).map(name => {
        const write = figureText(format, name)
        const [now, before] = [report[name], report.previous[name]]
        const isCourse = (COURSES as readonly FigureName[]).includes(name)
        return (
          <Figure
            key={name}
            name={name === 'mrr' && !isNow ? text.figures.mrr_then : text.figures[name]}
            hint={text.hints[name]}
            shown={now === null ? '–' : write.short(now)}
            exact={now === null ? text.noValue : write.exact(now)}
            isMoney={isMoneyFigure(name)}
            compared={
              period.compare === 'none' || now === null || before === null
                ? undefined
                : {
                    ...amounts(name, now, before),
                    base: baseOf(report, name),
                    title: `${common.previous}: ${write.exact(before)}`,
                  }
            }
            isChosen={name === course}
            explain={
              <ExplainButton
                of={text.figures[name]}
                ask={{ ...input, ...compare, read: 'money' }}
                numbers={[
                  { metric: name, name: text.figures[name], write: write.exact, rule: text.hints[name] },
                ]}
              />
            }
            onChoose={
              isCourse ? () => change({ metric: name === first ? null : name }, { replace: true }) : undefined
            }
          />
        )
      })}
    </FigureGrid>
  )
}

/** How many the number before rests on: payments where it is about them, else customers. */
function baseOf({ previous }: Report, name: FigureName): number {
  if (!isMoneyFigure(name)) return previous[name] ?? 0
  return name === 'revenue' || name === 'revenue_per_paying_customer'
    ? previous.payments
    : previous.active_customers
}

/** What is lost is compared by its size: less is better. */
const amounts = (name: FigureName, now: number, before: number) =>
  name === 'churned_mrr' ? { now: Math.abs(now), before: Math.abs(before), isInverse: true } : { now, before }
