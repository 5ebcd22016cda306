/**
 * How often a test with random input runs: `usual` times, or `TEST_RUNS` times as many.
 * Seeds are numbered from 1, so a larger number runs the usual cases first and then new ones.
 */
export function runs(usual: number): number {
  return Math.max(1, Math.round(usual * Number(process.env.TEST_RUNS ?? 1)))
}
