import { useState } from 'react'
import { api, type Outputs } from '../../../api/client.ts'
import { useChange } from '../../../api/use-change.ts'
import { useRead } from '../../../api/use-read.ts'
import { useFormat } from '../../../format/format.ts'
import { Card } from '../../../parts/card.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { HostileText } from '../../../parts/hostile-text.tsx'
import { SettingRow, SettingRows } from '../../../parts/setting-row.tsx'
import { Answer, Empty, FailureNote, Notice } from '../../../parts/states.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { PreviewDialog } from './preview-dialog.tsx'
import { RecipientDialog } from './recipient-dialog.tsx'

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
              <SettingRows>
                {recipients.map(recipient => (
                  <RecipientRow key={recipient.id} recipient={recipient} />
                ))}
              </SettingRows>
            )}
          </div>
        )}
      </Answer>
      {shown === 'add' && <RecipientDialog onClose={close} />}
      {shown === 'preview' && <PreviewDialog onClose={close} />}
    </Card>
  )
}

export type Recipient = Outputs['reports']['list']['recipients'][number]

/** An address, what it gets, and what became of the last mail. */
function RecipientRow({ recipient }: { recipient: Recipient }) {
  const { reports: text } = useText()
  const { id: siteKey } = useSite()
  const { id, address, state } = recipient
  const test = useChange(() => api.reports.test.mutate({ siteKey, id }))
  const [isTested, setTested] = useState(false)
  return (
    <SettingRow
      edit={close => <RecipientDialog recipient={recipient} onClose={close} />}
      remove={{
        label: text.remove,
        title: text.removeTitle,
        question: text.removeQuestion(address),
        run: () => api.reports.remove.mutate({ siteKey, id }),
        changes: [['reports', siteKey]],
      }}
      actions={
        state === 'confirmed' && (
          <Button isBusy={test.isSending} onClick={async () => setTested((await test.send()) === true)}>
            {isTested ? text.tested : text.test}
          </Button>
        )
      }
    >
      <p className={css.name}>
        <HostileText>{address}</HostileText>
      </p>
      <Facts recipient={recipient} />
      <Problem recipient={recipient} />
      {test.failure && <FailureNote failure={test.failure} />}
    </SettingRow>
  )
}

function Facts({ recipient }: { recipient: Recipient }) {
  const { reports: text } = useText()
  const { days, ago } = useFormat()
  const now = new Date()
  const { state, frequencies, last_sent: sent, asked_at: asked } = recipient
  const isGood = state === 'confirmed'
  const facts = [
    isGood &&
      (sent ? text.sent(text.kinds[sent.kind], days(sent.from, sent.to), ago(sent.at, now)) : text.neverSent),
    state === 'waiting' && asked && text.asked(ago(asked, now)),
    recipient.created_by && text.addedBy(recipient.created_by),
  ]
  return (
    <>
      <p className={css.quiet}>{frequencies.map(each => text.frequency[each]).join(', ')}</p>
      <p className={css.small}>
        {!isGood && <strong>{text.states[state]} · </strong>}
        {facts.filter(Boolean).join(' · ')}
      </p>
    </>
  )
}

function Problem({ recipient: { problem } }: { recipient: Recipient }) {
  const { reports: text } = useText()
  const { days, ago } = useFormat()
  if (!problem) return null
  const { kind, from, to, code, response, next_at: next } = problem
  return (
    <p className={`${css.small} ${css.warning}`}>
      {text.problem(text.kinds[kind], days(from, to), text.problems[code])}{' '}
      {next === null ? text.noMoreTry : text.nextTry(ago(next, new Date()))}{' '}
      {response !== '' && <HostileText isWrapped>{response}</HostileText>}
    </p>
  )
}
