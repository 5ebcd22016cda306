import type { ReactNode } from 'react'
import type { Section } from '../../api/client.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './lists.module.css'

export interface Column<Row, Sort extends string = string> {
  name: string
  label: string
  cell(row: Row): ReactNode
  /** Numbers stand at the right. */
  isNumber?: boolean
  /** In the ink of money. */
  isMoney?: boolean
  /** Left out on a phone. */
  isWide?: boolean
  /** What the list is sorted by with this column. */
  sort?: Sort
}

export interface TableProps<Row, Sort extends string> {
  label: string
  columns: readonly Column<Row, Sort>[]
  rows: readonly Row[]
  /** Of the row, or of its place where rows have no id. */
  keyOf(row: Row, index: number): string
  sort?: Sort
  order?: 'asc' | 'desc'
  onSort?(sort: Sort): void
  /** Whether the first column leaves more room for the others. */
  isEven?: boolean
}

/** A table whose heads may sort it. The first column takes the room that is left. */
export function DataTable<Row, Sort extends string = string>(props: TableProps<Row, Sort>) {
  const { label, columns, rows, keyOf, isEven } = props
  const classOf = ({ isNumber, isMoney, isWide }: Column<Row, Sort>) =>
    [isNumber && css.number, isMoney && css.money, isWide && css.wide].filter(Boolean).join(' ')
  return (
    <div className={css.scroll}>
      <table className={isEven ? `${css.table} ${css.even}` : css.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map(column => (
              <Head key={column.name} column={column} className={classOf(column)} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map(column => (
                <td key={column.name} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface HeadProps<Row, Sort extends string>
  extends Pick<TableProps<Row, Sort>, 'sort' | 'order' | 'onSort'> {
  column: Column<Row, Sort>
  className: string
}

function Head<Row, Sort extends string>({ column, className, sort, order, onSort }: HeadProps<Row, Sort>) {
  const { common } = useText()
  const isSorted = column.sort !== undefined && column.sort === sort
  const direction = order === 'asc' ? 'ascending' : 'descending'
  return (
    <th scope="col" className={className} aria-sort={isSorted ? direction : undefined}>
      {column.sort !== undefined && onSort ? (
        <button type="button" title={common.sort(column.label)} onClick={() => onSort(column.sort!)}>
          {column.label}
          <span aria-hidden="true">{isSorted ? (order === 'asc' ? ' ↑' : ' ↓') : ''}</span>
        </button>
      ) : (
        column.label
      )}
    </th>
  )
}

/** A column of a section that a share may leave out. */
type PermittedColumn<Row, Sort extends string> = Column<Row, Sort> & { needs?: Section }

/** Returns the columns that the reader may see. */
export function usePermitted<Row, Sort extends string>(
  columns: readonly PermittedColumn<Row, Sort>[],
): Column<Row, Sort>[] {
  const { can } = useSite()
  return columns.filter(({ needs }) => needs === undefined || can(needs))
}
