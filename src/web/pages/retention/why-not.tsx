import { Link } from 'wouter'
import { Button } from '../../parts/form/button.tsx'
import { Empty } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './why-not.module.css'

/** Why returns cannot be counted, and what can be done about it. */
export function WhyNot({ onPayments }: { onPayments(): void }) {
  const { retention: text } = useText()
  const { can, isMember, mayChange } = useSite()
  return (
    <Empty title={text.unavailable}>
      <p className={css.text}>{text.unavailableText}</p>
      <p className={css.text}>{text.unavailableHint}</p>
      <p className={css.ways}>
        {can('revenue') && <Button onClick={onPayments}>{text.byPayment}</Button>}
        {isMember && mayChange && <Link href="/settings">{text.settings}</Link>}
      </p>
    </Empty>
  )
}
