type Stop = () => unknown

/**
 * Runs a measurement and its cleanup functions, the newest first. The cleanup also runs after a failure or a signal. A failure
 * sets exit code 1 and prints one line `error: …`.
 * @param run receives a function that registers a cleanup function
 */
export async function withCleanup(run: (onEnd: (stop: Stop) => void) => Promise<void>): Promise<void> {
  const stops: Stop[] = []
  let ending: Promise<void> | undefined
  const end = () => {
    ending ??= (async () => {
      for (let stop = stops.pop(); stop; stop = stops.pop()) {
        try {
          await stop()
        } catch (error) {
          process.stderr.write(`warning: ${(error as Error).message}\n`)
        }
      }
    })()
    return ending
  }
  const onSignal = () => void end().then(() => process.exit(130))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, onSignal)
  try {
    await run(stop => stops.push(stop))
  } catch (error) {
    if (!ending) process.stderr.write(`error: ${(error as Error).message}\n`)
    process.exitCode = 1
  } finally {
    await end()
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal)
  }
}
