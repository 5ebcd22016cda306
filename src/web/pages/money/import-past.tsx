import { useEffect, useState } from 'react'
import { api, type Outputs, TOGETHER } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Answer, FailureNote } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './stripe.module.css'

type PastImport = Outputs['processor']['importState']

/** While it runs, the state is read again this often. */
const EVERY_MS = 2_000

/** The import of the past of Stripe: how far it is, what it found, and again. @param isStarted whether there ever was one */
export function ImportPast({ isStarted }: { isStarted: boolean }) {
  const { stripe: text } = useText()
  const { id } = useSite()
  const [isRunning, setRunning] = useState(false)
  const read = useRead(
    ['processor', id, 'import'],
    () => api.processor.importState.query({ siteKey: id }, { context: TOGETHER }),
    { enabled: isStarted, ...(isRunning && { every: EVERY_MS }) },
  )
  useEffect(() => setRunning(read.data?.state === 'running'), [read.data])
  const start = useChange(() => startImport(id), [['processor', id]])
  const button = (name: string) => (
    <Button onClick={() => start.send()} disabled={start.isSending}>
      {name}
    </Button>
  )
  return (
    <Card>
      <h2 className={css.title}>{text.past}</h2>
      <p className={css.importPastQuiet}>{text.pastHint}</p>
      {isStarted ? (
        <Answer read={read}>
          {found => (
            <>
              <State found={found} />
              {found.state !== 'running' && button(text.importAgain)}
            </>
          )}
        </Answer>
      ) : (
        button(text.importPast)
      )}
      {start.failure && <FailureNote failure={start.failure} />}
    </Card>
  )
}

function State({ found }: { found: PastImport }) {
  const { stripe: text } = useText()
  const { time, count, exactMoney } = useFormat()
  const { customers, subscriptions, invoices, charges } = found.read
  return (
    <div className={css.state} role="status">
      <p className={found.state === 'finished' ? css.good : css.now}>
        {found.state === 'finished' &&
          `✓ ${text.importFinished(time(found.finished_at ?? found.started_at))}`}
        {found.state === 'running' && text.importRuns[found.phase === 'deriving' ? 'deriving' : 'reading']}
        {found.state === 'failed' && text.importFailed}
      </p>
      {found.failure !== null && (
        <p className={css.failure} role={found.state === 'failed' ? 'alert' : undefined}>
          {found.failure}
        </p>
      )}
      <dl className={css.counts}>
        {(
          [
            [text.read.customers, customers],
            [text.read.subscriptions, subscriptions],
            [text.read.invoices, invoices],
            [text.read.charges, charges],
          ] as const
        ).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count(value)}</dd>
          </div>
        ))}
        {found.payments.map(({ currency, count: number, amount }) => (
          <div key={currency}>
            <dt>{text.read.payments(currency)}</dt>
            <dd>
              {count(number)}
              {amount !== null && ` · ${exactMoney(amount, currency)}`}
            </dd>
          </div>
        ))}
      </dl>
      {found.unreadable_total > 0 && (
        <p className={css.importPastQuiet}>{text.unreadable(count(found.unreadable_total))}</p>
      )}
    </div>
  )
}

export const startImport = (siteKey: string) => api.processor.import.mutate({ siteKey })
