import type { Section } from '../api/types.ts'
import type { Column } from '../parts/lists/data-table.tsx'
import { useSite } from '../state/site.tsx'

/** A column of a section that a share may leave out. */
type PermittedColumn<Row, Sort extends string> = Column<Row, Sort> & { needs?: Section }

/** Returns the columns that the reader may see. */
export function usePermitted<Row, Sort extends string>(
  columns: readonly PermittedColumn<Row, Sort>[],
): Column<Row, Sort>[] {
  const { can } = useSite()
  return columns.filter(({ needs }) => needs === undefined || can(needs))
}
