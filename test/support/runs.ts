/**
 * The number that random cases of this run follow from. 0, the usual one, gives the same cases each time; the full check takes a new one
 * and prints it.
 */
const SEED = Number(process.env.TEST_SEED ?? 0)

/** Whether a run is to be quick: one case represents those of its kind. */
export const IS_QUICK = process.env.TEST_SET === 'quick'

/** Returns the seed of this run in place of a usual one: less than 2^24, so that multiples still fit into 32 bits. */
export const seeded = (usual: number): number => (usual + SEED * 7_919) % 2 ** 24

/** Returns the seeds of a loop over random cases: 1, 2, 3 … unless the run has a number of its own. */
export const seeds = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => seeded(index + 1))

/**
 * How often a test with random input runs: `usual` times, or `TEST_RUNS` times as many; in the quick check a quarter, and at least once.
 * Seeds are numbered from 1, so a larger number runs the usual cases first and then new ones.
 */
export function runs(usual: number): number {
  const share = IS_QUICK ? 0.25 : Number(process.env.TEST_RUNS ?? 1)
  return Math.max(1, Math.round(usual * share))
}

/** Whether a run has the usual cases, all of them: only then a test knows what they contain. */
export const hasUsualCases = SEED === 0 && !IS_QUICK

/** Returns the cases of a sweep: all of them, or the first one alone in the quick check. */
export const sweep = <Case>(cases: readonly Case[]): Case[] => (IS_QUICK ? cases.slice(0, 1) : [...cases])
