import type { ReactNode } from 'react'
import { api } from '../../api/client.ts'
import type { Inputs, Outputs, Section } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { Change } from '../../parts/figures/change.tsx'
import { Select } from '../../parts/form/select.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { FILTER_NAMES, FILTERS } from '../../state/filters.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { Funnel } from './draft.ts'
import css from './funnel-report.module.css'
import { FunnelRows } from './funnel-rows.tsx'
import { FunnelSteps } from './funnel-steps.tsx'
import { useWindowText } from './window-options.ts'

export type Report = Outputs['stats']['savedFunnel']
type Dimension = NonNullable<Inputs['stats']['savedFunnel']['dimension']>

const NO_DIMENSIONS: readonly string[] = ['goal', 'segment', 'prop_key', 'prop_value']
const DIMENSIONS = FILTER_NAMES.filter(name => !NO_DIMENSIONS.includes(name)) as Dimension[]

/** The numbers of a saved funnel, step by step, and by the values of a dimension. */
export function FunnelReport({ funnel, action }: { funnel: Funnel; action: ReactNode }) {
  const { funnels: text, filters } = useText()
  const { can } = useSite()
  const { input, compare } = useQuestion()
  const { params, change } = useAddress()
  const windowText = useWindowText()
  const dimensions = DIMENSIONS.filter(name => can(FILTERS[name] as Section))
  const dimension = dimensions.find(name => name === params.get('dimension'))
  const query = { ...input, ...compare, funnel: funnel.id }
  const read = useRead(['savedFunnel', query], signal => api.stats.savedFunnel.query(query, { signal }))
  const split = { ...query, ...(dimension && { dimension }) }
  const rows = useRead(['savedFunnel', split], signal => api.stats.savedFunnel.query(split, { signal }), {
    enabled: dimension !== undefined,
  })
  const rules = [text.bys[funnel.by], windowText(funnel.window), text.orders[funnel.order]].join(' · ')
  return (
    <>
      <Card title={<HostileText>{funnel.name}</HostileText>} note={rules} action={action} label={funnel.name}>
        <Answer read={read} placeholder={<Skeleton rows={8} />}>
          {report => (
            <>
              <Conversion report={report} />
              <FunnelSteps report={report} />
            </>
          )}
        </Answer>
      </Card>
      <div className={css.split}>
        <Card
          title={dimension ? text.byValue(filters.names[dimension]) : text.breakDown}
          label={text.breakDown}
          action={
            <Select<string>
              label={text.breakDown}
              value={dimension ?? ''}
              options={[
                { value: '', label: text.nothing },
                ...dimensions.map(name => ({ value: name, label: filters.names[name] })),
              ]}
              onChange={next => change({ dimension: next || null }, { replace: true })}
            />
          }
        >
          {dimension && (
            <Answer read={rows}>{report => <FunnelRows dimension={dimension} report={report} />}</Answer>
          )}
        </Card>
      </div>
    </>
  )
}

/** How many of those who begin reach the end. */
function Conversion({ report: { steps, previous } }: { report: Report }) {
  const { funnels: text } = useText()
  const format = useFormat()
  const now = steps.at(-1)!.conversion_rate
  const before = previous?.steps.at(-1)?.conversion_rate
  return (
    <p className={css.conversion}>
      <span>{text.conversion}</span>
      <strong>{format.percent(now)}</strong>
      {before !== undefined && (
        <small title={text.before(format.percent(before))}>
          <Change now={now} before={before} />
        </small>
      )}
    </p>
  )
}
