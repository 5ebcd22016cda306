import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { statsKey, useStats } from '../../api/use-stats.ts'
import { useFormat } from '../../format/format.ts'
import { Form } from '../../parts/form/form.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { rangeInput } from '../../state/period.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './goals.module.css'

const MOST = 100
/** What trackers record by themselves is no event of one's own. */
const NOT_OWN = ['(none)', 'outbound', 'download', 'button', 'form', 'copy']

/** Makes goals of the events of the period. */
export function EventGoals({ onClose }: { onClose(): void }) {
  const { goals: text, common } = useText()
  const { id } = useSite()
  const { exact } = useFormat()
  const { period } = useQuestion()
  const range = rangeInput(period)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const names = useStats('breakdown', { siteKey: id, ...range, dimension: 'event_name', per_page: MOST })
  const create = useChange(
    (eventNames: string[]) => api.goals.createBatch.mutate({ siteKey: id, event_names: eventNames }),
    [['goals', id], statsKey('goals')],
  )
  const toggle = (name: string) =>
    setChosen(chosen.includes(name) ? chosen.filter(each => each !== name) : [...chosen, name])
  return (
    <Dialog open title={text.fromEvents} onClose={onClose}>
      <Answer read={names}>
        {({ data }) => {
          const own = data.filter(({ value }) => !NOT_OWN.includes(value))
          return own.length === 0 ? (
            <Empty title={text.noEvents} />
          ) : (
            <Form
              send={chosen.length === 0 ? common.actions.create : text.createMany(chosen.length)}
              isSending={create.isSending}
              failure={create.failure}
              onSend={async () => {
                if (chosen.length === 0 || (await create.send([...chosen]))) onClose()
              }}
            >
              <p>{text.fromEventsHint}</p>
              <div className={css.checks}>
                {own.map(({ value, visitors }) => (
                  <label key={value} className={css.check}>
                    <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
                    <HostileText>{value}</HostileText>
                    <small>{exact(visitors)}</small>
                  </label>
                ))}
              </div>
            </Form>
          )
        }}
      </Answer>
    </Dialog>
  )
}
