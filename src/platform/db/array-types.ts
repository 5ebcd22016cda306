import { parse } from 'postgres-array'
import type { Db } from './queryable.ts'

/** The types whose arrays statements take or return: the OIDs of an element and of its array, which every PostgreSQL has. */
export const ARRAY_TYPES: Record<string, [element: number, array: number]> = {
  bool: [16, 1000],
  bytea: [17, 1001],
  char: [18, 1002],
  name: [19, 1003],
  int8: [20, 1016],
  int2: [21, 1005],
  int4: [23, 1007],
  text: [25, 1009],
  oid: [26, 1028],
  json: [114, 199],
  cidr: [650, 651],
  float4: [700, 1021],
  float8: [701, 1022],
  inet: [869, 1041],
  bpchar: [1042, 1014],
  varchar: [1043, 1015],
  date: [1082, 1182],
  timestamp: [1114, 1115],
  timestamptz: [1184, 1185],
  interval: [1186, 1187],
  numeric: [1700, 1231],
  regclass: [2205, 2210],
  uuid: [2950, 2951],
  jsonb: [3802, 3807],
}

interface Conversions {
  parsers: Record<number, (text: string) => unknown>
  serializers: Record<number, (value: unknown) => string>
  shared: { typeArrayMap: Record<number, number> }
}

/**
 * Lets a pool take and return arrays. The driver would ask each new connection which types have arrays, and nothing handles the refusal
 * when the server ends or takes too long meanwhile: it ends the process.
 */
export function addArrayTypes(sql: Db): void {
  const { parsers, serializers, shared } = sql.options as unknown as Conversions
  for (const [element, array] of Object.values(ARRAY_TYPES)) {
    const parser = parsers[element]
    const serializer = serializers[element] ?? String
    parsers[array] = text => (parser ? parse(text, parser) : parse(text))
    serializers[array] = value => (Array.isArray(value) ? arrayOf(value, serializer) : (value as string))
    shared.typeArrayMap[element] = array
  }
}

function arrayOf(values: unknown[], serializer: (value: unknown) => string): string {
  const elements = values.map(value => {
    if (value === undefined) throw new TypeError('An array for the database has an undefined value')
    if (value === null) return 'null'
    if (Array.isArray(value)) return arrayOf(value, serializer)
    return `"${serializer(value).replace(/["\\]/g, '\\$&')}"`
  })
  return `{${elements.join()}}`
}
