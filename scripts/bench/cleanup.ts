type Stop = () => unknown

/**
 * Runs a measurement that starts things, and undoes them when it ends, the newest first, also when it fails or a signal
 * ends it. Sets exit code 1 and says one line `error: …` when it fails.
 * @param run is given a function that remembers how to undo what was just done
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
