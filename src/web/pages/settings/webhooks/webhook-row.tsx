import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { useChange } from '../../../api/use-change.ts'
import { useFormat } from '../../../format/format.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { plainText } from '../../../parts/hostile-text.tsx'
import { FailureNote } from '../../../parts/states.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import { SettingRow } from '../setting-row.tsx'
import css from '../settings.module.css'
import { DeliveryLog } from './delivery-log.tsx'
import { type Webhook, webhooksKey } from './kinds.ts'
import { WebhookDialog } from './webhook-dialog.tsx'

interface Props {
  webhook: Webhook
  onSecret(secret: string): void
}

export function WebhookRow({ webhook, onSecret }: Props) {
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
                if (await test.send(undefined)) setShown('log')
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
          confirm={text.rotate}
          onConfirm={async () => {
            const made = await rotate.send(undefined)
            if (!made) return
            close()
            onSecret(made.secret)
          }}
          onClose={close}
          isSending={rotate.isSending}
          failure={rotate.failure}
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
