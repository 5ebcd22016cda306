import { api } from '../../../api/client.ts'
import type { Outputs } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { useFormat } from '../../../format/format.ts'
import { Answer } from '../../../parts/answer.tsx'
import { CodeBlock } from '../../../parts/code-block.tsx'
import { HostileText } from '../../../parts/hostile-text.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { type Webhook, webhooksKey } from './kinds.ts'

type Delivery = Outputs['webhooks']['deliveries']['data'][number]

/** The attempts of a delivery, and what is sent. */
export function DeliveryDetails({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const { webhooks: text } = useText()
  const { id } = useSite()
  const { time } = useFormat()
  const problemText = useProblemText()
  const key = { siteKey: id, webhook: webhook.id, delivery: delivery.id }
  const detail = useRead(
    [...webhooksKey(id), webhook.id, 'delivery', delivery.id, delivery.state, delivery.attempts],
    signal => api.webhooks.delivery.query(key, { signal }),
  )
  return (
    <Answer read={detail}>
      {({ body, log }) => (
        <div className={css.stack}>
          <ol>
            {log.map(each => (
              <li key={each.number} className={css.small}>
                {[
                  time(each.at),
                  problemText(each) ?? text.succeeded(each.status ?? 0),
                  `${each.took_ms} ms`,
                ].join(' · ')}
                {each.answer !== '' && (
                  <div>
                    <HostileText isWrapped>{each.answer}</HostileText>
                  </div>
                )}
              </li>
            ))}
          </ol>
          <CodeBlock isWrapped code={pretty(body)} label={text.body} />
        </div>
      )}
    </Answer>
  )
}

const pretty = (body: string) => JSON.stringify(JSON.parse(body), null, 2)

/** Returns why an attempt failed, in words; undefined after a success. */
export function useProblemText() {
  const { webhooks: text } = useText()
  return ({ error, status }: { error: string | null; status: number | null }): string | undefined => {
    if (error === null) return undefined
    return status === null ? (text.problems[error] ?? error) : text.answered(status)
  }
}
