import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { useRead } from '../../../api/use-read.ts'
import { useFormat } from '../../../format/format.ts'
import { Answer } from '../../../parts/answer.tsx'
import { Card } from '../../../parts/card.tsx'
import { Pager } from '../../../parts/lists/pager.tsx'
import { Empty } from '../../../parts/states.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { alertsKey } from './conditions.ts'
import { sentenceOf } from './sentence.ts'

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
      <Answer read={incidents}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title={text.noIncidents} />
          ) : (
            <>
              <ul className={css.list}>
                {data.map(incident => (
                  <li key={incident.id}>
                    <div className={css.what}>
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
                    </div>
                  </li>
                ))}
              </ul>
              <Pager meta={meta} onPage={setPage} />
            </>
          )
        }
      </Answer>
    </Card>
  )
}
