import { useStats } from '../../api/use-stats.ts'
import { FigurePanel } from '../../parts/figures.tsx'
import { Answer, Skeleton } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { ChangeCard } from './change-card.tsx'
import { LifetimeCard } from './lifetime-card.tsx'
import { Lists } from './lists.tsx'
import { chosenCourse, hasRecurring, isWithoutMoney, type Report } from './metrics.ts'
import css from './money.module.css'
import { MoneyChart } from './money-chart.tsx'
import { MoneyFigures } from './money-figures.tsx'
import { MrrWaterfall } from './mrr-waterfall.tsx'
import { NoMoney, ProcessorState, useProcessor } from './processor.tsx'
import { Rates } from './rates.tsx'
import { SourceCard } from './source-card.tsx'

/** Revenue and recurring revenue: how much, how it changed, where it comes from, and who pays. */
export default function Money() {
  const { money: text } = useText()
  const { input, compare } = useQuestion()
  const query = { ...input, ...compare }
  const read = useStats('money', query)
  const processor = useProcessor()
  const never = useIsWithoutCustomers(read.data !== undefined && isWithoutMoney(read.data))
  return (
    <>
      <h1 className="only-read">{text.title}</h1>
      <Answer read={read} placeholder={<Skeleton rows={10} />}>
        {report => {
          if (isWithoutMoney(report) && never === undefined) return <Skeleton rows={10} />
          if (isWithoutMoney(report) && never && !processor) return <NoMoney />
          return (
            <>
              <ProcessorState processor={processor} />
              <MoneyReport report={report} />
            </>
          )
        }}
      </Answer>
    </>
  )
}

function MoneyReport({ report }: { report: Report }) {
  const { can } = useSite()
  const { params } = useAddress()
  const isRecurring = hasRecurring(report)
  const course = chosenCourse(params, report)
  const mayList = can('people')
  return (
    <>
      <FigurePanel figures={<MoneyFigures report={report} course={course} />}>
        <MoneyChart course={course} isRecurring={isRecurring} />
      </FigurePanel>
      <div className={mayList && isRecurring ? css.sides : css.one}>
        <SourceCard isRecurring={isRecurring} />
        {mayList && isRecurring && <ChangeCard />}
      </div>
      <div className={isRecurring ? css.sides : css.one}>
        {isRecurring && <MrrWaterfall report={report} />}
        {isRecurring && <Rates report={report} />}
      </div>
      <div className={css.one}>
        <LifetimeCard />
        {mayList && <Lists isRecurring={isRecurring} />}
      </div>
    </>
  )
}

/** Whether there has never been a customer; undefined while it is not known. A share that may not list customers says no. */
function useIsWithoutCustomers(enabled: boolean): boolean | undefined {
  const { id, can } = useSite()
  const mayList = can('people')
  const query = { siteKey: id, per_page: 1 }
  const read = useStats('moneyCustomers', query, { enabled: enabled && mayList })
  if (!mayList || read.failure) return false
  return read.data && read.data.meta.total === 0
}
