import { useState } from 'react'
import { api, type Outputs } from '../../../api/client.ts'
import { useRead } from '../../../api/use-read.ts'
import { type Format, useFormat } from '../../../format/format.ts'
import { Card } from '../../../parts/card.tsx'
import { SettingList, SettingRow } from '../../../parts/setting-row.tsx'
import { useSite } from '../../../state/site.tsx'
import type { Dictionary } from '../../../text/languages/en.ts'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { alertsKey } from './condition-fields.tsx'

/** What alerts have found, the newest first. */
export function Incidents() {
  const { alerts: text } = useText()
  const { id } = useSite()
  const format = useFormat()
  const { time } = format
  const [page, setPage] = useState(1)
  const incidents = useRead([...alertsKey(id), 'incidents', page], signal =>
    api.alerts.incidents.query({ siteKey: id, page, per_page: 10 }, { signal }),
  )
  return (
    <Card title={text.incidents}>
      <SettingList read={incidents} empty={text.noIncidents} onPage={setPage}>
        {incident => (
          <SettingRow key={incident.id}>
            <p className={css.name}>
              <bdi>{incident.alert.name}</bdi>
            </p>
            <p className={css.quiet} lang={incident.condition ? undefined : 'en'}>
              <bdi>{sentenceOf(incident, text, format)}</bdi>
            </p>
            <p className={css.small}>
              {incident.resolved_at === null ? (
                <span className={css.warning}>{text.openSince(time(incident.opened_at))}</span>
              ) : (
                [
                  text.fromTo(time(incident.opened_at), time(incident.resolved_at)),
                  incident.resolution && text.resolutions[incident.resolution],
                ]
                  .filter(Boolean)
                  .join(' · ')
              )}
            </p>
          </SettingRow>
        )}
      </SettingList>
    </Card>
  )
}

type Incident = Outputs['alerts']['incidents']['data'][number]

/** Returns what an incident is about, in the language of the reader; in English when what it is made of was not kept. */
function sentenceOf(
  { condition, value, bound, currency, goal_name: goal, text: english }: Incident,
  { sentences, counted }: Dictionary['alerts'],
  { decimal, exactMoney }: Pick<Format, 'decimal' | 'exactMoney'>,
): string {
  if (!condition) return english
  const [found, limit] = [decimal(value), decimal(bound)]
  switch (condition.kind) {
    case 'traffic_spike':
    case 'traffic_drop':
      return sentences[condition.kind](counted[condition.metric], found, limit)
    case 'error_rate':
    case 'error_count':
    case 'no_hits':
      return sentences[condition.kind](found, limit)
    case 'goal':
      return sentences.goal[condition.operator](goal ?? '', String(condition.hours), found, limit)
    case 'mrr_churn': {
      const shown = (each: number) =>
        condition.unit === 'amount' ? exactMoney(each, currency ?? undefined) : `${decimal(each)} %`
      return sentences.mrr_churn[condition.days](shown(value), shown(bound))
    }
  }
}
