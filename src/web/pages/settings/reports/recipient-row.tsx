import { useState } from 'react'
import { api } from '../../../api/client.ts'
import type { Outputs } from '../../../api/types.ts'
import { useChange } from '../../../api/use-change.ts'
import { useFormat } from '../../../format/format.ts'
import { Button } from '../../../parts/form/button.tsx'
import { HostileText } from '../../../parts/hostile-text.tsx'
import { FailureNote } from '../../../parts/states.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import { SettingRow } from '../setting-row.tsx'
import css from '../settings.module.css'
import { RecipientDialog } from './recipient-dialog.tsx'

export type Recipient = Outputs['reports']['list']['recipients'][number]

/** An address, what it gets, and what became of the last mail. */
export function RecipientRow({ recipient }: { recipient: Recipient }) {
  const { reports: text } = useText()
  const { id: siteKey } = useSite()
  const { id, address, state } = recipient
  const test = useChange(() => api.reports.test.mutate({ siteKey, id }).then(() => true))
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
          <Button
            isBusy={test.isSending}
            onClick={async () => setTested((await test.send(undefined)) === true)}
          >
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
