/** A percentage of fewer says nothing: one visitor more is 100 %. */
const LEAST = 10

/** Whether so few were counted that a change of them has no percentage. Of none, a number is new. */
export const isTooFew = (base: number | undefined): boolean => base !== undefined && base > 0 && base < LEAST

/** Returns how many a number in percent was before, of what it is now. */
export const baseOf = (now: number, percent: number): number => now / (1 + percent / 100)
