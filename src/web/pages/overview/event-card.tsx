import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { NONE } from '../../filters/value-text.ts'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { Empty } from '../../parts/states.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { ImportedLine } from './imported-line.tsx'
import { ValueRows } from './value-rows.tsx'

const SHOWN = 8

/** The most frequent events of the period. */
function useEventNames() {
  const { input, totals } = useQuestion()
  const query = { ...input, ...totals, dimension: 'event_name' as const, per_page: SHOWN }
  return useRead(['breakdown', query], signal => api.stats.breakdown.query(query, { signal }))
}

/** Events by name. Pageviews have none, and are left out. */
export function EventNames() {
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
export function PropertyKeys() {
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
  const read = useRead(['properties', query], signal => api.stats.propertyBreakdown.query(query, { signal }))
  return (
    <Answer read={read}>
      {({ rows }) => {
        if (rows.length === 0) return <Empty />
        const most = Math.max(...rows.map(({ visitors }) => visitors), 1)
        return (
          <RankList
            label={text.names.prop_key}
            heads={[text.names.prop_key, common.short.visitors]}
            rows={rows.slice(0, SHOWN).map(({ key, value, visitors }) => ({
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
