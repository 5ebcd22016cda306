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
import css from '../settings.module.css'
import { AlertDialog } from './alert-dialog.tsx'
import { type Alert, alertsKey } from './conditions.ts'

export function AlertRow({ alert }: { alert: Alert }) {
  const { common, alerts: text } = useText()
  const { id } = useSite()
  const { time } = useFormat()
  const [shown, setShown] = useState<'edit' | 'delete'>()
  const [isTested, setTested] = useState(false)
  const close = () => setShown(undefined)
  const keys = [alertsKey(id)]
  const key = { siteKey: id, alert: alert.id }
  const turn = useChange(
    (isEnabled: boolean) => api.alerts.change.mutate({ ...key, is_enabled: isEnabled }),
    keys,
  )
  const test = useChange(() => api.alerts.test.mutate(key).then(() => true))
  const remove = useChange(() => api.alerts.delete.mutate(key).then(() => true), keys)
  const failure = turn.failure ?? test.failure
  const told = [
    ...alert.emails,
    ...(alert.webhooks.length > 0 ? [text.webhookCount(alert.webhooks.length)] : []),
  ]
  return (
    <li>
      <div className={css.what}>
        <p className={css.name}>
          <bdi>{alert.name}</bdi>
        </p>
        <p className={css.quiet}>{text.kinds[alert.condition.kind]}</p>
        <p className={css.small}>
          {!alert.is_enabled && <span className={css.warning}>{text.off} · </span>}
          {alert.open_since && (
            <span className={css.warning}>{text.openSince(time(alert.open_since))} · </span>
          )}
          {told.length > 0 ? told.join(', ') : text.tellsNobody}
        </p>
        {isTested && (
          <p className={css.saved} role="status">
            {text.tested}
          </p>
        )}
        {failure && <FailureNote failure={failure} />}
      </div>
      <div className={css.buttons}>
        {told.length > 0 && (
          <Button
            isBusy={test.isSending}
            onClick={async () => setTested((await test.send(undefined)) === true)}
          >
            {text.test}
          </Button>
        )}
        <Button isBusy={turn.isSending} onClick={() => turn.send(!alert.is_enabled)}>
          {alert.is_enabled ? text.turnOff : text.turnOn}
        </Button>
        <Button onClick={() => setShown('edit')}>{common.actions.edit}</Button>
        <Button kind="danger" onClick={() => setShown('delete')}>
          {common.actions.delete}
        </Button>
      </div>
      {shown === 'edit' && <AlertDialog alert={alert} onClose={close} />}
      {shown === 'delete' && (
        <Confirm
          title={text.delete}
          confirm={common.actions.delete}
          onConfirm={async () => {
            if (await remove.send(undefined)) close()
          }}
          onClose={close}
          isSending={remove.isSending}
          failure={remove.failure}
        >
          <p>{text.deleteQuestion(plainText(alert.name))}</p>
        </Confirm>
      )}
    </li>
  )
}
