/**
 * Returns a function that tells whether there is time left, counted from now by the monotonic clock of the process.
 * @param budgetMs milliseconds
 */
export function limitTime(budgetMs: number): () => boolean {
  const endsAt = performance.now() + budgetMs
  return () => performance.now() < endsAt
}
