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
import { AlertDialog } from './alert-dialog.tsx'
import { AlertRow } from './alert-row.tsx'
import { alertsKey } from './conditions.ts'
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
        <Answer read={alerts}>
          {list =>
            list.length === 0 ? (
              <Empty title={text.none} />
            ) : (
              <ul className={css.list}>
                {list.map(alert => (
                  <AlertRow key={alert.id} alert={alert} />
                ))}
              </ul>
            )
          }
        </Answer>
        {isAdding && <AlertDialog onClose={() => setAdding(false)} />}
      </Card>
      <Incidents />
    </>
  )
}
