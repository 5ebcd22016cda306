import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { useRead } from '../../../api/use-read.ts'
import { Answer } from '../../../parts/answer.tsx'
import { Card } from '../../../parts/card.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { Empty } from '../../../parts/states.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { webhooksKey } from './kinds.ts'
import { ShownSecret } from './shown-secret.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'
import { WebhookRow } from './webhook-row.tsx'

/** Endpoints that are told of goals, payments and subscriptions. */
export function WebhookSettings() {
  const { settings, webhooks: text } = useText()
  const { id } = useSite()
  const webhooks = useRead(webhooksKey(id), signal => api.webhooks.list.query({ siteKey: id }, { signal }))
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Card
      title={settings.parts.webhooks}
      note={text.hint}
      action={<Button onClick={() => setAdding(true)}>{text.add}</Button>}
    >
      <Answer read={webhooks}>
        {list =>
          list.length === 0 ? (
            <Empty title={text.none} />
          ) : (
            <ul className={css.list}>
              {list.map(webhook => (
                <WebhookRow key={webhook.id} webhook={webhook} onSecret={setSecret} />
              ))}
            </ul>
          )
        }
      </Answer>
      {isAdding && (
        <WebhookDialog
          onCreated={made => {
            setAdding(false)
            setSecret(made.secret)
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {secret !== null && <ShownSecret secret={secret} onClose={() => setSecret(null)} />}
    </Card>
  )
}
