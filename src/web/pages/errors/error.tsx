import { Link, useParams } from 'wouter'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card, CardGrid } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useLinks } from '../../state/kept-search.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { ErrorNumbers } from './error-numbers.tsx'
import { ErrorSeries } from './error-series.tsx'
import css from './errors.module.css'
import { Occurrences } from './occurrences.tsx'
import { Stacks } from './stacks.tsx'
import { useNewest } from './use-newest.ts'
import { Where } from './where.tsx'

/** One error: how often, to whom, where in the code, and in which visits. */
export default function ErrorPage() {
  const error = useParams().error!
  const { common, errors } = useText()
  const { input } = useQuestion()
  const linkTo = useLinks()
  const group = useRead(['error', error, input], signal =>
    api.stats.error.query({ ...input, error }, { signal }),
  )
  const newest = useNewest(error)
  return (
    <>
      <Link href={linkTo('/errors')} className={css.back}>
        ← {common.nav.errors}
      </Link>
      <Answer read={group}>
        {data => (
          <>
            <header className={css.head}>
              <h1>
                <HostileText isWrapped>{data.message}</HostileText>
              </h1>
              <p className={css.type}>
                <HostileText>{data.error_name}</HostileText>
              </p>
            </header>
            <Card label={errors.numbers}>
              <ErrorNumbers group={data} />
              <ErrorSeries error={error} />
            </Card>
            <CardGrid>
              <Card title={errors.stack} isWide>
                <Answer read={newest}>{({ data: rows }) => <Stacks occurrences={rows} />}</Answer>
              </Card>
              <Card title={errors.where} isWide>
                <Answer read={newest}>
                  {({ data: rows, meta }) => <Where occurrences={rows} total={meta.total} />}
                </Answer>
              </Card>
              <Card title={errors.occurrences} isWide>
                <Occurrences error={error} />
              </Card>
            </CardGrid>
          </>
        )}
      </Answer>
    </>
  )
}
