import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { useRead } from '../../../api/use-read.ts'
import { useFormat } from '../../../format/format.ts'
import { Answer } from '../../../parts/answer.tsx'
import { Card } from '../../../parts/card.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Empty } from '../../../parts/states.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { PreviewDialog } from './preview-dialog.tsx'
import { RecipientDialog } from './recipient-dialog.tsx'
import { RecipientRow } from './recipient-row.tsx'

/** How often the list is read again, to see what became of a mail. */
const EVERY_MS = 30_000

/** Who gets reports of the site by mail. */
export function ReportSettings() {
  const { reports: text } = useText()
  const { id } = useSite()
  const format = useFormat()
  const [shown, setShown] = useState<'add' | 'preview'>()
  const close = () => setShown(undefined)
  const settings = useRead(['reports', id], signal => api.reports.list.query({ siteKey: id }, { signal }), {
    every: EVERY_MS,
  })
  const { sends_mail: sendsMail = false, recipients = [], most_recipients: most = 0 } = settings.data ?? {}
  const isFull = recipients.length >= most
  return (
    <Card
      title={text.title}
      note={text.hint}
      action={
        <div className={css.buttons}>
          <Button onClick={() => setShown('preview')}>{text.preview}</Button>
          {sendsMail && !isFull && <Button onClick={() => setShown('add')}>{text.add}</Button>}
        </div>
      }
    >
      <Answer read={settings}>
        {({ sends_mail, is_paused, recipients }) => (
          <div className={css.stack}>
            {!sends_mail && <Notice>{text.noMail}</Notice>}
            {sends_mail && is_paused && <Notice>{text.paused}</Notice>}
            {isFull && <p className={css.small}>{text.full(format.exact(most))}</p>}
            {recipients.length === 0 ? (
              <Empty title={text.none} />
            ) : (
              <ul className={css.list}>
                {recipients.map(recipient => (
                  <RecipientRow key={recipient.id} recipient={recipient} />
                ))}
              </ul>
            )}
          </div>
        )}
      </Answer>
      {shown === 'add' && <RecipientDialog onClose={close} />}
      {shown === 'preview' && <PreviewDialog onClose={close} />}
    </Card>
  )
}
