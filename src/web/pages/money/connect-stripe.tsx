import { useState } from 'react'
import { api, TOGETHER } from '../../api/client.ts'
import { failureOf } from '../../api/failure.ts'
import type { Outputs } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { Answer } from '../../parts/answer.tsx'
import { Empty } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './connect-stripe.module.css'
import { StripeConnected } from './stripe-connected.tsx'
import { StripeSteps } from './stripe-steps.tsx'

export type Connection = Outputs['processor']['get']

/** Connects Stripe step by step, or shows the connection there is. */
export default function ConnectStripe() {
  const { stripe: text } = useText()
  const { id, mayManage } = useSite()
  const [isChanging, setChanging] = useState(false)
  const connection = useRead(['processor', id], () => readConnection(id), { enabled: mayManage })
  return (
    <div className={css.narrow}>
      <h1>{text.title}</h1>
      <p className={css.lead}>{text.lead}</p>
      {mayManage ? (
        <Answer read={connection}>
          {found =>
            found && !isChanging ? (
              <StripeConnected connection={found} onChange={() => setChanging(true)} />
            ) : (
              <StripeSteps onConnected={() => setChanging(false)} />
            )
          }
        </Answer>
      ) : (
        <Empty title={text.notYou} />
      )}
    </div>
  )
}

/** Null where no processor is connected, which is no failure. */
async function readConnection(siteKey: string): Promise<Connection | null> {
  return api.processor.get.query({ siteKey }, { context: TOGETHER }).catch(error => {
    if (failureOf(error).kind === 'missing') return null
    throw error
  })
}
