import { Suspense, useState } from 'react'
import type { Outputs } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { lazyPart } from '../../parts/lazy-part.ts'
import { Answer, Empty } from '../../parts/states.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './money.module.css'
import { CustomerName, KindTag } from './names.tsx'

const ChangeDialog = lazyPart(() => import('./change-dialog.tsx'))

export type MrrChange = Outputs['stats']['moneyChanges']['data'][number]

const SHOWN = 9

/** Whose MRR changed in the period, how and by how much: the newest changes. */
export function ChangeCard() {
  const { money } = useText()
  const { changes: text } = money
  const { input } = useQuestion()
  const { exact } = useFormat()
  const [isOpen, setOpen] = useState(false)
  const query = { ...input, per_page: SHOWN }
  const read = useStats('moneyChanges', query)
  return (
    <Card title={text.title} note={text.note} label={text.title}>
      <Answer read={read}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty />
          ) : (
            <>
              <ul>
                {data.map(change => (
                  <Row key={`${change.at} ${change.customer}`} change={change} />
                ))}
              </ul>
              {meta.total > data.length && (
                <Button kind="quiet" className={css.all} onClick={() => setOpen(true)}>
                  {money.sources.showAll(exact(meta.total))}
                </Button>
              )}
            </>
          )
        }
      </Answer>
      <Suspense>{isOpen && <ChangeDialog onClose={() => setOpen(false)} />}</Suspense>
    </Card>
  )
}

function Row({ change: { at, customer, name, email, kind, amount } }: { change: MrrChange }) {
  const format = useFormat()
  return (
    <li className={css.row}>
      <CustomerName id={customer} name={name} email={email} other={customer.slice(2)} />
      <KindTag kind={kind} />
      <span className={css.amount} title={amount === null ? undefined : format.exactMoney(amount)}>
        {amount === null ? '–' : format.signedMoney(amount)}
      </span>
      <time dateTime={at} title={format.time(at)} className={css.at}>
        {format.axis(at, 'day')}
      </time>
    </li>
  )
}
