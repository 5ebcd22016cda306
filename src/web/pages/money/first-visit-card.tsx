import { useValueText } from '../../filters/value-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useText } from '../../text/text.tsx'
import css from './customer.module.css'
import type { Customer } from './customer-numbers.tsx'

const SHOWN = [
  'channel',
  'source',
  'referrer',
  'utm_campaign',
  'utm_medium',
  'entry_path',
  'country',
] as const

/** How a customer came for the first time, and how long it took until they paid. */
export function FirstVisitCard({ customer }: { customer: Customer }) {
  const { money, filters } = useText()
  const { customer: text } = money
  const format = useFormat()
  const valueText = useValueText()
  const { first_visit: visit, first_payment_at: paid } = customer
  const days = visit && paid && Math.floor((Date.parse(paid) - Date.parse(visit.at)) / 86_400_000)
  return (
    <Card title={text.firstVisit} label={text.firstVisit}>
      {visit ? (
        <dl className={css.facts}>
          <dt>{text.at}</dt>
          <dd>{format.time(visit.at)}</dd>
          {SHOWN.filter(name => visit[name] !== '').map(name => (
            <Fact key={name} name={filters.names[name]} value={valueText(name, visit[name])} />
          ))}
          {typeof days === 'number' && days >= 0 && (
            <Fact name={text.sinceVisit} value={days === 0 ? text.sameDay : money.days(format.exact(days))} />
          )}
        </dl>
      ) : (
        <p>{text.noFirstVisit}</p>
      )}
    </Card>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <HostileText>{value}</HostileText>
      </dd>
    </>
  )
}
