import { useParams } from 'wouter'
import { api, type Outputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { NotFound } from '../../app/message-pages.tsx'
import { Form } from '../../parts/form/form.tsx'
import { plainText } from '../../parts/hostile-text.tsx'
import { Notice, Skeleton } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import { AuthPage, useProblem } from './auth-page.tsx'

type Purpose = 'confirm' | 'unsubscribe'
type Subscription = Outputs['reports']['lookUp']

/** What a link of a mail is for. Nothing happens before the button is pressed: scanners of mails open links. */
export default function MailLink() {
  const { purpose = '', token = '' } = useParams<{ purpose?: string; token?: string }>()
  if (purpose !== 'confirm' && purpose !== 'unsubscribe') return <NotFound />
  return <Opened key={token} purpose={purpose} token={token} />
}

function Opened({ purpose, token }: { purpose: Purpose; token: string }) {
  const { reports: text } = useText()
  const problemOf = useProblem()
  const title = purpose === 'confirm' ? text.confirmTitle : text.unsubscribeTitle
  const { data, failure } = useRead(
    ['mail-link', purpose, token],
    () => api.reports.lookUp.mutate({ purpose, token }),
    { keep: false },
  )
  if (data) return <Decision purpose={purpose} token={token} subscription={data} />
  return (
    <AuthPage title={title}>
      {failure ? (
        <Notice isProblem>{failure.kind === 'missing' ? text.linkGone : problemOf(failure)}</Notice>
      ) : (
        <Skeleton rows={3} />
      )}
    </AuthPage>
  )
}

interface DecisionProps {
  purpose: Purpose
  token: string
  subscription: Subscription
}

function Decision({ purpose, token, subscription }: DecisionProps) {
  const { reports: text } = useText()
  const problemOf = useProblem()
  const change = useChange(() => api.reports[purpose].mutate({ token }), [['mail-link', purpose, token]])
  const [address, domain] = [plainText(subscription.address), plainText(subscription.domain)]
  const isConfirm = purpose === 'confirm'
  const title = isConfirm ? text.confirmTitle : text.unsubscribeTitle
  if (subscription.state === 'unsubscribed' || (isConfirm && subscription.state === 'confirmed')) {
    const isIn = subscription.state === 'confirmed'
    return (
      <AuthPage title={title}>
        <Notice>{isIn ? text.confirmed(domain) : text.unsubscribed(address, domain)}</Notice>
      </AuthPage>
    )
  }
  return (
    <AuthPage
      title={title}
      intro={isConfirm ? text.confirmIntro(domain) : text.unsubscribeIntro(address, domain)}
    >
      <Form
        send={isConfirm ? text.confirmButton : text.unsubscribeButton}
        isSending={change.isSending}
        failure={change.failure}
        problem={problemOf(change.failure)}
        onSend={() => change.send()}
      />
    </AuthPage>
  )
}
