/** Fills a column with what a function says of each position: `from` with a function goes through an iterator, which takes many times as long. */
export function fill<Column extends { length: number; [index: number]: number }>(
  column: Column,
  of: (index: number) => number,
): Column {
  for (let index = 0; index < column.length; index++) column[index] = of(index)
  return column
}
