/** Time for which hits wait at most behind one stretch of other work; a hit takes about as long to store. */
const BUDGET_MS = 10

/**
 * Makes a loop that computes for long let other work of the process have its turn: it must call the returned function for each of its items,
 * and await what it gives.
 * @returns undefined, or a promise when the loop has run for the budget
 */
export function createPauses(budgetMs = BUDGET_MS): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < budgetMs) return undefined
    return new Promise(resolve =>
      setImmediate(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}
