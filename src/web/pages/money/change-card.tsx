import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { useQuestion, useSite } from '../../app/site.tsx'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { Empty } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import css from './change-card.module.css'
import { CustomerName } from './customer-name.tsx'
import { firstVisitFilters } from './first-visit.ts'
import { customerOf } from './subscription-customer.ts'
import { Tag } from './tag.tsx'

type Subscription = Outputs['stats']['moneySubscriptions']['data'][number]

const SHOWN = 9

/** Subscriptions that started or ended, the newest first. */
export function ChangeCard() {
  const { money } = useText()
  const { changes: text } = money
  const { id } = useSite()
  const { filters } = useQuestion()
  const query = { siteKey: id, ...firstVisitFilters(filters).input, per_page: SHOWN }
  const read = useRead(['moneyChanges', query], async signal => {
    const [started, ended] = await Promise.all(
      (['started', 'ended'] as const).map(sort =>
        api.stats.moneySubscriptions.query({ ...query, sort }, { signal }),
      ),
    )
    return newest(started!.data, ended!.data)
  })
  return (
    <Card title={text.title} note={text.note} label={text.title}>
      <Answer read={read}>
        {changes =>
          changes.length === 0 ? (
            <Empty title={text.none} />
          ) : (
            <ul className={css.list}>
              {changes.map(change => (
                <Row key={`${change.kind} ${change.subscription.subscription_id}`} change={change} />
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  )
}

interface Change {
  kind: 'started' | 'ended'
  at: string
  subscription: Subscription
}

function newest(started: readonly Subscription[], ended: readonly Subscription[]): Change[] {
  const of = (kind: Change['kind'], subscription: Subscription): Change[] => {
    const at = kind === 'started' ? subscription.started_at : subscription.ended_at
    return at === null ? [] : [{ kind, at, subscription }]
  }
  return [...started.flatMap(each => of('started', each)), ...ended.flatMap(each => of('ended', each))]
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, SHOWN)
}

function Row({ change: { kind, at, subscription } }: { change: Change }) {
  const { money } = useText()
  const { changes: text } = money
  const format = useFormat()
  const { mrr, ended_at: endedAt } = subscription
  return (
    <li className={css.row}>
      <CustomerName {...customerOf(subscription)} />
      <Tag tone={kind === 'started' ? 'good' : 'bad'}>{text[kind]}</Tag>
      <span className={css.amount}>
        {kind === 'started' && endedAt === null && mrr !== null && (
          <span title={format.exactMoney(mrr)}>{format.signedMoney(mrr)}</span>
        )}
      </span>
      <time dateTime={at} title={format.time(at)} className={css.at}>
        {format.axis(at, 'day')}
      </time>
    </li>
  )
}
