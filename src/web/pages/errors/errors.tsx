import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { CsvButton } from '../../parts/lists/csv-button.tsx'
import { Pager } from '../../parts/lists/pager.tsx'
import { Empty } from '../../parts/states.tsx'
import { usePage } from '../../state/page.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { ErrorTable } from './error-table.tsx'

/** Errors of scripts on the pages of the site, by their message. */
export default function Errors() {
  const { common, errors } = useText()
  const { input } = useQuestion()
  const { mayExport } = useSite()
  const [page, onPage] = usePage()
  const list = useRead(['errors', input, page], signal =>
    api.stats.errors.query({ ...input, page }, { signal }),
  )
  return (
    <>
      <h1 className="only-read">{common.nav.errors}</h1>
      <Card
        title={errors.title}
        note={errors.note}
        action={mayExport && <CsvButton path="stats/errors" query={input} name="errors" />}
      >
        <Answer read={list}>
          {({ data, meta }) =>
            data.length === 0 ? (
              <Empty title={errors.none}>
                <p>{errors.noneHint}</p>
              </Empty>
            ) : (
              <>
                <ErrorTable groups={data} />
                <Pager meta={meta} onPage={onPage} />
              </>
            )
          }
        </Answer>
      </Card>
    </>
  )
}
