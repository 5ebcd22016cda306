import { useState } from 'react'
import { api, type Inputs } from '../../../api/client.ts'
import { useChange } from '../../../api/use-change.ts'
import { useSettings } from '../../../app/site/site-frame.tsx'
import { Editor } from '../../../parts/editor.tsx'
import { CheckField, CheckGroup, SelectField, TextField } from '../../../parts/form/field.tsx'
import { useSite } from '../../../state/site.tsx'
import { useLanguage, useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import type { Recipient } from './reports.tsx'

type Values = Omit<Inputs['reports']['change'], 'siteKey' | 'id'>

interface Props {
  /** The recipient to change; without it a new one is added. */
  recipient?: Recipient
  onClose(): void
}

/** Adds a recipient, or changes what one gets. */
export function RecipientDialog({ recipient, onClose }: Props) {
  const { reports: text, common } = useText()
  const { id: siteKey } = useSite()
  const { code } = useLanguage()
  const zone = useSettings().data?.timezone ?? ''
  const [frequencies, setFrequencies] = useState<readonly Frequency[]>(recipient?.frequencies ?? ['weekly'])
  const [sections, setSections] = useState<readonly ReportSection[]>(
    recipient?.sections ?? REPORT_SECTIONS.filter(section => section !== 'revenue'),
  )
  const save = useChange(
    ({ address, ...values }: Values & { address: string }) =>
      recipient
        ? api.reports.change.mutate({ siteKey, id: recipient.id, ...values })
        : api.reports.add.mutate({ siteKey, frequencies: [], ...values, address }),
    [['reports', siteKey]],
  )
  const inputOf = ({ address = '', hour = '8', language = 'en', skips_empty }: Record<string, string>) => ({
    address,
    frequencies: [...frequencies],
    sections: [...sections],
    hour: Number(hour),
    language: language as Language,
    skips_empty: skips_empty !== undefined,
  })
  return (
    <Editor
      title={recipient ? text.edit : text.add}
      send={recipient ? common.actions.save : common.actions.add}
      change={save}
      inputOf={inputOf}
      onClose={onClose}
    >
      <TextField
        name="address"
        type="email"
        label={text.address}
        hint={recipient ? undefined : text.addressHint}
        defaultValue={recipient?.address}
        maxLength={255}
        readOnly={recipient !== undefined}
        required
      />
      <CheckGroup
        label={text.frequencies}
        options={FREQUENCIES.map(value => ({ value, label: text.frequency[value] }))}
        chosen={frequencies}
        onChange={setFrequencies}
      />
      {frequencies.length === 0 && <p className={css.warning}>{text.chooseOne}</p>}
      <SelectField
        name="hour"
        label={text.hour}
        hint={text.hourHint(zone)}
        defaultValue={String(recipient?.hour ?? 8)}
        options={HOURS}
      />
      <SelectField
        name="language"
        label={text.language}
        defaultValue={recipient?.language ?? (LANGUAGES.find(each => each === code) || 'en')}
        options={LANGUAGES.map(value => ({
          value,
          label: new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
        }))}
      />
      <CheckGroup
        label={text.shows}
        options={REPORT_SECTIONS.map(value => ({ value, label: text.sections[value] }))}
        chosen={sections}
        onChange={setSections}
      />
      <CheckField name="skips_empty" label={text.skipsEmpty} defaultChecked={recipient?.skips_empty} />
    </Editor>
  )
}

const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}))

type Added = Inputs['reports']['add']
export type Frequency = Added['frequencies'][number]
export type Language = NonNullable<Added['language']>
type ReportSection = NonNullable<Added['sections']>[number]

/** Names of the API, in their order; TypeScript names what is missing. */
export const FREQUENCIES = namesOf<Frequency>({ daily: true, weekly: true, monthly: true })
export const LANGUAGES = namesOf<Language>({ en: true, de: true })
const REPORT_SECTIONS = namesOf<ReportSection>({
  sources: true,
  pages: true,
  locations: true,
  goals: true,
  revenue: true,
})

function namesOf<Name extends string>(names: Record<Name, true>): readonly Name[] {
  return Object.keys(names) as Name[]
}
