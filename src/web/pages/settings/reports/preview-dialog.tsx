import { useState } from 'react'
import { api, senderHeaders } from '../../../api/client.ts'
import { useRead } from '../../../api/use-read.ts'
import { Choice } from '../../../parts/form/choices.tsx'
import { plainText } from '../../../parts/hostile-text.tsx'
import { Dialog } from '../../../parts/overlay/dialog.tsx'
import { Answer } from '../../../parts/states.tsx'
import { Tabs } from '../../../parts/tabs.tsx'
import { useSite } from '../../../state/site.tsx'
import { useLanguage, useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { FREQUENCIES, type Frequency, LANGUAGES, type Language } from './recipient-dialog.tsx'

const FORMS = ['asMail', 'asText'] as const

/** The newest report as a recipient gets it. */
export function PreviewDialog({ onClose }: { onClose(): void }) {
  const { reports: text } = useText()
  const { id: siteKey } = useSite()
  const { code } = useLanguage()
  const [frequency, setFrequency] = useState<Frequency>('weekly')
  const [language, setLanguage] = useState<Language>(LANGUAGES.find(each => each === code) ?? 'en')
  const [form, setForm] = useState<(typeof FORMS)[number]>('asMail')
  const question = { siteKey, frequency, language }
  const preview = useRead(['report', question], signal => api.reports.preview.query(question, { signal }))
  return (
    <Dialog open size="wide" title={text.preview} onClose={onClose}>
      <div className={css.preview}>
        <div className={css.choices}>
          <Choice<Frequency>
            label={text.frequencies}
            options={FREQUENCIES.map(value => ({ value, label: text.frequency[value] }))}
            value={frequency}
            onChange={setFrequency}
          />
          <Choice<Language>
            label={text.language}
            options={LANGUAGES.map(value => ({ value, label: value.toUpperCase(), lang: value }))}
            value={language}
            onChange={setLanguage}
          />
        </div>
        <Answer read={preview}>
          {({ subject, text: body }) => (
            <>
              <p className={css.subject}>
                <span>{text.subject}</span> <bdi>{plainText(subject)}</bdi>
              </p>
              <Tabs<(typeof FORMS)[number]>
                label={text.preview}
                tabs={FORMS.map(name => ({ name, label: text[name] }))}
                value={form}
                onChange={setForm}
              >
                {form === 'asMail' ? (
                  <iframe
                    className={css.frame}
                    title={text.frame}
                    src={frameOf(siteKey, frequency, language)}
                    sandbox=""
                  />
                ) : (
                  <pre className={css.text}>{body}</pre>
                )}
              </Tabs>
            </>
          )}
        </Answer>
      </div>
    </Dialog>
  )
}

/** A frame sends no header, so the address says in which team the person acts. */
function frameOf(siteKey: string, frequency: Frequency, language: Language): string {
  const team = senderHeaders()['X-Team']
  const query = new URLSearchParams({ frequency, language, ...(team !== undefined && { team }) })
  return `api/sites/${siteKey}/reports/preview.html?${query}`
}
