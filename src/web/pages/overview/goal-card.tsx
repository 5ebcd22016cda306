import { useState } from 'react'
import { Link } from 'wouter'
import { useStats } from '../../api/use-stats.ts'
import { NONE } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { ImportedLine } from './imported.tsx'
import css from './overview.module.css'
import { ValueRows } from './value-card.tsx'

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
  const read = useStats('goals', input)
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
            <Link href="/goals" className={css.goalCardFoot}>
              <span>{common.actions.details}</span>
              <span>{text.found.goals(format.exact(goals.length))}</span>
            </Link>
          </>
        )
      }}
    </Answer>
  )
}

const SHOWN_EVENTS = 8

/** The most frequent events of the period. */
function useEventNames() {
  const { input, totals } = useQuestion()
  const query = { ...input, ...totals, dimension: 'event_name' as const, per_page: SHOWN_EVENTS }
  return useStats('breakdown', query)
}

/** Events by name. Pageviews have none, and are left out. */
function EventNames() {
  return (
    <Answer read={useEventNames()}>
      {({ data, imported }) => {
        const rows = data.filter(({ value }) => value !== NONE)
        return (
          <>
            {rows.length === 0 ? <Empty /> : <ValueRows dimension="event_name" rows={rows} />}
            <ImportedLine imported={imported} />
          </>
        )
      }}
    </Answer>
  )
}

/** Properties of the hits of one event, with their values. */
function PropertyKeys() {
  const { filters: text } = useText()
  const events = useEventNames()
  const [chosen, setChosen] = useState<string>()
  return (
    <Answer read={events}>
      {({ data }) => {
        const names = data.map(({ value }) => value).filter(value => value !== NONE)
        const [first] = names
        if (first === undefined) return <Empty />
        const name = chosen !== undefined && names.includes(chosen) ? chosen : first
        return (
          <>
            <SelectField
              label={text.names.event_name}
              value={name}
              onChange={event => setChosen(event.target.value)}
              options={names.map(value => ({ value, label: value }))}
            />
            <Properties name={name} />
          </>
        )
      }}
    </Answer>
  )
}

function Properties({ name }: { name: string }) {
  const { common, filters: text } = useText()
  const { input, setFilters, filters } = useQuestion()
  const format = useFormat()
  const query = { ...input, event_type: 'event' as const, event_name: name }
  const read = useStats('propertyBreakdown', query)
  return (
    <Answer read={read}>
      {({ rows }) => {
        if (rows.length === 0) return <Empty />
        const most = Math.max(...rows.map(({ visitors }) => visitors), 1)
        return (
          <RankList
            label={text.names.prop_key}
            heads={[text.names.prop_key, common.short.visitors]}
            rows={rows.slice(0, SHOWN_EVENTS).map(({ key, value, visitors }) => ({
              key: `${key} ${value}`,
              name: `${key} = ${value}`,
              label: <HostileText>{`${key} = ${value}`}</HostileText>,
              share: visitors / most,
              numbers: [{ shown: format.count(visitors), exact: format.exact(visitors) }],
              onChoose: () =>
                setFilters([
                  ...filters.filter(each => each.name !== 'prop_key' && each.name !== 'prop_value'),
                  { name: 'prop_key', operator: 'is', values: [key] },
                  { name: 'prop_value', operator: 'is', values: [value] },
                ]),
            }))}
          />
        )
      }}
    </Answer>
  )
}
