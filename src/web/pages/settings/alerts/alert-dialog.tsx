import { useState } from 'react'
import { api, type Inputs } from '../../../api/client.ts'
import { useChange } from '../../../api/use-change.ts'
import { useRead } from '../../../api/use-read.ts'
import { Editor } from '../../../parts/editor.tsx'
import { CheckGroup, SelectField, TextArea, TextField } from '../../../parts/form/field.tsx'
import { useSite } from '../../../state/site.tsx'
import { useLanguage, useText } from '../../../text/text.tsx'
import {
  type Alert,
  alertsKey,
  type Condition,
  ConditionFields,
  KINDS,
  type Kind,
  NEW_CONDITIONS,
} from './condition-fields.tsx'

type Values = Omit<Inputs['alerts']['create'], 'siteKey'>

/** Makes an alert, or changes one. */
export function AlertDialog({ alert, onClose }: { alert?: Alert; onClose(): void }) {
  const { common, alerts: text } = useText()
  const { id } = useSite()
  const { code } = useLanguage()
  const [condition, setCondition] = useState<Condition>(alert?.condition ?? NEW_CONDITIONS.traffic_drop)
  const [webhooks, setWebhooks] = useState<readonly string[]>(alert?.webhooks ?? [])
  const known = useRead(['webhooks', id], signal => api.webhooks.list.query({ siteKey: id }, { signal }))
  const change = useChange(
    (values: Values) =>
      alert
        ? api.alerts.change.mutate({ siteKey: id, alert: alert.id, ...values })
        : api.alerts.create.mutate({ siteKey: id, ...values }),
    [alertsKey(id)],
  )
  const inputOf = ({ name = '', emails = '' }: Record<string, string>) => {
    const isSame = alert !== undefined && JSON.stringify(alert.condition) === JSON.stringify(condition)
    const values = {
      name,
      emails: emails.split(/[\s,;]+/).filter(each => each !== ''),
      webhooks: [...webhooks],
      // Of the question to addresses that are new.
      language: code as Values['language'],
    }
    // The same condition sent again would end an open incident.
    return (isSame ? values : { ...values, condition }) as Values
  }
  return (
    <Editor
      title={alert ? text.edit : text.add}
      send={alert ? common.actions.save : common.actions.create}
      change={change}
      inputOf={inputOf}
      onClose={onClose}
    >
      <TextField name="name" label={text.name} defaultValue={alert?.name} maxLength={100} required />
      <SelectField
        label={text.kind}
        value={condition.kind}
        hint={text.kindHints[condition.kind]}
        onChange={event => setCondition(NEW_CONDITIONS[event.target.value as Kind])}
        options={KINDS.map(value => ({ value, label: text.kinds[value] }))}
      />
      <ConditionFields condition={condition} onChange={setCondition} />
      <TextArea
        name="emails"
        label={text.emails}
        hint={text.emailsHint}
        defaultValue={alert?.emails.join('\n')}
      />
      {known.data && known.data.length > 0 && (
        <CheckGroup
          label={text.webhooks}
          options={known.data.map(({ id: value, name }) => ({ value, label: name }))}
          chosen={webhooks}
          onChange={setWebhooks}
          isLong
        />
      )}
    </Editor>
  )
}
