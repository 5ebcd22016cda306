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

/** What alerts have found, the newest first. */
export function Incidents() {
  const { alerts: text } = useText()
  const { id } = useSite()
  const { time } = useFormat()
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
                {data.map(({ id: key, alert, text: what, opened_at: opened, resolved_at: resolved }) => (
                  <li key={key}>
                    <div className={css.what}>
                      <p className={css.name}>
                        <bdi>{alert.name}</bdi>
                      </p>
                      <p className={css.quiet} lang="en">
                        <bdi>{what}</bdi>
                      </p>
                      <p className={css.small}>
                        {resolved === null ? (
                          <span className={css.warning}>{text.openSince(time(opened))}</span>
                        ) : (
                          text.fromTo(time(opened), time(resolved))
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
