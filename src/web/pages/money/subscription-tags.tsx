import { useText } from '../../text/text.tsx'
import css from './lists.module.css'
import { Tag } from './tag.tsx'

interface Props {
  subscription: { status: string; is_ending: boolean }
}

/** The processor's status of a subscription, and whether its end is scheduled. */
export function SubscriptionTags({ subscription: { status, is_ending: isEnding } }: Props) {
  const { money } = useText()
  const names: Record<string, string> = money.subscriptionStatus
  return (
    <span className={css.tags}>
      <Tag tone={status === 'past_due' || status === 'unpaid' ? 'bad' : 'plain'}>
        {names[status] ?? status}
      </Tag>
      {isEnding && <Tag tone="bad">{money.changes.ending}</Tag>}
    </span>
  )
}
