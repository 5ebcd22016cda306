import { Link, useParams } from 'wouter'
import { useStats } from '../../api/use-stats.ts'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useLinks } from '../../state/address.ts'
import { readPart } from '../../state/places.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './people.module.css'
import { PersonActions } from './person-actions.tsx'
import { PersonNumbers, Profile } from './profile.tsx'
import { Timeline } from './timeline.tsx'

/** One visitor or user: who they are, what they were worth, and what they did. */
export default function PersonPage() {
  const person = readPart(useParams().person!)
  const { common, people } = useText()
  const { input, period, setPeriod } = useQuestion()
  const { mayManage } = useSite()
  const linkTo = useLinks()
  const read = useStats('person', { ...input, person })
  return (
    <>
      <Link href={linkTo('/people')} className={css.back}>
        ← {common.nav.people}
      </Link>
      <Answer read={read}>
        {data => (
          <>
            <Profile person={data}>
              {mayManage && <PersonActions person={person} isUser={data.kind === 'user'} />}
            </Profile>
            {data.sessions === 0 ? (
              <Card>
                <Empty title={people.nothingHere}>
                  {period.range !== 'all' && (
                    <Button onClick={() => setPeriod({ ...period, range: 'all' })}>{people.showAll}</Button>
                  )}
                </Empty>
              </Card>
            ) : (
              <div className={css.columns}>
                <PersonNumbers person={data} />
                <Card title={people.timeline}>
                  <Timeline person={person} />
                </Card>
              </div>
            )}
          </>
        )}
      </Answer>
    </>
  )
}
