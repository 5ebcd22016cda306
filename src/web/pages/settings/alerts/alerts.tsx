import { useState } from 'react'
import { api, type Inputs } from '../../../api/client.ts'
import { useChange } from '../../../api/use-change.ts'
import { useRead } from '../../../api/use-read.ts'
import { useFormat } from '../../../format/format.ts'
import { Card } from '../../../parts/card.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { plainText } from '../../../parts/hostile-text.tsx'
import { SettingList, SettingRow } from '../../../parts/setting-row.tsx'
import { FailureNote } from '../../../parts/states.tsx'
import { useSite } from '../../../state/site.tsx'
import { useLanguage, useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { AlertDialog } from './alert-dialog.tsx'
import { type Alert, alertsKey } from './condition-fields.tsx'
import { Incidents } from './incidents.tsx'

/** Rules that are checked every few minutes, and what they found. */
export function AlertSettings() {
  const { settings, alerts: text } = useText()
  const { id } = useSite()
  const alerts = useRead(alertsKey(id), signal => api.alerts.list.query({ siteKey: id }, { signal }))
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <Card
        title={settings.parts.alerts}
        note={text.hint}
        action={<Button onClick={() => setAdding(true)}>{text.add}</Button>}
      >
        <SettingList read={alerts} empty={text.none}>
          {alert => <AlertRow key={alert.id} alert={alert} />}
        </SettingList>
        {isAdding && <AlertDialog onClose={() => setAdding(false)} />}
      </Card>
      <Incidents />
    </>
  )
}

function AlertRow({ alert }: { alert: Alert }) {
  const { alerts: text } = useText()
  const { id } = useSite()
  const { time } = useFormat()
  const language = useLanguage().code as Inputs['alerts']['change']['language']
  const [isTested, setTested] = useState(false)
  const changes = [alertsKey(id)]
  const key = { siteKey: id, alert: alert.id }
  const turn = useChange(
    (isEnabled: boolean) =>
      // Addresses that were not asked yet are asked in this language.
      api.alerts.change.mutate({ ...key, is_enabled: isEnabled, ...(isEnabled && { language }) }),
    changes,
  )
  const test = useChange(() => api.alerts.test.mutate(key))
  const failure = turn.failure ?? test.failure
  const told = [
    ...alert.recipients.map(({ address, state }) =>
      state === 'confirmed' ? address : text.addressWith(address, text.addressStates[state]),
    ),
    ...(alert.webhooks.length > 0 ? [text.webhookCount(alert.webhooks.length)] : []),
  ]
  return (
    <SettingRow
      edit={close => <AlertDialog alert={alert} onClose={close} />}
      remove={{
        title: text.delete,
        question: text.deleteQuestion(plainText(alert.name)),
        run: () => api.alerts.delete.mutate(key),
        changes,
      }}
      actions={
        <>
          {told.length > 0 && (
            <Button isBusy={test.isSending} onClick={async () => setTested((await test.send()) === true)}>
              {text.test}
            </Button>
          )}
          <Button isBusy={turn.isSending} onClick={() => turn.send(!alert.is_enabled)}>
            {alert.is_enabled ? text.turnOff : text.turnOn}
          </Button>
        </>
      }
    >
      <p className={css.name}>
        <bdi>{alert.name}</bdi>
      </p>
      <p className={css.quiet}>{text.kinds[alert.condition.kind]}</p>
      <p className={css.small}>
        {!alert.is_enabled && <span className={css.warning}>{text.off} · </span>}
        {alert.open_since && <span className={css.warning}>{text.openSince(time(alert.open_since))} · </span>}
        {told.length > 0 ? told.join(', ') : text.sendsNothing}
      </p>
      {isTested && (
        <p className={css.saved} role="status">
          {text.tested}
        </p>
      )}
      {failure && <FailureNote failure={failure} />}
    </SettingRow>
  )
}
