import { createSorter, type Sorter, type SortOptions } from '../../sort/sorter.ts'

/** Rows of several tables that belong together: `kind` is the number of the table, and rows of a lower one come first. */
export interface Joined<Value> {
  kind: number
  value: Value
}

/** Brings rows with equal ids together, with bounded memory. */
export interface Join<Value> {
  /** @param order puts rows of a kind in order, as text */
  add(id: string, kind: number, value: Value, order?: string): Promise<void> | undefined
  /** Returns the rows of one id after the other; rows of a group by kind and order. */
  groups(): AsyncGenerator<Joined<Value>[]>
  close(): Promise<void>
}

/** Longest group: what is beyond comes as another one. Keeps an id that millions of rows share from filling memory. */
const MAX_GROUP = 100_000
/** Rows of lower kinds that the other one begins with again. */
const MAX_REPEATED = 1_000

export function createJoin<Value>(options: SortOptions): Join<Value> {
  const sorter: Sorter = createSorter(options)
  return {
    // Encoding keeps spaces, tabs and line breaks out of the key.
    add: (id, kind, value, order = '') =>
      sorter.add(`${encodeURIComponent(id)} ${kind}${order}`, JSON.stringify(value)),
    async *groups() {
      let id: string | undefined
      let group: Joined<Value>[] = []
      for await (const entries of sorter.sorted()) {
        for (const { key, value } of entries) {
          const end = key.indexOf(' ')
          const own = key.slice(0, end)
          const kind = Number(key[end + 1])
          if (own !== id || group.length >= MAX_GROUP) {
            if (group.length > 0) yield group
            group = own === id ? group.filter(row => row.kind < kind).slice(0, MAX_REPEATED) : []
            id = own
          }
          group.push({ kind, value: JSON.parse(value) as Value })
        }
      }
      if (group.length > 0) yield group
    },
    close: () => sorter.close(),
  }
}
