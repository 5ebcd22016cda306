import type { PersonExport } from './schema.ts'

type ListName = Exclude<keyof PersonExport, 'person' | 'payments' | 'next_cursor'>
type Item<Name extends ListName> = PersonExport[Name][number]

type Time = 'timestamp' | `${'received' | 'first_seen' | 'updated' | 'started' | 'first_hit' | 'last_hit'}_at`

/** What a statement gives of an item of a page: its fields, with times that are no texts yet. */
export type Row<Name extends ListName> = {
  [Field in keyof Item<Name>]: Field extends Time
    ? Date
    : Field extends 'identified_at'
      ? Date | null
      : Item<Name>[Field]
}

/** Returns the item of a row. */
export const itemOf = <Name extends ListName>(row: Row<Name>): Item<Name> =>
  Object.fromEntries(
    Object.entries(row).map(([field, value]) => [field, value instanceof Date ? value.toISOString() : value]),
  ) as Item<Name>

export const visitorOf = ({
  visitorNo: _,
  ...row
}: Row<'visitors'> & { visitorNo: number }): Item<'visitors'> => itemOf<'visitors'>(row)
