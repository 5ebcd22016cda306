/** The kinds of TypeScript values that hold a value of a PostgreSQL type. A text is parsed by the server. */
function kindsOfType(type: string): RegExp {
  if (type.endsWith('[]'))
    return new RegExp(`^(${kindsOfType(type.slice(0, -2)).source.slice(1, -1)}\\[\\]|string|json)$`)
  if (/^(smallint|integer|bigint|real|double precision|oid)$/.test(type)) return /^(number)$/
  if (/^(timestamp|date)/.test(type)) return /^(Date|string)$/
  if (type === 'boolean') return /^(boolean)$/
  if (type === 'bytea') return /^(bytes)$/
  if (/^jsonb?$/.test(type)) return /^(json|string|number|boolean|.*\[\])$/
  if (type === 'void') return /^(json|string)$/
  return /^(string)$/
}

/** Returns whether values of a PostgreSQL type are of these kinds, such as `number` or `Date | string`. */
export const fits = (type: string, kinds: string) =>
  kinds.split(' | ').every(kind => kindsOfType(type).test(kind))
