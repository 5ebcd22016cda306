/**
 * Returns the result of `running`, unless the signal comes first. The work itself goes on; its later result or failure is ignored.
 * @throws the error of `running`, or the reason of the signal
 */
export async function abortable<Result>(running: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  if (!signal) return running
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([running, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
