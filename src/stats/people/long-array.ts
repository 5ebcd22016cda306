/** Format of array_send(int8[]): a header as of int4[]; then length and value of each element. */
const HEADER_BYTES = 20
const ELEMENT_BYTES = 12

/** Returns a function that reads one of the numbers in the bytes of `array_send(int8[])`. */
export const readLongs =
  (bytes: Buffer | null) =>
  (index: number): number =>
    Number(bytes!.readBigInt64BE(HEADER_BYTES + index * ELEMENT_BYTES + 4))
