/** A list of numbers that grows; an array of numbers would take twice the memory, and a part of it in the heap. */
export class NumberList {
  #numbers = new Uint32Array(1_024)
  length = 0

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Uint32Array(2 * this.#numbers.length)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.length++] = number
  }

  /** The numbers so far; not to be used after the next `push`. */
  get numbers(): Uint32Array {
    return this.#numbers.subarray(0, this.length)
  }
}

/**
 * Divides numbers by key.
 * @param keys less than `count`, one for each number
 * @returns a list for each key
 */
export function divideByKey(keys: Uint32Array, numbers: Uint32Array, count: number): Uint32Array[] {
  const ends = new Uint32Array(count + 1)
  for (const key of keys) ends[key + 1]!++
  for (let key = 0; key < count; key++) ends[key + 1]! += ends[key]!
  const starts = ends.slice()
  const divided = new Uint32Array(numbers.length)
  for (let index = 0; index < numbers.length; index++) divided[ends[keys[index]!]!++] = numbers[index]!
  return Array.from({ length: count }, (_, key) => divided.subarray(starts[key], starts[key + 1]))
}
