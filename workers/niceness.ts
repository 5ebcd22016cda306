/** How far stands back what nobody waits for, or what may take long: to a fifteenth of what others get. */
export const NICENESS = 12
