import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { useChange } from '../../../api/use-change.ts'
import { useRead } from '../../../api/use-read.ts'
import { useFormat } from '../../../format/format.ts'
import { Card } from '../../../parts/card.tsx'
import { CodeBlock } from '../../../parts/code-block.tsx'
import { Confirm } from '../../../parts/confirm.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { plainText } from '../../../parts/hostile-text.tsx'
import { Dialog } from '../../../parts/overlay/dialog.tsx'
import { SettingList, SettingRow } from '../../../parts/setting-row.tsx'
import { FailureNote } from '../../../parts/states.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { DeliveryLog } from './delivery-log.tsx'
import { type Webhook, WebhookDialog, webhooksKey } from './webhook-dialog.tsx'

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
      <SettingList read={webhooks} empty={text.none}>
        {webhook => <WebhookRow key={webhook.id} webhook={webhook} onSecret={setSecret} />}
      </SettingList>
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

interface Props {
  webhook: Webhook
  onSecret(secret: string): void
}

function WebhookRow({ webhook, onSecret }: Props) {
  const { webhooks: text } = useText()
  const { id } = useSite()
  const [shown, setShown] = useState<'rotate' | 'log'>()
  const close = () => setShown(undefined)
  const changes = [webhooksKey(id)]
  const key = { siteKey: id, webhook: webhook.id }
  const turn = useChange(
    (isEnabled: boolean) => api.webhooks.change.mutate({ ...key, is_enabled: isEnabled }),
    changes,
  )
  const test = useChange(() => api.webhooks.test.mutate(key), changes)
  const rotate = useChange(() => api.webhooks.rotate.mutate(key), changes)
  const failure = turn.failure ?? test.failure
  return (
    <SettingRow
      edit={closeDialog => <WebhookDialog webhook={webhook} onClose={closeDialog} />}
      remove={{
        title: text.delete,
        question: text.deleteQuestion(plainText(webhook.name)),
        run: () => api.webhooks.delete.mutate(key),
        changes,
      }}
      actions={
        <>
          <Button onClick={() => setShown('log')}>{text.log}</Button>
          {webhook.is_enabled && (
            <Button
              isBusy={test.isSending}
              onClick={async () => {
                if (await test.send()) setShown('log')
              }}
            >
              {text.test}
            </Button>
          )}
          <Button isBusy={turn.isSending} onClick={() => turn.send(!webhook.is_enabled)}>
            {webhook.is_enabled ? text.turnOff : text.turnOn}
          </Button>
          {webhook.format === 'signed' && <Button onClick={() => setShown('rotate')}>{text.rotate}</Button>}
        </>
      }
    >
      <p className={css.name}>
        <bdi>{webhook.name}</bdi>
      </p>
      <p className={css.quiet}>
        <bdi>{webhook.url}</bdi>
      </p>
      <p className={css.small}>
        {webhook.kinds.map(kind => text.kindNames[kind]).join(', ') || text.noKinds}
      </p>
      <State webhook={webhook} />
      {failure && <FailureNote failure={failure} />}
      {shown === 'log' && <DeliveryLog webhook={webhook} onClose={close} />}
      {shown === 'rotate' && (
        <Confirm
          title={text.rotate}
          change={rotate}
          onDone={({ secret }) => {
            close()
            onSecret(secret)
          }}
          onClose={close}
        >
          <p>{text.rotateHint}</p>
        </Confirm>
      )}
    </SettingRow>
  )
}

function State({ webhook }: { webhook: Webhook }) {
  const { webhooks: text } = useText()
  const { time, exact } = useFormat()
  const { failing_since: failing, given_up_at: givenUp } = webhook
  const facts = [
    text.formats[webhook.format],
    webhook.waiting > 0 && text.waiting(exact(webhook.waiting)),
    webhook.dropped > 0 && text.dropped(exact(webhook.dropped)),
    webhook.previous_secret_until !== null &&
      new Date(webhook.previous_secret_until) > new Date() &&
      text.oldSecret(time(webhook.previous_secret_until)),
  ]
  const problem = givenUp
    ? text.givenUp(time(givenUp))
    : !webhook.is_enabled
      ? text.off
      : failing && text.failing(time(failing))
  return (
    <p className={css.small}>
      {problem && <span className={css.warning}>{problem} · </span>}
      {facts.filter(Boolean).join(' · ')}
    </p>
  )
}

/** The key of the signatures, which is shown this one time. */
function ShownSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  const { settings, webhooks: text } = useText()
  return (
    <Dialog open title={text.secret} onClose={onClose}>
      <div className={css.stack}>
        <p className={css.quiet}>{settings.onlyOnce}</p>
        <CodeBlock isWrapped code={secret} label={text.secret} />
        <p className={css.small}>{text.secretHint}</p>
      </div>
    </Dialog>
  )
}
