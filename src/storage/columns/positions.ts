/** Returns the position of the first of ascending numbers that is not less than `least`, of those from `from` to before `to`. */
export function lowerBound(numbers: ArrayLike<number>, least: number, from = 0, to = numbers.length): number {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! < least) low = middle + 1
    else high = middle
  }
  return low
}
