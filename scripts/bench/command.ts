import { Command, Option } from 'commander'
import { wholeNumber } from '../options.ts'

/** Creates the command line of a measurement, with the options that all measurements share. */
export function benchCommand(name: string, description: string): Command {
  return new Command(`bench:${name}`)
    .description(description)
    .addOption(
      new Option(
        '--data <where>',
        'postgres://… of a TimescaleDB, or the folder of an embedded database',
      ).env('DATABASE_URL'),
    )
    .addOption(new Option('--redis <url>', 'Redis to use; a private one unless given').env('REDIS_URL'))
}

/** Creates an option whose value is a whole number in a range. */
export function numberOption(flags: string, description: string, range: [min: number, max: number]): Option {
  return new Option(flags, description).argParser(wholeNumber(...range))
}

const stops: (() => unknown)[] = []
let ending: Promise<void> | undefined

/** Registers a cleanup function; the newest runs first. */
export function onEnd(stop: () => unknown): void {
  stops.push(stop)
}

/**
 * Runs a measurement and its cleanup functions. The cleanup also runs after a failure or a signal. A failure sets exit code 1 and
 * prints one line `error: …`.
 */
export async function withCleanup(run: () => Promise<void>): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void end().then(() => process.exit(130)))
  }
  try {
    await run()
  } catch (error) {
    if (!ending) process.stderr.write(`error: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
  await end()
}

function end(): Promise<void> {
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
