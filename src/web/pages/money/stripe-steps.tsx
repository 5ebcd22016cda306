import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Step, Steps } from '../../parts/steps.tsx'
import { serviceAddress } from '../../state/places.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { startImport } from './import-past.tsx'
import css from './stripe.module.css'

/** Events that the service reads, as Stripe's list of events names them (docs/api.md "Payment processor"). */
const EVENTS = [
  'customer.subscription.*',
  'customer.discount.*',
  'customer.created',
  'customer.updated',
  'coupon.created',
  'coupon.updated',
  'invoice.paid',
  'invoice.payment_succeeded',
  'invoice_payment.paid',
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'payment_intent.succeeded',
  'charge.succeeded',
  'charge.captured',
  'charge.refunded',
  'charge.dispute.closed',
  'charge.refund.updated',
  'refund.*',
]

/** What a restricted key has to read. */
const RESOURCES = [
  'Customers',
  'Subscriptions',
  'Invoices',
  'Charges',
  'Checkout Sessions',
  'Prices',
  'Coupons',
  'Events',
]

/** With a key, the past is imported at once. It is started again on the next page if that fails here. */
async function connectAndImport(siteKey: string, secret: string, key: string) {
  const connection = await api.processor.connect.mutate({
    siteKey,
    provider: 'stripe',
    webhook_secret: secret,
    ...(key !== '' && { api_key: key }),
  })
  if (key !== '') await startImport(siteKey).catch(() => {})
  return connection
}

export function StripeSteps({ onConnected }: { onConnected(): void }) {
  const { stripe: text } = useText()
  const { id } = useSite()
  const connect = useChange(
    ({ webhook_secret: secret = '', api_key: key = '' }: Record<string, string>) =>
      connectAndImport(id, secret.trim(), key.trim()),
    [['processor', id], ['sites'], ['site']],
  )
  return (
    <Steps>
      <Step number={1} title={text.endpoint}>
        <p>{text.endpointHint}</p>
        <CodeBlock
          isWrapped
          label={text.endpointUrl}
          code={`${serviceAddress()}/api/processor/webhook/${id}`}
        />
      </Step>
      <Step number={2} title={text.events}>
        <p>{text.eventsHint}</p>
        <ul className={css.events}>
          {EVENTS.map(event => (
            <li key={event}>
              <code>{event}</code>
            </li>
          ))}
        </ul>
      </Step>
      <Step number={3} title={text.key}>
        <p>{text.keyHint}</p>
        <ul className={css.events}>
          {RESOURCES.map(name => (
            <li key={name}>
              <code>{text.mayRead(name)}</code>
            </li>
          ))}
        </ul>
      </Step>
      <Step number={4} state="now" title={text.secrets}>
        <div className={css.form}>
          <Form
            label={text.secrets}
            send={text.connect}
            isSending={connect.isSending}
            failure={connect.failure}
            onSend={async values => {
              if (await connect.send(values)) onConnected()
            }}
          >
            <TextField
              name="webhook_secret"
              label={text.signingSecret}
              hint={text.signingSecretHint}
              placeholder="whsec_…"
              maxLength={255}
              autoComplete="off"
              spellCheck={false}
              required
            />
            <TextField
              name="api_key"
              label={text.apiKey}
              hint={text.apiKeyHint}
              placeholder="rk_…"
              maxLength={255}
              autoComplete="off"
              spellCheck={false}
            />
          </Form>
        </div>
      </Step>
    </Steps>
  )
}
