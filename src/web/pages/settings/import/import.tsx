import { api } from '../../../api/client.ts'
import type { Outputs } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { Answer } from '../../../parts/answer.tsx'
import { Card } from '../../../parts/card.tsx'
import { Pager } from '../../../parts/lists/pager.tsx'
import { Empty } from '../../../parts/states.tsx'
import { useAddress } from '../../../state/address.ts'
import { pageIn } from '../../../state/page.ts'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import { ImportRow } from './import-row.tsx'
import { NewImport } from './new-import.tsx'

export type Import = Outputs['imports']['list']['data'][number]
export type ImportFormat = Outputs['imports']['formats'][number]

const PER_PAGE = 10
const EVERY_MS = 2_000

/** Bringing the history of another product along, and what was brought. */
export function ImportSettings() {
  const { imports: text } = useText()
  const { id } = useSite()
  const { params, change } = useAddress()
  const page = pageIn(params)
  const formats = useRead(['imports', id, 'formats'], signal =>
    api.imports.formats.query({ siteKey: id }, { signal }),
  )
  const imports = useRead(
    ['imports', id, 'list', page],
    signal => api.imports.list.query({ siteKey: id, page, per_page: PER_PAGE }, { signal }),
    { every: EVERY_MS },
  )
  return (
    <Answer read={formats}>
      {known => (
        <div className={css.stack}>
          <Card title={text.title} note={text.hint}>
            <NewImport formats={known} />
          </Card>
          <Card title={text.history}>
            <Answer read={imports}>
              {({ data, meta }) =>
                data.length === 0 ? (
                  <Empty title={text.none} />
                ) : (
                  <>
                    <ul className={css.list}>
                      {data.map(each => (
                        <ImportRow
                          key={each.id}
                          item={each}
                          format={known.find(({ format }) => format === each.format)}
                        />
                      ))}
                    </ul>
                    <Pager meta={meta} onPage={next => change({ page: next === 1 ? null : String(next) })} />
                  </>
                )
              }
            </Answer>
          </Card>
        </div>
      )}
    </Answer>
  )
}
