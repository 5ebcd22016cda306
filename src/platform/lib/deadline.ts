/**
 * Returns the result of `running` if it arrives within `limitMs`. A result that arrived while this process was blocked, and
 * is not read yet, counts as in time: the limit measures the other side only. The deadline does not stop the work; its later
 * result or failure is ignored.
 * @param tooLate returns the error to throw after the limit
 * @throws the error of `running`, or that of `tooLate`
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
