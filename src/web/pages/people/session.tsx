import { Link, useParams } from 'wouter'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { Pager } from '../../parts/lists/pager.tsx'
import { Empty } from '../../parts/states.tsx'
import { useLinks } from '../../state/kept-search.ts'
import { usePage } from '../../state/page.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Avatar } from '../../visits/avatar.tsx'
import { pathOfPerson } from '../../visits/who.tsx'
import { Course } from './course.tsx'
import css from './person.module.css'
import { ReplayCard } from './replay/replay-card.tsx'
import { SessionFacts } from './session-facts.tsx'

/** One visit: where it came from, and everything that happened in it. */
export default function Session() {
  const session = useParams().session!
  const { common, people } = useText()
  const { id } = useSite()
  const format = useFormat()
  const linkTo = useLinks()
  const [page, onPage] = usePage()
  const read = useRead(['session', id, session, page], signal =>
    api.stats.session.query({ siteKey: id, session, page }, { signal }),
  )
  return (
    <>
      <Link href={linkTo('/people', { tab: 'sessions' })} className={css.back}>
        ← {common.nav.people}
      </Link>
      <Answer read={read}>
        {({ session: row, data, meta }) => (
          <>
            <header className={css.profile}>
              <Avatar url={row.avatar_url} size="large" />
              <div className={css.names}>
                <h1>
                  <HostileText isWrapped>
                    {people.visitOf(row.display_name || people.unknownVisitor)}
                  </HostileText>
                </h1>
                <p className={css.id}>
                  <Link href={linkTo(pathOfPerson(row))}>{people.profile}</Link>
                  {format.time(row.started_at)}
                </p>
              </div>
            </header>
            {row.has_replay && <ReplayCard session={row} />}
            <div className={css.columns}>
              <SessionFacts session={row} />
              <Card title={people.course}>
                {data.length === 0 ? <Empty title={people.noHits} /> : <Course hits={data} session={row} />}
                <Pager meta={meta} onPage={onPage} />
              </Card>
            </div>
          </>
        )}
      </Answer>
    </>
  )
}
