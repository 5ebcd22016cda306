import { type Format, useFormat } from '../format/format.ts'
import { HostileText } from '../parts/hostile-text.tsx'
import css from './visits.module.css'

const MOST = 20

/** Events that the service records for payments: their amount is in minor units. */
const PAYMENTS: readonly string[] = ['payment', 'free_trial']

interface Props {
  of: Readonly<Record<string, string>>
  /** Name of the event whose properties they are. */
  event?: string | null
}

/** Properties of an event or of a user. */
export function Properties({ of: properties, event }: Props) {
  const format = useFormat()
  const shown = event && PAYMENTS.includes(event) ? withAmount(properties, format) : properties
  const all = Object.entries(shown)
  if (all.length === 0) return null
  return (
    <dl className={css.list}>
      {all.slice(0, MOST).map(([key, value]) => (
        <div key={key}>
          <dt>
            <HostileText>{key}</HostileText>
          </dt>
          <dd>
            <HostileText>{value}</HostileText>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** `amount 123456 currency EUR` becomes `amount €1,234.56`. */
function withAmount(properties: Props['of'], format: Format): Props['of'] {
  const { amount = '', currency = '', ...others } = properties
  if (!/^\d{1,15}$/.test(amount) || !/^[A-Z]{3}$/.test(currency)) return properties
  return { amount: format.exactMoney(Number(amount), currency), ...others }
}
