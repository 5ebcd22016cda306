/**
 * What `running` comes to, if it does so within `limitMs`. The work itself is not ended by the deadline; what becomes of
 * it later, failures included, nobody hears of.
 * @param tooLate makes the error when the time is over
 * @throws what `running` throws, or what `tooLate` makes
 */
export async function withDeadline<Result>(
  limitMs: number,
  running: PromiseLike<Result>,
  tooLate: () => Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), limitMs)
  })
  try {
    return await Promise.race([running, deadline])
  } finally {
    clearTimeout(timer)
  }
}
