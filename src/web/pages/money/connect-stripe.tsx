import { useState } from 'react'
import { Answer } from '../../parts/answer.tsx'
import { Empty } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './connect-stripe.module.css'
import { StripeConnected } from './stripe-connected.tsx'
import { StripeSteps } from './stripe-steps.tsx'
import { useConnection } from './use-processor.ts'

/** Connects Stripe step by step, or shows the connection there is. */
export default function ConnectStripe() {
  const { stripe: text } = useText()
  const { mayManage } = useSite()
  return (
    <div className={css.narrow}>
      <h1>{text.title}</h1>
      <p className={css.lead}>{text.lead}</p>
      {mayManage ? <Connecting /> : <Empty title={text.notYou} />}
    </div>
  )
}

function Connecting() {
  const { hasProcessor } = useSite()
  const connection = useConnection()
  const [isChanging, setChanging] = useState(false)
  const steps = <StripeSteps onConnected={() => setChanging(false)} />
  if (!hasProcessor || isChanging) return steps
  return (
    <Answer read={connection}>
      {found => (found ? <StripeConnected connection={found} onChange={() => setChanging(true)} /> : steps)}
    </Answer>
  )
}
