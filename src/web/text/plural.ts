/** Returns a number with its noun: `1 visitor`, `1,234 visitors`. For languages with one form for 1 and one for all else. */
export const counted = (shown: string, one: string, many: string): string =>
  `${shown} ${shown === '1' ? one : many}`
