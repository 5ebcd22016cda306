import { usePlainFormat } from '../../format/format.ts'
import { useText } from '../../text/text.tsx'
import { Button } from '../form/button.tsx'
import css from './lists.module.css'

/** `meta` of a paged answer. */
export interface PageMeta {
  current_page: number
  last_page: number
  total: number
}

interface Props {
  meta: PageMeta
  onPage(page: number): void
}

/** Leads through the pages of a list; nothing for a list of one page. */
export function Pager({ meta, onPage }: Props) {
  const { common } = useText()
  const { exact } = usePlainFormat()
  const { current_page: page, last_page: last, total } = meta
  if (last <= 1) return null
  return (
    <nav className={css.pager} aria-label={common.pageOf(exact(page), exact(last))}>
      <span>{common.rows(exact(total))}</span>
      <span className={css.steps}>
        <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
          {common.actions.previous}
        </Button>
        <span>{common.pageOf(exact(page), exact(last))}</span>
        <Button disabled={page >= last} onClick={() => onPage(page + 1)}>
          {common.actions.next}
        </Button>
      </span>
    </nav>
  )
}
