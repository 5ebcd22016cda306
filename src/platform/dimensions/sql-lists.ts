import {
  COPIED_COLUMNS,
  columnOf,
  DIMENSIONS,
  type Dimension,
  dimensionsOfLevel,
  fieldOf,
  isChanging,
  isHitDimension,
  isInSessionRow,
  SESSION_ATTRIBUTES,
} from './dimensions.ts'
import { FIRST_VISIT_DIMENSIONS } from './first-visit.ts'

const HITS = dimensionsOfLevel('hit')
const ROWS = dimensionsOfLevel('session-row')
const ENDS = dimensionsOfLevel('session-end')

const OF_SESSIONS = DIMENSIONS.filter(dimension => !isHitDimension(dimension))

const list = (columns: readonly string[], textOf = (column: string) => column) =>
  columns.map(textOf).join(', ')
const arrayOf = (column: string) => `:${fieldOf(column)}::text[]`
const textArray = (values: string[]) => `'{${values.join(',')}}'::text[]`
const choice = (dimensions: readonly Dimension[]) =>
  dimensions.map(dimension => `when '${dimension}' then ${columnOf(dimension)}`).join(' ')

/** Hour of the week at a time, from 0 at Monday 00:00, by the offsets of a zone (`src/platform/time/zone-offsets.ts`). */
const hourOf = (at: string) =>
  `(floor((date_part('epoch', ${at}) + (:offsets::int[])[width_bucket(${at}, :offsetStarts::timestamptz[])]) / 3600)::bigint % 168 + 240) % 168`

/** Parts of statements that are derived from the registry of dimensions; a statement names them as `{copied_columns}`. */
export const SQL_LISTS: Record<string, string> = {
  /** Dimensions that every hit copies from its session. */
  copied_columns: list(COPIED_COLUMNS),
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
  /** Attributes of a session from the JSON `given.session`; empty where it has none. */
  session_attributes_of_json: list(
    SESSION_ATTRIBUTES,
    column => `coalesce(given.session ->> '${column}', '')`,
  ),
  rolled_up_hit_columns: list(HITS.map(columnOf)),
  rolled_up_hit_names: textArray([...HITS, 'error']),
  /** `when 'path' then path …` */
  rolled_up_hit_choice: choice(HITS),
  rolled_up_session_columns: list(COPIED_COLUMNS),
  rolled_up_session_names: textArray(COPIED_COLUMNS),
  rolled_up_session_choice: choice(COPIED_COLUMNS),
  rolled_up_row_columns: list(ROWS),
  rolled_up_row_names: textArray(ROWS),
  /** Columns of `sessions` that sessions are counted by. */
  rolled_up_start_columns: list([...COPIED_COLUMNS, ...ROWS, ...ENDS]),
  rolled_up_start_names: textArray([...COPIED_COLUMNS, ...ROWS]),
  rolled_up_start_choice: choice([...COPIED_COLUMNS, ...ROWS]),
  rolled_up_end_names: textArray(ENDS),
  rolled_up_end_choice: choice(ENDS),
  /** Each dimension of sessions. */
  session_dimensions: list(OF_SESSIONS),
  /** `json_agg(entry_path::text), …` of each dimension of sessions. */
  session_dimension_arrays: list(OF_SESSIONS, column => `json_agg(${column}::text)`),
  /**
   * An array of each dimension of sessions, in the order of `money.at`: from the row `kept` what never changes (see `money_sessions`), the rest
   * from the row `session`. Empty where there is no such row.
   */
  kept_session_arrays: list(OF_SESSIONS, column => {
    const value = isChanging(column as Dimension) ? `session.${column}::text` : `kept.session ->> '${column}'`
    return `json_agg(coalesce(${value}, '') order by money.at)`
  }),
  changing_session_columns: list(OF_SESSIONS.filter(isChanging)),
  /** `json_agg(path), …` of each dimension of hits. */
  hit_dimension_arrays: list(HITS.map(columnOf), column => `json_agg(${column})`),
  /** Each dimension of sessions, of an event that the service wrote: what is copied to hits from `events`, the rest from its session. */
  service_session_dimensions: list(OF_SESSIONS, column =>
    isInSessionRow(column as Dimension)
      ? `coalesce(session.${column}::text, '') as ${column}`
      : `events.${column}`,
  ),
  /** Each dimension of a customer's first visit. */
  first_visit_columns: list(FIRST_VISIT_DIMENSIONS),
  first_visit_of_customers: list(FIRST_VISIT_DIMENSIONS, column => `customers.${column}`),
  first_visit_choice: choice(FIRST_VISIT_DIMENSIONS),
  hour_of_hit: hourOf('at'),
  hour_of_start: hourOf('started_at'),
  /** `1-00` … `7-23` */
  hour_text: "(hour / 24 + 1) || '-' || lpad((hour % 24)::text, 2, '0')",
}
