import { useState } from 'react'
import { api, type Outputs } from '../../../api/client.ts'
import { useChange } from '../../../api/use-change.ts'
import { Editor } from '../../../parts/editor.tsx'
import { CheckGroup, SelectField, TextField } from '../../../parts/form/field.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'

type Made = Outputs['webhooks']['create']

interface Props {
  /** The endpoint to change; without it a new one is made. */
  webhook?: Webhook
  onCreated?(made: Made): void
  onClose(): void
}

/** Makes an endpoint, or changes one. */
export function WebhookDialog({ webhook, onCreated, onClose }: Props) {
  const { common, webhooks: text } = useText()
  const { id } = useSite()
  const [kinds, setKinds] = useState<readonly Kind[]>(webhook?.kinds ?? ['goal.converted', 'payment.paid'])
  const [format, setFormat] = useState<Format>(webhook?.format ?? 'signed')
  const save = useChange<{ name: string; url: string }, Made | Webhook>(
    ({ name, url }) => {
      if (!webhook) return api.webhooks.create.mutate({ siteKey: id, name, url, kinds: [...kinds], format })
      const values = { name, kinds: [...kinds], ...(url !== '' && url !== webhook.url && { url }) }
      return api.webhooks.change.mutate({ siteKey: id, webhook: webhook.id, ...values })
    },
    [webhooksKey(id)],
  )
  const keepsUrl = webhook !== undefined && webhook.format !== 'signed'
  return (
    <Editor
      title={webhook ? text.edit : text.add}
      send={webhook ? common.actions.save : common.actions.create}
      change={save}
      inputOf={({ name = '', url = '' }) => ({ name, url })}
      onDone={made => (webhook ? onClose() : onCreated?.(made as Made))}
      onClose={onClose}
    >
      <TextField name="name" label={text.name} defaultValue={webhook?.name} maxLength={100} required />
      {!webhook && (
        <SelectField
          name="format"
          label={text.format}
          hint={text.formatHints[format]}
          value={format}
          onChange={event => setFormat(event.target.value as Format)}
          options={FORMATS.map(value => ({ value, label: text.formats[value] }))}
        />
      )}
      <TextField
        name="url"
        type="url"
        label={text.url}
        hint={keepsUrl ? text.urlStays : text.urlHint}
        defaultValue={keepsUrl ? '' : webhook?.url}
        placeholder={keepsUrl ? webhook.url : 'https://'}
        maxLength={2048}
        required={!keepsUrl}
      />
      <CheckGroup
        label={text.kinds}
        options={KINDS.map(value => ({ value, label: text.kindNames[value] }))}
        chosen={kinds}
        onChange={setKinds}
        isLong
      />
    </Editor>
  )
}

export type Webhook = Outputs['webhooks']['list'][number]
type Kind = Webhook['kinds'][number]
type Format = Webhook['format']

/** Types of events in the order of the form. */
const KINDS = Object.keys({
  'goal.converted': true,
  'payment.paid': true,
  'payment.refunded': true,
  'trial.started': true,
  'trial.converted': true,
  'subscription.started': true,
  'subscription.renewed': true,
  'subscription.upgraded': true,
  'subscription.downgraded': true,
  'subscription.cancel_scheduled': true,
  'subscription.reactivated': true,
  'subscription.ended': true,
} satisfies Record<Kind, true>) as Kind[]

const FORMATS = Object.keys({ signed: true, slack: true, discord: true } satisfies Record<
  Format,
  true
>) as Format[]

/** Keys of the reads of one site's webhooks. */
export const webhooksKey = (siteId: string) => ['webhooks', siteId]
