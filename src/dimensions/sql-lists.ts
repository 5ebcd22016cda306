import {
  COPIED_COLUMNS,
  columnOf,
  type Dimension,
  dimensionsOfLevel,
  fieldOf,
  SESSION_ATTRIBUTES,
} from './dimensions.ts'

const HITS = dimensionsOfLevel('hit')

const list = (columns: readonly string[], textOf = (column: string) => column) =>
  columns.map(textOf).join(', ')
const arrayOf = (column: string) => `:${fieldOf(column)}::text[]`
const textArray = (values: string[]) => `'{${values.join(',')}}'::text[]`
const choice = (dimensions: readonly Dimension[]) =>
  dimensions.map(dimension => `when '${dimension}' then ${columnOf(dimension)}`).join(' ')

/** Parts of statements that are derived from the registry of dimensions; a statement names them as `{copied_columns}`. */
export const SQL_LISTS: Record<string, string> = {
  /** Dimensions that every hit copies from its session. */
  copied_columns: list(COPIED_COLUMNS),
  /** `:entryPath::text[], …` */
  copied_arrays: list(COPIED_COLUMNS, arrayOf),
  /** Values of `copied_columns` from the row `session`; empty when there is no such row. */
  copied_from_session: list(COPIED_COLUMNS, column => `coalesce(session.${column}, '')`),
  /** `entry_path = session.entry_path, …` */
  copied_assignments: list(COPIED_COLUMNS, column => `${column} = session.${column}`),
  /** `entry_path = '', …` */
  cleared_assignments: list(COPIED_COLUMNS, column => `${column} = ''`),
  /** What a session takes from its opening hit. */
  session_attributes: list(SESSION_ATTRIBUTES),
  session_attribute_arrays: list(SESSION_ATTRIBUTES, arrayOf),
  /** `entry_path as "entryPath", …` */
  session_attribute_fields: list(SESSION_ATTRIBUTES, column => `${column} as "${fieldOf(column)}"`),
  rolled_up_hit_columns: list(HITS.map(columnOf)),
  rolled_up_hit_names: textArray([...HITS, 'error']),
  /** `when 'path' then path …` */
  rolled_up_hit_choice: choice(HITS),
  rolled_up_session_columns: list(COPIED_COLUMNS),
  rolled_up_session_names: textArray(COPIED_COLUMNS),
  rolled_up_session_choice: choice(COPIED_COLUMNS),
}
