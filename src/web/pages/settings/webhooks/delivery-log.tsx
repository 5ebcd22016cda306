import { useState } from 'react'
import { api, type Outputs } from '../../../api/client.ts'
import { useChange } from '../../../api/use-change.ts'
import { useRead } from '../../../api/use-read.ts'
import { useFormat } from '../../../format/format.ts'
import { CodeBlock } from '../../../parts/code-block.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { HostileText } from '../../../parts/hostile-text.tsx'
import { Dialog } from '../../../parts/overlay/dialog.tsx'
import { SettingList, SettingRow } from '../../../parts/setting-row.tsx'
import { Answer, FailureNote } from '../../../parts/states.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { type Webhook, webhooksKey } from './webhook-dialog.tsx'

type Delivery = Outputs['webhooks']['deliveries']['data'][number]

/** What was sent to an endpoint, and what became of it. While something waits, it is read again every few seconds. */
export function DeliveryLog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const { webhooks: text } = useText()
  const { id } = useSite()
  const [page, setPage] = useState(1)
  const log = useRead(
    [...webhooksKey(id), webhook.id, 'deliveries', page],
    signal =>
      api.webhooks.deliveries.query({ siteKey: id, webhook: webhook.id, page, per_page: 10 }, { signal }),
    { every: 3_000 },
  )
  return (
    <Dialog open title={`${text.log}: ${webhook.name}`} onClose={onClose}>
      <p className={css.small}>{text.logHint}</p>
      <SettingList read={log} empty={text.noDeliveries} onPage={setPage}>
        {delivery => <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />}
      </SettingList>
    </Dialog>
  )
}

function DeliveryRow({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const { common, webhooks: text } = useText()
  const { id } = useSite()
  const { time } = useFormat()
  const problemText = useProblemText()
  const [isOpen, setOpen] = useState(false)
  const again = useChange(
    () => api.webhooks.redeliver.mutate({ siteKey: id, webhook: webhook.id, delivery: delivery.id }),
    [webhooksKey(id)],
  )
  const problem = problemText(delivery)
  return (
    <SettingRow
      actions={
        <>
          <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? common.actions.hide : common.actions.details}
          </Button>
          {webhook.is_enabled && (
            <Button isBusy={again.isSending} onClick={() => again.send()}>
              {text.redeliver}
            </Button>
          )}
        </>
      }
    >
      <p className={css.name}>{text.typeNames[delivery.type] ?? delivery.type}</p>
      <p className={css.small}>
        <span className={delivery.state === 'failed' ? css.warning : undefined}>
          {text.states[delivery.state]}
        </span>
        {' · '}
        {[time(delivery.created_at), text.attempts(delivery.attempts), problem].filter(Boolean).join(' · ')}
      </p>
      {delivery.next_at !== null && delivery.attempts > 0 && (
        <p className={css.small}>{text.nextAt(time(delivery.next_at))}</p>
      )}
      {isOpen && <DeliveryDetails webhook={webhook} delivery={delivery} />}
      {again.failure && <FailureNote failure={again.failure} />}
    </SettingRow>
  )
}

/** The attempts of a delivery, and what is sent. */
function DeliveryDetails({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
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
function useProblemText() {
  const { webhooks: text } = useText()
  return ({ error, status }: { error: string | null; status: number | null }): string | undefined => {
    if (error === null) return undefined
    return status === null ? (text.problems[error] ?? error) : text.answered(status)
  }
}
