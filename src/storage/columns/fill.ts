/** Fills a column with what a function says of each position: `from` with a function goes through an iterator, which takes many times as long. */
export function fill<Column extends { length: number; [index: number]: number }>(
  column: Column,
  of: (index: number) => number,
): Column {
  for (let index = 0; index < column.length; index++) column[index] = of(index)
  return column
}

type Growing = Float64Array | Int32Array | Uint32Array | Uint8Array

/** Returns a column of twice the length, with the same numbers first and zeros after them. */
export function doubled<Column extends Growing>(column: Column): Column {
  const longer = new (column.constructor as new (length: number) => Column)(2 * column.length)
  longer.set(column)
  return longer
}
