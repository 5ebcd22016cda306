/**
 * What `running` comes to, if it does so within `limitMs`. An answer that has come while this process stood still, and is
 * not read yet, is in time: the limit is for others. The work itself is not ended by the deadline; what becomes of
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
    timer = setTimeout(() => setImmediate(() => reject(tooLate())), limitMs)
  })
  try {
    return await Promise.race([running, deadline])
  } finally {
    clearTimeout(timer)
  }
}
