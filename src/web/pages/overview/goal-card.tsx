import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { Empty } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { EventNames, PropertyKeys } from './event-card.tsx'
import css from './goal-card.module.css'

const SHOWN = 7

const TABS = ['goals', 'event_name', 'prop_key'] as const
type GoalTab = (typeof TABS)[number]

/** What visitors did: goals, events, and the properties of events. */
export function GoalCard() {
  const { overview: text } = useText()
  const { can } = useSite()
  const tabs = TABS.filter(name => can(name === 'goals' ? 'goals' : 'events'))
  const [tab, setTab] = useState<GoalTab>(tabs[0]!)
  return (
    <Card label={text.cardLabels.goals} isWide>
      <Tabs<GoalTab>
        label={text.cardLabels.goals}
        tabs={tabs.map(name => ({ name, label: text.cards[name] }))}
        value={tab}
        onChange={setTab}
      >
        {tab === 'goals' ? <Goals /> : tab === 'event_name' ? <EventNames /> : <PropertyKeys />}
      </Tabs>
    </Card>
  )
}

function Goals() {
  const { overview: text, common, filters } = useText()
  const { mayChange } = useSite()
  const { input, addFilter } = useQuestion()
  const format = useFormat()
  const read = useRead(['goalReport', input], signal => api.stats.goals.query(input, { signal }))
  return (
    <Answer read={read}>
      {goals => {
        if (goals.length === 0) {
          return (
            <Empty title={text.noGoals}>{mayChange && <Link href="/goals">{text.createGoal}</Link>}</Empty>
          )
        }
        const sorted = [...goals].sort((a, b) => b.visitors - a.visitors)
        const most = Math.max(...goals.map(({ visitors }) => visitors), 1)
        const hasMoney = goals.some(({ revenue }) => revenue)
        return (
          <>
            <RankList
              label={text.cards.goals}
              heads={[
                filters.names.goal,
                common.short.visitors,
                common.short.rate,
                ...(hasMoney ? [common.short.revenue] : []),
              ]}
              rows={sorted.slice(0, SHOWN).map(goal => ({
                key: goal.id,
                name: goal.display_name,
                label: <HostileText>{goal.display_name}</HostileText>,
                share: goal.visitors / most,
                numbers: [
                  { shown: format.count(goal.visitors), exact: format.exact(goal.visitors) },
                  {
                    shown: format.percent(goal.conversion_rate),
                    exact: format.percent(goal.conversion_rate),
                  },
                  ...(hasMoney
                    ? [
                        {
                          shown: goal.revenue ? format.money(goal.revenue) : '–',
                          exact: goal.revenue ? format.exactMoney(goal.revenue) : '–',
                          isMoney: true,
                        },
                      ]
                    : []),
                ],
                onChoose: () => addFilter({ name: 'goal', operator: 'is', values: [goal.id] }),
              }))}
            />
            <Link href="/goals" className={css.foot}>
              <span>{common.actions.details}</span>
              <span>{text.found.goals(format.exact(goals.length))}</span>
            </Link>
          </>
        )
      }}
    </Answer>
  )
}
