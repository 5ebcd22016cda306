import type { ReactNode } from 'react'
import type { Read } from '../../api/use-read.ts'
import { Answer, Empty } from '../states.tsx'
import { DataTable, type TableProps } from './data-table.tsx'
import { type PageMeta, Pager } from './pager.tsx'

/** An answer of the API that is a list: all rows, or one page of them. */
export type Listed<Row> = readonly Row[] | { data: readonly Row[]; meta?: PageMeta }

interface ListProps<Row, Data extends Listed<Row>> {
  read: Read<Data> & Read<Listed<Row>>
  /** Stands in the place of no rows: a text, or an `<Empty>` with what to do about it. */
  empty?: ReactNode
  /** Leads to another page: that of `usePage()` keeps the page in the address. */
  onPage?(page: number): void
  children: (rows: readonly Row[], data: Data) => ReactNode
}

/**
 * A list in each of its states: waiting, failed, empty, or its rows with a way to the other pages.
 *
 *     <List read={timeline} onPage={onPage}>{items => <ol>{items.map(…)}</ol>}</List>
 */
export function List<Row, Data extends Listed<Row> = Listed<Row>>(props: ListProps<Row, Data>) {
  const { read, empty, onPage, children } = props
  return (
    <Answer read={read}>
      {data => {
        const { data: rows, meta } = isAll<Row>(data) ? { data, meta: undefined } : data
        if (rows.length === 0) {
          return typeof empty === 'string' || empty === undefined ? (
            <Empty {...(empty !== undefined && { title: empty })} />
          ) : (
            empty
          )
        }
        return (
          <>
            {children(rows, data)}
            {meta && onPage && <Pager meta={meta} onPage={onPage} />}
          </>
        )
      }}
    </Answer>
  )
}

const isAll = <Row,>(data: Listed<Row>): data is readonly Row[] => Array.isArray(data)

type Props<Row, Sort extends string> = Omit<TableProps<Row, Sort>, 'rows'> &
  Omit<ListProps<Row, Listed<Row>>, 'children'>

/**
 * A list as a table, whose heads may sort it.
 *
 *     <ListTable read={errors} empty={text.none} label={text.title} columns={columns} keyOf={({ id }) => id} onPage={onPage} />
 */
export function ListTable<Row, Sort extends string = string>(props: Props<Row, Sort>) {
  const { read, empty, onPage, ...table } = props
  return (
    <List<Row> read={read} empty={empty} {...(onPage && { onPage })}>
      {rows => <DataTable {...table} rows={rows} />}
    </List>
  )
}
