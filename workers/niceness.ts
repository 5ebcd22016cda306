/** Nice value of background work and of work that may take long: it gets about a fifteenth of the CPU share of others. */
export const NICENESS = 12
