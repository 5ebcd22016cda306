import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Button, LinkButton } from '../../parts/form/button.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { ImportPast } from './import-past.tsx'
import { type Connection, useConnection } from './processor.tsx'
import css from './stripe.module.css'
import { StripeSteps } from './stripe-steps.tsx'

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

/** The connection there is: where Stripe sends its events, and how to end it. */
function StripeConnected({ connection, onChange }: { connection: Connection; onChange(): void }) {
  const { stripe: text } = useText()
  const { id } = useSite()
  const { time } = useFormat()
  const [isAsked, setAsked] = useState(false)
  const disconnect = useChange(
    () => api.processor.disconnect.mutate({ siteKey: id }),
    [['processor', id], ['sites'], ['site']],
  )
  return (
    <div className={css.connected}>
      <Card>
        <p className={css.good}>✓ {text.connected(time(connection.connected_at))}</p>
        <p className={css.quiet}>{text.connectedHint}</p>
        <CodeBlock isWrapped label={text.endpointUrl} code={connection.webhook_url} />
      </Card>
      <ImportPast isStarted={connection.import_started_at !== null} />
      <div className={css.buttons}>
        <LinkButton href="/money" kind="main">
          {text.toMoney}
        </LinkButton>
        <Button onClick={onChange}>{text.change}</Button>
        <Button kind="danger" onClick={() => setAsked(true)}>
          {text.disconnect}
        </Button>
      </div>
      {isAsked && (
        <Confirm title={text.disconnect} change={disconnect} onClose={() => setAsked(false)}>
          <p>{text.disconnectQuestion}</p>
        </Confirm>
      )}
    </div>
  )
}
