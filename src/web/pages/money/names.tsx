import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Outputs } from '../../api/client.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useLinks } from '../../state/address.ts'
import { partOfPath } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import type { MrrChange } from './change-card.tsx'
import css from './customers.module.css'

interface Props {
  /** Key of the customer in lists; without one there is no page. */
  id: string | null
  name: string | null
  email: string | null
  /** Id at the processor or in another system. */
  other: string | null
  /** Whether the address stands beside the name. */
  isLong?: boolean
}

/** A customer by the best name that is known, leading to its page. */
export function CustomerName({ id, name, email, other, isLong }: Props) {
  const links = useLinks()
  const shown = name || email || other || id || '–'
  const content = (
    <>
      <HostileText>{shown}</HostileText>
      {isLong && name && email && (
        <span className={css.more}>
          <HostileText>{email}</HostileText>
        </span>
      )}
    </>
  )
  if (id === null) return <span className={css.name}>{content}</span>
  return (
    <Link href={links(`/money/customers/${partOfPath(id)}`)} className={css.name}>
      {content}
    </Link>
  )
}

interface Subscription {
  subscription_id: string
  customer_id: string | null
  name: string | null
  email: string | null
}

/** Returns the customer of a subscription: one without a customer at the processor is a customer of its own. */
export const customerOf = ({ subscription_id: subscription, customer_id, name, email }: Subscription) => ({
  id: customer_id ? `c:${customer_id}` : `s:${subscription}`,
  name,
  email,
  other: customer_id ?? subscription,
})

export type Payment = Outputs['payments']['list']['data'][number]

/** Returns the key of a payment's customer. @see docs/metrics.md "Customer" */
function customerKey({ customer_id, email, visitor_id, transaction_id }: Payment): string {
  if (customer_id) return `c:${customer_id}`
  if (email) return `e:${email.toLowerCase()}`
  return visitor_id ? `v:${visitor_id}` : `p:${transaction_id}`
}

/** Returns who paid. Customers are known of payments in the currency of the site. */
export const customerOfPayment = (payment: Payment, currency: string) => ({
  id: payment.currency === currency ? customerKey(payment) : null,
  name: payment.name,
  email: payment.email,
  other: payment.customer_id ?? payment.transaction_id,
})

interface TagProps {
  /** `good` and `bad` for what changed; a state is neutral. */
  tone?: 'good' | 'bad' | 'plain'
  children: ReactNode
}

/** A state in one word. */
export function Tag({ tone = 'plain', children }: TagProps) {
  return <span className={`${css.tag} ${css[tone]}`}>{children}</span>
}

interface SubscriptionTagsProps {
  subscription: { status: string; is_ending: boolean }
}

/** The processor's status of a subscription, and whether its end is scheduled. */
export function SubscriptionTags({ subscription: { status, is_ending: isEnding } }: SubscriptionTagsProps) {
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

/** What happened to the MRR of a customer. */
export function KindTag({ kind }: Pick<MrrChange, 'kind'>) {
  const { kinds } = useText().money
  return <Tag tone={kind === 'contraction' || kind === 'churn' ? 'bad' : 'good'}>{kinds[kind]}</Tag>
}
